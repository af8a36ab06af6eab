"""How much two texts differ, and where."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from itertools import chain, pairwise

_WORD = re.compile(r"\w+|[^\w\s]")
MOST_LINES = 4_000
"""Beyond that many lines a diff is made of what is left between equal beginnings and ends, and cut: it is quadratic."""


def difference(a: str, b: str) -> float:
    """The share of words in which two texts differ, in [0, 1].  O(n).

    More exactly: of pairs of neighbouring words, those that are in one and not in the other.  So the order of words
    counts, and a word that is replaced counts as two pairs.

    >>> difference("the cat sat on the mat", "the cat sat on the mat"), difference("a b", "c d")
    (0.0, 1.0)
    """
    if a == b:
        return 0.0
    ours, theirs = _pairs(a), _pairs(b)
    both = ours.total() + theirs.total()
    if ours == theirs:  # they differ in spaces alone
        return 0.0
    return ((ours - theirs).total() + (theirs - ours).total()) / both


def alike(a: str, b: str, tolerance: float = 0.0) -> bool:
    """Whether two texts count as equal: exactly so at a tolerance of 0, else where they differ in no more than that.

    >>> page = "word " * 99
    >>> alike(page + "old", page + "new"), alike(page + "old", page + "new", tolerance=0.02)
    (False, True)
    """
    return a == b or (tolerance > 0.0 and difference(a, b) <= tolerance)


def diff(old: str, new: str, context: int = 2) -> Iterator[str]:
    r"""The lines of a unified diff, without those that name files.

    >>> list(diff("a\nb", "a\nc"))
    ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']
    """
    ours, theirs = old.split("\n"), new.split("\n")
    skipped = 0
    if len(ours) + len(theirs) > MOST_LINES:
        skipped = _equal_beginning(ours, theirs)
        end = _equal_beginning(ours[:skipped:-1], theirs[:skipped:-1])
        ours, theirs = ours[skipped : len(ours) - end], theirs[skipped : len(theirs) - end]
        if skipped:
            yield f"({skipped:,} equal lines before)"
        if len(ours) + len(theirs) > 4 * MOST_LINES:
            yield f"({len(ours):,} lines became {len(theirs):,}; the first are compared)"
            ours, theirs = ours[:MOST_LINES], theirs[:MOST_LINES]
    for line in unified_diff(ours, theirs, n=context, lineterm=""):
        if not line.startswith(("--- ", "+++ ")) or line[4:].strip():
            yield line


def _pairs(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(chain(("",), _WORD.findall(text), ("",))))


def _equal_beginning(ours: list[str], theirs: list[str]) -> int:
    for count, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return count
    return min(len(ours), len(theirs))
