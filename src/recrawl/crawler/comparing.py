"""Whether a page has changed, by the rule for its site; and the versions that are kept of it."""

from collections.abc import Mapping

from recrawl.compare import Rules, alike, digest, extract, versions
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

    def kept(self, url: str, fetched: Fetched, at: float) -> Item:
        """A version, as it is kept for the next comparison and for `recrawl diff`."""
        return versions.item(self._shelf, url, fetched.body, fetched.content_type, at)
