"""What the lastmod of pages says of their changes, from one snapshot to the next."""

from math import inf

from recrawl.histories import dates
from recrawl.histories.making import DAY_S, counted, date_text


class Lastmods:
    """The newest lastmod of each page, when the page was seen last, and what its dates are worth.

    A date after its snapshot counts as of the snapshot: the dates that follow must not have to wait until it has come.
    It counts once, so that a page which says the same date for ever does not change for ever.
    """

    def __init__(self) -> None:
        self._newest: list[float] = []
        self._seen: list[float] = []
        self._ahead: dict[int, float] = {}
        self._unread = 0
        self._example = ""
        self._future = 0
        self._furthest = -inf

    def read(self, text: str | None) -> float:
        """The moment of a lastmod; -inf where there is none."""
        moment = None if text is None else dates.moment(text)
        if text is not None and moment is None:
            self._unread += 1
            self._example = self._example or text[:60]
        return -inf if moment is None else moment

    def born(self, now: float) -> None:
        """The next page is seen for the first time."""
        self._newest.append(-inf)
        self._seen.append(now)

    def changed(self, page: int, told: float, now: float) -> float | None:
        """When a page changed that is listed with this lastmod; None where that is no news."""
        newest, seen = self._newest[page], self._seen[page]
        self._seen[page] = now
        if not self._is_news(page, told, now):
            return None
        self._newest[page] = min(told, now)
        self._note_future(page, told, now)
        if newest == -inf:  # a first lastmod says nothing of a change
            return None
        return told if seen < told <= now else now

    def notes(self) -> list[str]:
        """What should be known about these dates."""
        notes = []
        if self._unread:
            unread = counted(self._unread, "lastmod")
            notes.append(f"left out {unread} that could not be read as a date, such as {self._example!r}")
        if self._future:
            notes.append(
                f"{counted(self._future, 'lastmod')} after the day of the snapshot, up to {date_text(self._furthest)}: "
                "such a date counts once, at the time of the snapshot"
            )
        without = self._newest.count(-inf)
        if without:
            notes.append(f"no change can be seen of {counted(without, 'page')} without a lastmod")
        return notes

    def _is_news(self, page: int, told: float, now: float) -> bool:
        ahead = self._ahead.get(page, -inf)
        return told > ahead if told > now else told > self._newest[page] and told != ahead

    def _note_future(self, page: int, told: float, now: float) -> None:
        if told > now:
            self._ahead[page] = told
        if told > now + DAY_S:  # a snapshot that is dated by the day may be of its evening
            self._future += 1
            self._furthest = max(self._furthest, told)
