"""What a run begins with: what the last one left, and what the settings name."""

import math
from collections.abc import Iterator

from recrawl.crawler.handover import HandOver
from recrawl.crawler.kept import Kept
from recrawl.crawler.once import AGE, Once
from recrawl.crawler.settings import Settings
from recrawl.crawler.sources.sources import GIVEN
from recrawl.errors import DataError

_SLICE = 10_000
ONCE = "once"
"""Kind of the fact on the shelf that says that ages of pages are those of a run with `once`."""


def begin(settings: Settings, kept: Kept, handover: HandOver, once: Once | None) -> None:
    """Give back what was under way, and have the frontier know all that the settings name."""
    given_back = kept.frontier.give_back()
    handover.counts.add("pages", "given back by the run before", given_back)
    handover.recover()
    if kept.shelf.get(ONCE, ONCE) is not None and once is None:
        Once(kept.frontier).end()
        handover.sources.set_ages()
        kept.shelf.put([(ONCE, ONCE, None)])
    handover.once = once
    age = math.nan if once is None else AGE
    handover.sources.max_age = age
    for urls in _slices(settings):
        kept.frontier.add(urls, importance=1.0, max_age=age)
    if handover.reach.is_wider:
        handover.sources.widened()
    handover.sources.told(settings.sitemaps, GIVEN, "sitemap")
    handover.sources.told(settings.feeds, GIVEN, "feed")
    kept.shelf.put([*handover.sources.changes(), handover.reach.item()])
    if once is not None:
        kept.shelf.put([(ONCE, ONCE, b"1")])
        handover.sources.at_once([source.url for source in handover.sources.registry])
        once.begin()


def _slices(settings: Settings) -> Iterator[list[str]]:
    """The pages that the settings name, some at a time."""
    if settings.sites:
        yield list(settings.sites)
    if settings.urls is not None:
        urls: list[str] = []
        for url in listed(settings.urls):
            urls.append(url)
            if len(urls) >= _SLICE:
                yield urls
                urls = []
        if urls:
            yield urls


def listed(path: str) -> Iterator[str]:
    """The URLs in a file, one a line; blank lines and those that begin with # are passed over."""
    from recrawl.errors import InputError
    from recrawl.urls import normalise

    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                text = line.strip()
                if not text or text.startswith("#"):
                    continue
                try:
                    yield normalise(text)
                except InputError as error:
                    raise DataError(str(error), path, number, argument="urls") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path, argument="urls") from None
    except UnicodeDecodeError:
        raise DataError("is not UTF-8 text", path, argument="urls") from None
