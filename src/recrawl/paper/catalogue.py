"""The figures by name, in the order of the report."""

from importlib import import_module
from typing import Protocol, cast

from recrawl.errors import InputError
from recrawl.paper.report.result import Result
from recrawl.paper.settings import Settings

_BEYOND = ("optimum", "late", "sources", "learning")
NAMES = (
    "value",
    "discrete",
    "discrete-rates",
    "partial",
    "partial-rates",
    "noisy",
    "noisy-rates",
    "delay",
    "bandwidth",
    "semisynthetic",
    "quality",
    "saving",
    "estimators-naive",
    "estimators-mle",
    *_BEYOND,
)


class PaperFigure(Protocol):
    """A module of recrawl.paper.figures or recrawl.paper.beyond."""

    TITLE: str
    PAPER: str
    """What the paper's figure shows, and the claim made in the text."""

    def run(self, settings: Settings) -> Result:
        """Compute the table and the verdict."""


def check(name: str) -> None:
    """Refuse a name that is no figure's."""
    if name not in NAMES:
        raise InputError(f"unknown figure {name!r}; known: {', '.join(NAMES)}; and real", argument="names")


def get(name: str) -> PaperFigure:
    """The module of that figure.

    >>> get("value").TITLE
    'The crawl value and its approximations'
    """
    check(name)
    folder = "beyond" if name in _BEYOND else "figures"
    return cast("PaperFigure", import_module(f"recrawl.paper.{folder}.{name.replace('-', '_')}"))
