"""What a crawl keeps, open: the frontier, the shelf, the feed of changes, WARC files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recrawl.crawler.settings import Settings
from recrawl.outputs.changes import Feed
from recrawl.outputs.warc import Writer
from recrawl.store import AnyShelf, MemoryShelf, Shelf

if TYPE_CHECKING:
    from recrawl.crawler.worker import Clock

FRONTIER, SHELF, CHANGES, STATUS = "frontier", "shelf", "changes.ndjson", "status.json"
"""Names in the folder of a crawl."""


class Kept:
    """Everything that outlives a run, or would if there were a folder."""

    def __init__(self, settings: Settings, clock: "Clock") -> None:
        self.folder = None if settings.data is None else Path(settings.data)
        self.feed: Feed | None = None
        self.warc: Writer | None = None
        self._open: list[Any] = []
        try:
            self._open_all(settings, clock)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def is_new(settings: Settings) -> bool:
        """Whether nothing is known of any host's past."""
        return Kept.frontier_of(settings) is None

    @staticmethod
    def frontier_of(settings: Settings) -> Path | None:
        """The folder of the frontier, where there is one."""
        folder = None if settings.data is None else Path(settings.data) / FRONTIER
        return folder if folder is not None and folder.exists() else None

    def _open_all(self, settings: Settings, clock: "Clock") -> None:
        from recrawl.frontier import Frontier  # brings kernels that may have to be compiled

        options: dict[str, Any] = {
            "rate": settings.rate,
            "window": settings.window,
            "gap": settings.gap,
            "max_in_flight": settings.max_in_flight,
            "lease": settings.lease / clock.real(1.0),
            "discovery": settings.discovery,
        }
        if self.folder is None:
            self.frontier = self._keep(Frontier(clock=clock, **options))
            self.shelf: AnyShelf = self._keep(MemoryShelf())
        else:
            os.makedirs(self.folder, exist_ok=True)
            self.frontier = self._keep(Frontier.open(self.folder / FRONTIER, clock=clock, **options))
            self.shelf = self._keep(Shelf(self.folder / SHELF))
            self.feed = self._keep(Feed(self.folder / CHANGES))
        if settings.warc is not None:
            self.warc = self._keep(_writer(settings, clock))

    def _keep(self, part: Any) -> Any:
        self._open.append(part)
        return part

    @property
    def status_file(self) -> Path | None:
        """Where the status is written."""
        return None if self.folder is None else self.folder / STATUS

    def close(self) -> None:
        """Let others open the folder."""
        while self._open:
            self._open.pop().close()

    @property
    def notes(self) -> list[str]:
        """What an operator should know of what was found when opening."""
        return [note for part in self._open for note in getattr(part, "notes", ())]


def _writer(settings: Settings, clock: "Clock") -> Writer:
    from recrawl import __version__

    assert settings.warc is not None
    info = {"http-header-user-agent": settings.agent, "robots": "obey"}
    if settings.contact:
        info["operator"] = settings.contact
    return Writer(settings.warc, software=f"recrawl/{__version__}", clock=clock, info=info)
