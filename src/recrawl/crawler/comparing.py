"""Whether a page has changed, by the rule for its site; and the versions that are kept of it.

A first copy is compared with nothing, and a body that is the same byte by byte is the same under every rule.  To read
HTML takes longer than all else that is done with a page.  So what is compared of a first copy is found out when a body
comes that differs from it, from the version that was kept, and is remembered from then on.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recrawl.compare import Rule, Rules, Version, alike, digest, extract, versions
from recrawl.compare.extract import digest_of_body
from recrawl.crawler.results import Result
from recrawl.crawler.settings import Settings
from recrawl.crawler.told import Last, Told
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item

if TYPE_CHECKING:
    from recrawl.fetch.fetched import Fetched


def tables(settings: Settings) -> list[Mapping[str, object]]:
    """The rules in the settings, as `Rules.parse` takes them: those for sites first, then the one for the rest."""
    rest = {"ignore": list(settings.ignore), "tolerance": settings.tolerance}
    sites = [{"match": f"{site}*", "compare": rule, **rest} for site, rule in settings.compare_sites.items()]
    return [*sites, {"match": "*", "compare": settings.compare, **rest}]


def _is_all_bytes(rule: Rule) -> bool:
    """Whether nothing of a body is left out under this rule, whatever stands in it."""
    return rule.kind == "bytes" and not rule.patterns


class Comparing:
    """Compares versions with what was last told of a page."""

    def __init__(self, rules: Rules, shelf: AnyShelf, told: Told) -> None:
        self._rules, self._shelf, self._told = rules, shelf, told
        self._new: list[Result] = []
        self._newest: dict[str, Fetched] = {}

    def judged(self, result: Result) -> tuple[Last, bool]:
        """What is to be told of a page as it was fetched, and whether that is another version than was told.

        A version that is only a little different counts as the one that was told.
        """
        url, fetched = result.url, result.fetched
        assert fetched is not None
        last = self._told.last(url)
        found = digest_of_body(fetched.body) if result.prepared is None else result.prepared.digest
        if last is None or last.gone:
            return Last(found), True
        if last.digest == found:
            return last, False
        rule = self._rules.of(url)
        text = extract(rule, fetched.body, fetched.content_type)
        new = Last(found, digest(text))
        if new.compared in (last.compared, last.digest):  # the latter where all bytes of the last one were compared
            return last, False
        if rule.tolerance == 0.0 and (last.compared or _is_all_bytes(rule)):
            return new, True
        before = self._before(url)
        if before is None:
            return new, True
        old = extract(rule, before.body, before.content_type)
        if not alike(old, text, rule.tolerance):
            return new, True
        if not last.compared:
            last = last._replace(compared=digest(old))
            self._told.learned(url, last)
        return last, False

    def moves(self, url: str) -> None:
        """A page lives somewhere else, and its versions stay where they are: what is compared is found out now."""
        last = self._told.last(url)
        before = self._before(url) if last is not None and not last.gone and not last.compared else None
        if last is not None and before is not None:
            text = extract(self._rules.of(url), before.body, before.content_type)
            self._told.learned(url, last._replace(compared=digest(text)))

    def _before(self, url: str) -> Version | None:
        """The version that was last told of a page."""
        fetched = self._newest.get(url)
        if fetched is None:
            return versions.last(self._shelf, url)
        return Version(fetched.body, fetched.content_type, fetched.started)

    def keep(self, result: Result) -> None:
        """There is a version to be kept, for the next comparison and for `recrawl diff`."""
        assert result.fetched is not None
        self._new.append(result)
        self._newest[result.url] = result.fetched

    def kept(self) -> list[Item]:
        """Versions as they are kept.  Of a page that came more than once each one counts."""
        new, self._new, self._newest = self._new, [], {}
        urls = [result.url for result in new]
        before = dict(zip(urls, self._shelf.get_all(versions.KIND, urls), strict=True))
        items: list[Item] = []
        for result in new:
            url, fetched = result.url, result.fetched
            assert fetched is not None
            packed = None if result.prepared is None else result.prepared.packed
            items.append(versions.item_after(before[url], url, fetched.body, fetched.content_type, result.at, packed))
            before[url] = items[-1][2]
        return items
