"""Sitemaps and feeds at work: pages of the frontier themselves, whose news become pages and signals.

1. A source is a page of next to no importance with a greatest age, so that it is asked for when that is over and costs
   one request of the budget, like any page.  How often it changes is told by its own readings, and the frontier is not
   told what they found: a sitemap changes with every page, and no signal tells of it.  Were it learned from like a
   page, signals would seem to miss most changes of the site.
2. What a source says goes to the frontier before the source itself is answered for, and what it said is kept last.  A
   crash in between has it read again; the frontier counts the same news once.
3. How often a source is asked for is kept with it, so that a run that begins anew goes on at the same pace.
4. Sitemaps go on naming pages where they lived before: without the slash at the end, by http, without www.  Where a
   page went is kept, so that what is said of it is heard there.
5. All of this is called by the one thread that hands results over.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from recrawl.crawler.counts import Counts
from recrawl.crawler.scope import Scope
from recrawl.crawler.sources import polling
from recrawl.crawler.sources.memory import NEVER, Said, unpack
from recrawl.crawler.sources.news import News, of_feed, of_sitemap
from recrawl.crawler.sources.pace import Pace, first_pace, usual
from recrawl.crawler.sources.registry import GIVEN, SEEN, Registry, Source
from recrawl.fetch.fetched import Fetched
from recrawl.signals import feed, robots, sitemap, sniff, websub
from recrawl.store.shelf_protocol import AnyShelf, Item
from recrawl.urls import normalise

if TYPE_CHECKING:
    from recrawl.frontier import Frontier
    from recrawl.frontier.state import State

MOVED = "moved"
"""Kind of the facts on the shelf that say where pages went."""
MOST_MOVES = 5
"""Of one page, one after the other, that are followed."""
SLIGHT = 1e-6
"""Importance of sources: that they are fresh is worth nothing by itself."""


class Sources:
    """All sources of a crawl.  `allowed(url)` is whether robots.txt is known to permit a page."""

    def __init__(
        self,
        frontier: "Frontier",
        shelf: AnyShelf,
        scope: Scope,
        counts: Counts,
        now: Callable[[], float],
        *,
        allowed: Callable[[str], bool] = lambda _: True,
        share: float = 0.05,
        most_pages: int = 1_000_000,
    ) -> None:
        self.registry = Registry(shelf)
        self._frontier, self._shelf, self._scope, self._counts, self._now = frontier, shelf, scope, counts, now
        self._allowed, self._share, self._most_pages = allowed, share, most_pages
        self._seen: dict[str, bytes] = {}
        self._moves: dict[str, str] = {}
        self._rates = {source.url: source.wanted for source in self.registry}
        self.max_age = math.nan
        """What pages that are found get as their greatest age; NaN for none."""

    # -- where sources are ---------------------------------------------------------------------------------------------

    def told(self, urls: Iterable[str], by: str, kind: str = "") -> int:
        """Somebody tells of sources.  How many were not asked for before."""
        now = self._now()
        new = [url for url in urls if self.registry.told(url, by, now, kind)]
        if new:
            self._frontier.add(new, importance=SLIGHT, max_age=polling.AT_ONCE, skip_bad=True)
            self._counts.add("sources", "found", len(new))
        for url in new:
            self._rates[url] = usual(kind).rate * polling.TIMES
        return len(new)

    def robots_said(self, origin: str, rules: robots.Robots) -> None:
        """A robots.txt was read: it names sitemaps, or there may be one at the usual place."""
        if not self._scope.has_host(f"{origin}/"):
            return
        listed = _urls(rules.sitemaps, f"{origin}/")
        self.told(listed, f"robots {origin}", "sitemap")
        self._only(f"robots {origin}", listed)
        if not listed:
            self.told([f"{origin}/sitemap.xml"], f"guess {origin}", "sitemap")

    def moved(self, url: str, to: str) -> None:
        """A source lives somewhere else."""
        self.registry.moved(url, to)
        rate = self._rates.pop(url, None)
        if rate is not None:
            self._rates.setdefault(to, rate)

    def page_moved(self, url: str, to: str) -> None:
        """A page lives somewhere else."""
        self._moves[url] = to

    def _only(self, by: str, urls: list[str]) -> None:
        self.registry.told_only(by, urls, self._now())
        self._forget_rotated(by)

    def _forget_rotated(self, by: str) -> None:
        for url in self.registry.rotated(by, self._now()):
            self.registry.forget(url)
            self._dropped(url, "no longer listed")

    def _dropped(self, url: str, why: str) -> None:
        self._rates.pop(url, None)
        self._seen.pop(url, None)
        self._frontier.forget(url)
        self._counts.add("sources", why)

    # -- what they say -------------------------------------------------------------------------------------------------

    def came(self, source: Source, fetched: Fetched, *, whole: bool = True) -> bool:
        """A source was fetched: what is new in it is told; whether it is one at all.

        Where it broke off (not `whole`), what came before that counts, and nothing is taken to have left.
        """
        kind = sniff.kind(fetched.body, fetched.content_type)
        before = self._before(source.url)
        if kind in ("sitemap", "text-sitemap"):
            kind, news = "sitemap", of_sitemap(sitemap.parse(fetched.body, source.url), before, self._now())
        elif kind == "feed":
            news = of_feed(feed.parse(fetched.body, source.url), before, self._now())
        else:
            self._counts.add("sources", "something else")
            self.failed(source, gone=True)
            return False
        if not whole:
            news.left, news.said = 0, {**(before or {}), **news.said}
        more = self._tell(source, kind, news, first=before is None, whole=whole)
        self._seen[source.url] = news.packed()
        about = _about(fetched) if kind == "feed" else About()
        if not source.during:
            pace = first_pace(
                kind, about.ttl, [said.date for said in news.said.values() if said.date > NEVER], self._now()
            )
        elif before is None:  # it has moved: there is nothing to compare with
            pace = source.pace
        else:
            pace = source.looked(self._now(), news.said != before)
        more = 0 if before is None else more
        known = {"kind": kind, "entries": len(news.said), "refused": news.refused, "anew": False}
        self._was_read(source, pace, more, **known, **about._asdict())
        return True

    def unchanged(self, source: Source) -> None:
        """The server says that a source is as it was."""
        self._was_read(source, source.looked(self._now(), news=False), 0)
        if source.kind == "sitemap":
            self._forget_rotated(f"index {source.url}")

    def _was_read(self, source: Source, pace: Pace, more: int, **known: object) -> None:
        """A source answered, and `more` sitemaps are to be read for what it said."""
        changes, during = pace
        cost = (source.cost + 1.0 + more) / 2.0
        well: dict[str, object] = {"gone": 0, "failures": 0, "failing": 0.0, "read": self._now()}
        self.registry.update(source.url, changes=changes, during=during, cost=cost, **well, **known)

    def failed(self, source: Source, *, gone: bool) -> None:
        """A source was not there, or could not be fetched; it is given up at some time."""
        now = self._now()
        if gone:
            updated = self.registry.update(source.url, gone=source.gone + 1)
        else:
            since = source.failing or now
            updated = self.registry.update(source.url, failures=source.failures + 1, failing=since)
        if updated is not None and updated.given_up(now):
            self.registry.drop(source.url, now)
            self._dropped(source.url, "given up")

    def set_interval(self, source: Source) -> None:
        """Have the frontier ask for a source as often as it is worth, now that more is known of it."""
        current = self.registry.get(source.url)
        if current is None or current.stumbles or current.anew or source.url not in self._frontier:
            return
        self._rates[source.url] = current.wanted
        rate = self._frontier.rate
        budget = math.inf if rate is None else self._share * rate
        seconds = polling.interval(current.wanted, self._rates.values(), budget)
        if current.costly:
            indexes = sum(other.costly for other in self.registry)
            seconds = max(seconds, polling.apart(current.cost, indexes, budget))
        if polling.differs(current.interval, seconds):
            self._frontier.add(source.url, max_age=seconds)
            self.registry.update(source.url, interval=seconds)

    def early(self, url: str, now: float) -> float:
        """Seconds for which what is offered need not be fetched: it is a source, and was read lately.  Any thread."""
        source = self.registry.get(url)
        return 0.0 if source is None else source.early(now)

    def at_once(self, urls: Sequence[str]) -> None:
        """Have sources asked for now, also those that were put off since they had been read lately."""
        if not urls:
            return
        known = [self.registry.get(url) for url in urls]
        well = [source.url for source in known if source is not None and not source.failures and not source.gone]
        if off := self._frontier.look(partial(_put_off, well)):
            self._frontier.forget(off)
        self._frontier.add(urls, importance=SLIGHT, max_age=polling.AT_ONCE)

    def widened(self) -> None:
        """More pages are wanted than before: sources that listed some of the others are read again, whole."""
        again = [source.url for source in self.registry if source.refused]
        for url in again:
            self.registry.update(url, anew=True)
        if again:
            self._frontier.forget(again)  # with its validators, for a server would say that nothing has changed
            self._frontier.add(again, importance=SLIGHT, max_age=polling.AT_ONCE)

    def set_ages(self) -> None:
        """Have the frontier know anew how often each source is asked for."""
        for source in self.registry:
            self._frontier.add(source.url, max_age=source.interval or polling.AT_ONCE)

    def delivered(self, topic: str, body: bytes) -> int:
        """A hub delivered what is new of a topic.  How many pages were told of.

        Entries of a feed are signals for their pages.  The topic itself has one if it is a page; if it is a source it
        is asked for as before, since what was delivered has been read.
        """
        news = of_feed(feed.parse(body, topic), None, self._now())
        urls = [url for url in news.pages if self._wanted(url)]
        homes = self._homes(urls)  # before what has moved is asked for anew, which may be there again
        self._add(urls, [math.nan] * len(urls))
        urls = list(dict.fromkeys([*urls, *homes]))
        itself = _urls([topic], topic)
        urls += [url for url in itself if url not in urls and self._known(url) and self.registry.get(url) is None]
        if urls:
            self._signal(urls, "websub", [None] * len(urls))
        return len(urls)

    def linked(self, urls: list[str]) -> list[str]:
        """A page links to others.  Those that are new, and belong to the crawl."""
        new = [url for url in urls if not self._known(url) and self._wanted(url)]
        self._add(new, [math.nan] * len(new))
        return new

    def pinged(self, urls: Sequence[str], source: str) -> int:
        """Somebody says that pages are new, changed or gone.  How many belong to the crawl."""
        wanted = [url for url in urls if self._wanted(url)]
        homes = self._homes(wanted)  # before what has moved is asked for anew, which may be there again
        self._add(wanted, [math.nan] * len(wanted))
        told = list(dict.fromkeys([*wanted, *homes]))
        self._signal(told, source, [None] * len(told))
        return len(wanted)

    def changes(self) -> list[Item]:
        """What is to be kept on the shelf, after the frontier was told."""
        items = self.registry.changes() + [(SEEN, url, data) for url, data in self._seen.items()]
        items += [(MOVED, url, to.encode()) for url, to in self._moves.items()]
        self._seen.clear()
        self._moves.clear()
        return items

    # -- inside --------------------------------------------------------------------------------------------------------

    def _before(self, url: str) -> dict[int, Said] | None:
        data = self._seen.get(url) or self._shelf.get(SEEN, url)
        return None if data is None else unpack(data)

    def _tell(self, source: Source, kind: str, news: News, *, first: bool, whole: bool) -> int:
        """Pass on what is new; how many sitemaps are to be read for it."""
        more, counts = 0, self._counts
        counts.add("sources", f"{kind}s read")
        counts.add("sources", "dates in the future", news.future)
        counts.add("sources", "entries that left", news.left)
        if news.sitemaps or source.kind == "sitemap":
            by = f"index {source.url}"
            more = self.told(news.sitemaps, by, "sitemap")
            if whole:
                self._only(by, news.sitemaps)
            for url in news.dated:
                child = self.registry.get(url)
                if child is not None and not child.dated:
                    self.registry.update(url, dated=True)
            due = [url for url in news.advanced if self.registry.get(url) is not None]
            self.at_once(due)
            for url in due:
                self.registry.update(url, interval=polling.AT_ONCE)
            more += len(due)
        known = [self._known(url) for url in news.pages]
        if not first:  # seen for the first time in this source, but not in this crawl: its date may be news
            again = [k for k, here in enumerate(known) if here and (kind == "feed" or news.dates[k] is not None)]
            self._signal([news.pages[k] for k in again], kind, [news.dates[k] for k in again])
        new = [k for k, here in enumerate(known) if not here and self._wanted(news.pages[k])]
        added = new[: self._add([news.pages[k] for k in new], [news.every[k] for k in new])]
        taken = {k for k, here in enumerate(known) if here}.union(added)
        news.refuse(name for k, name in enumerate(news.names) if k not in taken)
        self._signal(news.changed, kind, news.happened)
        return more

    def _known(self, url: str) -> bool:
        return url in self._frontier

    def _homes(self, urls: list[str]) -> list[str]:
        """Where pages live now, as far as is known."""
        found = list(urls)
        for _ in range(MOST_MOVES):
            gone = [k for k, url in enumerate(found) if not self._known(url)]
            kept = self._shelf.get_all(MOVED, [found[k] for k in gone]) if gone else []
            homes = [self._moves.get(found[k]) or (data or b"").decode() for k, data in zip(gone, kept, strict=True)]
            if not any(homes):
                break
            for k, home in zip(gone, homes, strict=True):
                found[k] = home or found[k]
        return found

    def _wanted(self, url: str) -> bool:
        if not self._scope.covers(url):
            self._counts.add("urls refused", "not of a site")
        elif not self._allowed(url):
            self._counts.add("urls refused", "robots.txt")
        else:
            return True
        return False

    def _add(self, urls: list[str], every: list[float]) -> int:
        """Add pages, the first ones where there is no room for all; for how many there was."""
        room = max(self._most_pages - len(self._frontier), 0)
        self._counts.add("urls refused", "too many pages", max(len(urls) - room, 0))
        if urls[:room]:
            added = self._frontier.add(
                urls[:room], importance=1.0, every=every[:room], max_age=self.max_age, skip_bad=True
            )
            self._counts.add("pages", "found", added.new)
        return min(len(urls), room)

    def _signal(self, urls: list[str], kind: str, happened: Sequence[object]) -> None:
        if not urls:
            return
        urls = self._homes(urls)
        heard = self._frontier.signal(urls, source=kind, happened=happened, skip_bad=True)
        for name, number in (("heard", heard.heard), ("old", heard.old), ("repeated", heard.repeated)):
            self._counts.add(f"signals of {kind}", name, number)
        self._counts.add(f"signals of {kind}", "of unknown pages", len(heard.unknown))


def _put_off(urls: Sequence[str], state: "State", now: float) -> list[str]:
    from recrawl.frontier import views  # brings kernels

    return views.put_off(state, urls, now)


class About(NamedTuple):
    """What a feed says of itself: seconds that a copy is good for, who delivers it, and under what name."""

    ttl: float = 0.0
    hub: str = ""
    topic: str = ""


def _about(fetched: Fetched) -> About:
    said = feed.links(fetched.body, fetched.final_url)
    found = websub.discover(fetched.final_url, fetched.headers, fetched.body, fetched.content_type, said=said)
    return About(float(said.ttl or 0.0), *(("", "") if found is None else (found.hubs[0], found.topic)))


def _urls(texts: Iterable[str], base: str) -> list[str]:
    """The URLs among texts, each once."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            found.setdefault(normalise(text, base=base))
        except ValueError:
            continue
    return list(found)


__all__ = ["GIVEN", "Sources"]
