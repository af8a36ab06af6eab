"""The history that comes with the package: four years of kubernetes.io, from its git log."""

import os

from recrawl.histories.files import read_history
from recrawl.histories.history import History

STEM = os.path.join(os.path.dirname(__file__), "kubernetes", "kubernetes_website")


def shipped() -> History:
    """Pages of the documentation of Kubernetes, with when they came, changed and went; see CREDITS.md beside it.

    >>> history = shipped()
    >>> len(history), len(history.alive_throughout())
    (2730, 1233)
    """
    return read_history(STEM)
