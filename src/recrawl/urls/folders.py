"""Folders: pages of one directory of a site, which tend to change together."""

import re
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

_SITE = re.compile("[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def folder_of(page: str) -> str:
    """The folder that a page is in: its URL, or its path in a site, without the last part.

    A page `index.html`, or one that ends with a slash, stands for its folder, and so is in the one above.  Of a URL,
    pages that differ only in what follows a question mark are in one folder; what follows a `#` is no part of a page.
    In a path, such as one of a git repository, these two signs are like any others; `a.md#2`, a page made again, is in
    the folder of `a.md`.

    >>> folder_of("https://example.org/docs/a.html"), folder_of("https://example.org/docs/b/index.html")
    ('https://example.org/docs/', 'https://example.org/docs/')
    >>> folder_of("https://example.org/item?id=3"), folder_of("https://example.org"), folder_of("README.md")
    ('https://example.org/item?', 'https://example.org/', '')
    >>> folder_of("lang/c#/why?/a.md"), folder_of("lang/a.md#2")
    ('lang/c#/why?/', 'lang/')
    """
    begin = _SITE.match(page)
    if begin is None:
        return _above(page)
    url, mark, _ = page.partition("#")[0].partition("?")
    if mark:
        return url + mark
    root = url.find("/", begin.end())
    return url[: root + 1] + _above(url[root + 1 :]) if root >= 0 else url + "/"


def _above(path: str) -> str:
    above, _, last = path.rstrip("/").rpartition("/")
    if last.startswith("index."):
        above = above.rpartition("/")[0]
    return above + "/" if above else ""


def folder_keys(pages: Iterable[str]) -> Keys:
    """A number for the folder of each page: pages of one folder have the same, and others hardly ever.  Never 0."""
    known: dict[str, int] = {}
    keys = []
    for page in pages:
        folder = folder_of(page)
        key = known.get(folder)
        if key is None:
            digest = blake2b(folder.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            key = known[folder] = int.from_bytes(digest, "little") or 1
        keys.append(key)
    return np.array(keys, dtype=np.uint64)


def folder_ids(pages: Iterable[str]) -> NDArray[np.int64]:
    """A number for the folder of each page, from 0 on in the order of their names: what simulations take.

    >>> folder_ids(["docs/b", "docs/a", "blog/1"]).tolist()
    [1, 1, 0]
    """
    return np.unique([folder_of(page) for page in pages], return_inverse=True)[1].astype(np.int64)
