"""A frontier in this process or behind a URL: what of it is used here, and how it is opened."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from recrawl.client import Client
from recrawl.frontier import LeasedPage
from recrawl.integrations.scrapy.options import Options


class Leased(Protocol):
    """What `lease` answers."""

    @property
    def wait(self) -> float:
        """Seconds after which it makes sense to ask again."""

    def __iter__(self) -> Iterator[LeasedPage]: ...


class AnyFrontier(Protocol):
    """`recrawl.Frontier`, or `recrawl.Client` with the same methods."""

    def add(self, urls: Sequence[str], *, skip_bad: bool = False) -> object:
        """Pages to be kept fresh."""

    def lease(self, n: int = 1, *, seconds: float | None = None) -> Leased:
        """Pages to be fetched now."""

    def complete(
        self,
        tokens: Sequence[int],
        *,
        status: Any = None,
        changed: Any = None,
        digest: Any = None,
        validators: Any = None,
        error: Any = None,
        retry_after: Any = None,
        moved_to: Any = None,
    ) -> object:
        """What came of fetches."""

    def give_back(self, tokens: Sequence[int]) -> int:
        """Pages that will not be fetched after all."""

    def close(self) -> None:
        """Let go of it."""


def opened(options: Options) -> AnyFrontier:
    """The frontier of the settings.

    A folder belongs to one process at a time, so leases that are found in it are of a run that was killed: they are
    given back.  On a server they may be someone else's, and those of a run that was killed expire.
    """
    if options.server:
        return Client(options.server, options.token or None)
    from recrawl.frontier import Frontier, warm_up  # who has a server need not wait for kernels

    warm_up()  # kernels compiled later would hold up the reactor, whichever thread asks for them
    frontier = Frontier.open(options.data, **options.kept)
    frontier.give_back()
    return frontier
