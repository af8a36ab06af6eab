"""GREEDY-NCIS, the exact value of noisy signals, and its first J terms (the paper's approximations)."""

from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.policies.value_policy import ValuePolicy


def _as_they_are(pages: Pages) -> Pages:
    return pages


GREEDY_NCIS = ValuePolicy("greedy-ncis", _as_they_are)


def ncis_approx(terms: int) -> ValuePolicy:
    """The first `terms` terms of the value only: from below, and short of the limit mu/Delta where signals are weak."""
    if not isinstance(terms, int) or terms < 1:
        raise InputError(
            f"terms must be a whole number >= 1, got {terms!r}; the exact value is greedy-ncis", argument="terms"
        )
    return ValuePolicy(f"ncis-approx-{terms}", _as_they_are, terms)
