"""What counts as a number in a file or an option."""


def number(text: str) -> float:
    """``float``, less two things it lets through: ``1_000`` and digits of other scripts.

    >>> number(" 1e3")
    1000.0
    """
    if not is_plain(text):
        raise ValueError(text)
    return float(text)


def is_plain(text: str) -> bool:
    """Whether ``float`` would read ``text``, or many such cells joined, as people do."""
    return "_" not in text and text.isascii()
