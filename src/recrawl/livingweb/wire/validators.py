"""ETag and Last-Modified, honest or not, and when a request that has them is answered 304."""

from email.utils import parsedate_to_datetime

from recrawl.livingweb.dates import http_date
from recrawl.livingweb.wire.visit import Visit
from recrawl.livingweb.world import World


class Validators:
    """Of one page in one version, as the plan of its host wants them; `mark` differs from fetch to fetch."""

    def __init__(self, world: World, start: float, visit: Visit, page: int, version: int, mark: int) -> None:
        self._world, self._start, self._visit, self._page, self._version = world, start, visit, page, version
        plan, number = visit.host.plan, page - visit.host.first
        self.etag = self.modified = ""
        if plan.etag == "honest":
            self.etag = f'"{number:x}-{version:x}"'
        elif plan.etag != "absent":
            self.etag = f'"{number:x}"' if plan.etag == "frozen" else f'"{number:x}-{version:x}-{mark:x}"'
        if plan.last_modified == "honest":
            self.modified = http_date(start + world.changed(page, version))
        elif plan.last_modified != "absent":
            self.modified = http_date(start + (0.0 if plan.last_modified == "frozen" else visit.now))

    @property
    def headers(self) -> str:
        """As they are sent."""
        etag = f"ETag: {self.etag}\r\n" if self.etag else ""
        return f"{etag}Last-Modified: {self.modified}\r\n" if self.modified else etag

    def confirmed(self) -> int | None:
        """Which version a 304 confirms; -1: one that we cannot be sure of; None: no 304 (RFC 9110, 13.2.2)."""
        given = self._visit.header(b"if-none-match")
        if given is not None:
            return self._by_tag([tag.strip().removeprefix("W/") for tag in given.split(",")])
        since = self._visit.header(b"if-modified-since")
        if since is None or not self.modified or self._visit.host.plan.last_modified == "always new":
            return None
        if since == self.modified:
            sure = self._visit.host.plan.last_modified == "honest" and self._alone()
            return self._version if sure else self._known()
        return self._known() if _not_before(since, self.modified) else None

    def _by_tag(self, tags: list[str]) -> int | None:
        if not self.etag or (self.etag not in tags and tags != ["*"]):
            return None
        sure = self._visit.host.plan.etag == "honest" and self.etag in tags
        return self._version if sure else self._known()

    def _known(self) -> int:
        """The version, if it is what the crawler got from us; a date or a lie proves nothing."""
        return self._version if self._visit.agent.copies.version[self._page] == self._version else -1

    def _alone(self) -> bool:
        """Whether the version before has another date, which has only whole seconds."""
        if self._version == 0:
            return True
        changed = self._world.changed
        before = int(self._start + changed(self._page, self._version - 1))
        return before != int(self._start + changed(self._page, self._version))


def _not_before(text: str, modified: str) -> bool:
    try:
        return parsedate_to_datetime(text) >= parsedate_to_datetime(modified)
    except (ValueError, TypeError):
        return False
