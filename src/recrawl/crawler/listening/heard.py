"""What was heard, on its way to the thread that hands over."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pinged:
    """Somebody who may say so says that pages are new, changed or gone."""

    urls: tuple[str, ...]
    source: str = "indexnow"

    @property
    def size(self) -> int:
        """Bytes that it holds in memory."""
        return sum(map(len, self.urls))

    @property
    def fetched(self) -> None:
        """Nothing was fetched for it."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A hub delivered a feed, or the part of it that is new."""

    topic: str
    body: bytes

    @property
    def size(self) -> int:
        """Bytes that it holds in memory."""
        return len(self.body)

    @property
    def fetched(self) -> None:
        """Nothing was fetched for it."""
