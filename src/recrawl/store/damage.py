"""How damage is told: the file, what is wrong with it, and who knows what can still be saved."""

import os

from recrawl.errors import DataError


class DamagedError(DataError):
    """A file of a store is not as it was written.

    >>> print(DamagedError("group 7 is missing", "data/journal-000000000000.db"))
    data/journal-000000000000.db: is damaged: group 7 is missing; recrawl check data says what can be saved
    """

    def __init__(self, what: str, path: str) -> None:
        super().__init__(f"is damaged: {what}; recrawl check {os.path.dirname(path)} says what can be saved", path)
        self.what = what

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.path)


def other_format(version: int, known: int, path: str) -> DataError:
    """The error for a file that is whole, but not of a format that can be read."""
    other = "newer" if version > known else "older"
    return DataError(f"was written by {other} recrawl (format {version}, this one reads {known})", path)
