"""Whether a page has changed, by the rule for its site; and the versions that are kept of it."""

from collections.abc import Mapping

from recrawl.compare import Rules, alike, digest, extract, versions
from recrawl.crawler.results import Result
from recrawl.crawler.settings import Settings
from recrawl.crawler.told import GONE, Told
from recrawl.fetch.fetched import Fetched
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item


def tables(settings: Settings) -> list[Mapping[str, object]]:
    """The rules in the settings, as `Rules.parse` takes them: those for sites first, then the one for the rest."""
    rest = {"ignore": list(settings.ignore), "tolerance": settings.tolerance}
    sites = [{"match": f"{site}*", "compare": rule, **rest} for site, rule in settings.compare_sites.items()]
    return [*sites, {"match": "*", "compare": settings.compare, **rest}]


class Comparing:
    """Compares versions with what was last told of a page."""

    def __init__(self, rules: Rules, shelf: AnyShelf, told: Told) -> None:
        self._rules, self._shelf, self._told = rules, shelf, told
        self._new: list[Result] = []

    def digest(self, url: str, fetched: Fetched) -> tuple[str, bool]:
        """The digest of a version, and whether it is another one than was told.

        A version that is only a little different has the digest of the one that was told.
        """
        rule = self._rules.of(url)
        text = extract(rule, fetched.body, fetched.content_type)
        found, last = digest(text), self._told.last(url)
        if found == last or last is None or last.startswith(GONE):
            return found, found != last
        before = versions.last(self._shelf, url) if rule.tolerance > 0.0 else None
        if before is None:
            return found, True
        old = extract(rule, before.body, before.content_type)
        return (last, False) if alike(old, text, rule.tolerance) else (found, True)

    def keep(self, result: Result) -> None:
        """There is a version to be kept, for the next comparison and for `recrawl diff`."""
        self._new.append(result)

    def kept(self) -> list[Item]:
        """Versions as they are kept.  Of a page that came more than once each one counts."""
        new, self._new = self._new, []
        urls = [result.url for result in new]
        before = dict(zip(urls, self._shelf.get_all(versions.KIND, urls), strict=True))
        items: list[Item] = []
        for result in new:
            url, fetched = result.url, result.fetched
            assert fetched is not None
            items.append(versions.item_after(before[url], url, fetched.body, fetched.content_type, result.at))
            before[url] = items[-1][2]
        return items
