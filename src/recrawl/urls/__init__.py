"""URLs: one spelling for each, and a compact table that finds them.

`UrlTable` loads when it is first used: its kernels bring numba, which who only spells URLs need not wait for.
Folders of pages are in `recrawl.urls.folders`.
"""

from typing import TYPE_CHECKING

from recrawl.urls.normal import Refused, host_named, host_of, normalise, normalise_all, origin_of

if TYPE_CHECKING:
    from recrawl.urls.table import UrlTable

__all__ = ["Refused", "UrlTable", "host_named", "host_of", "normalise", "normalise_all", "origin_of"]


def __getattr__(name: str) -> object:
    if name != "UrlTable":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recrawl.urls.table import UrlTable

    return UrlTable
