"""Crawl policies by name: what each believes of the pages, and the value it gives them.

=================== =====================================================================================
`greedy`            believes there are no signals
`greedy-cis`        believes that no signal is false
`greedy-cis+`       CIS where precision > 0.7 and recall > 0.6, GREEDY elsewhere; `greedy-cis+(0.5,0.4)` moves both
`greedy-ncis`       exact: signals may be false, changes may go unsignalled
`ncis-approx-J`     the first J terms of the exact value, for any J >= 1
=================== =====================================================================================
"""

import re

from recrawl.errors import InputError
from recrawl.policies.cis import GREEDY_CIS
from recrawl.policies.cis_plus import GREEDY_CIS_PLUS, greedy_cis_plus
from recrawl.policies.greedy import GREEDY
from recrawl.policies.ncis import GREEDY_NCIS, ncis_approx
from recrawl.policies.value_policy import ValuePolicy

__all__ = ["ValuePolicy", "get", "greedy_cis_plus", "names", "ncis_approx"]

_FIXED = {policy.name: policy for policy in (GREEDY, GREEDY_CIS, GREEDY_CIS_PLUS, GREEDY_NCIS)}
_APPROXIMATION = re.compile(r"ncis-approx-([0-9]+)", re.ASCII)
_SHARE = r"([01]|[01]?\.[0-9]+)"
_ADJUSTED = re.compile(rf"greedy-cis\+\({_SHARE},{_SHARE}\)", re.ASCII)


def names() -> list[str]:
    """The known names; J stands for any number of terms."""
    return [*_FIXED, "ncis-approx-J"]


def get(name: str | ValuePolicy) -> ValuePolicy:
    """The policy of that name; a policy is handed back as it is.

    >>> get("ncis-approx-2").terms
    2
    """
    if isinstance(name, ValuePolicy):
        return name
    if not isinstance(name, str):
        raise InputError(f"policy must be a name or a policy, got {name!r}", argument="policy")
    if name in _FIXED:
        return _FIXED[name]
    if match := _APPROXIMATION.fullmatch(name):
        return ncis_approx(int(match[1]))
    if match := _ADJUSTED.fullmatch(name):
        return greedy_cis_plus(float(match[1]), float(match[2]))
    hint = "; here outcomes are not seen: update the pages from a recrawl.learn.Learner" if ":learn" in name else ""
    raise InputError(f"policy must be one of {', '.join(names())}; got {name!r}{hint}", argument="policy")
