"""The columns of a table: those it needs, those it must not have, and what a misspelt one was meant to be."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from recrawl.errors import DataError

PAGE = ("url", "page")
"""Either names the page of a row, in every file that is read."""

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def check_separators(names: Sequence[str], path: str, line: int) -> None:
    """Refuse a header of one cell that other separators than commas cut into several."""
    for separator, word in _SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            fixed = names[0].replace(separator, ",")
            raise DataError(f"separators must be commas, got {word}; write {fixed}", path, line)


def check_once(names: Sequence[str], known: Iterable[str], path: str, line: int | None) -> None:
    """Refuse a known column that is there twice."""
    for name in known:
        if names.count(name) > 1:
            raise DataError(f"column {name} appears {names.count(name)} times; keep one", path, line, name)


def require(names: Sequence[str], needed: Iterable[str], path: str, line: int | None) -> None:
    """Refuse a file without a column it needs, and say which of its columns may have been meant."""
    for name in needed:
        if name not in names:
            message = f"column {name} is missing; found: {', '.join(names)}{_hint([name], names)}"
            raise DataError(message, path, line, name)


def page_column(names: Sequence[str], path: str, line: int | None) -> str | None:
    """Which column names the pages, `url` or `page`; None where neither does, an error where both do."""
    found = [name for name in PAGE if name in names]
    if len(found) > 1:
        raise DataError("columns url and page both name the page; keep one", path, line, "page")
    return found[0] if found else None


def require_page(names: Sequence[str], path: str, line: int | None) -> str:
    """The same where there must be one."""
    name = page_column(names, path, line)
    if name is None:
        message = f"column page is missing; found: {', '.join(names)}{_hint(PAGE, names)}"
        raise DataError(message, path, line, "page")
    return name


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known column that a name is another spelling of.

    >>> meant("Change Rate", ["url", "change_rate"]), meant("chnage_rate", ["change_rate"]), meant("colour", ["url"])
    ('change_rate', 'change_rate', None)
    """
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    close = get_close_matches(plain, list(known), n=1, cutoff=0.8)
    return close[0] if close else None


def _hint(needed: Sequence[str], names: Sequence[str]) -> str:
    for name in names:
        if found := meant(name, needed):
            return f"; did you mean {found} by {name!r}?"
    return ""
