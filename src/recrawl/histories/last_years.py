"""The part of a history that policies are run on."""

from recrawl.errors import InputError
from recrawl.histories.history import History

YEARS = 4.0
DAYS_A_YEAR = 365.25


def last_years(history: History, years: float = YEARS, moving: bool = False) -> History:
    """Its last years, with the pages that are there throughout; with `moving`, all of its pages."""
    if not history.end > 0.0:
        raise InputError(
            f"history must last for some time, got {history.name}, in which nothing happened after its beginning",
            argument="history",
        )
    cut = history.last(years * DAYS_A_YEAR)
    return cut if moving else cut.alive_throughout()


def check_last_years(history: History, years: float = YEARS) -> None:
    """Refuse what policies cannot be run on, or would all do alike on."""
    if len(history) < 2:
        raise InputError(
            f"history must have two pages or more that are there throughout its last {years:g} years, "
            f"got {len(history)} in {history.name}; --years makes it shorter",
            argument="history",
        )
    if not len(history.change_times):
        raise InputError(
            f"history must have changes of pages that are there throughout its last {years:g} years, "
            f"got none on {len(history):,} pages in {history.name}; other --years may have some",
            argument="history",
        )
