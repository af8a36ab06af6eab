"""What a crawl would do, in words; nothing is fetched and nothing is written."""

import os
from collections.abc import Iterator
from pathlib import Path

from recrawl.crawler import lines
from recrawl.crawler.kept import CHANGES, FRONTIER, STATUS
from recrawl.crawler.settings import Settings
from recrawl.crawler.start import listed


def told(settings: Settings) -> list[str]:
    """What would happen, a line each."""
    return list(_told(settings))


def _told(settings: Settings) -> Iterator[str]:
    yield "nothing is fetched: --dry-run. With these settings:"
    for site in settings.sites:
        yield f"  site       {site}: robots.txt first, then the sitemaps that it names"
    for url in (*settings.sitemaps, *settings.feeds):
        yield f"  source     {url}"
    if settings.urls is not None:
        yield f"  pages      {sum(1 for _ in listed(settings.urls)):,} URLs of {settings.urls}"
    if settings.follow is not None:
        yield f"  links      followed on the site, {settings.follow} steps deep"
    yield f"  budget     {lines.speed(settings.rate)}, of that {100 * settings.source_share:g}% for sitemaps and feeds"
    if settings.rate is not None:
        yield f"             {settings.rate * 86_400:,.0f} requests a day"
    each = (
        f"{settings.max_in_flight} at a time to one host" if settings.max_in_flight > 1 else "one at a time to a host"
    )
    yield f"  politeness {settings.gap:g} s between requests to one host, {each}, robots.txt obeyed"
    yield f"  called     {settings.agent}"
    yield f"  changes    compared by {settings.compare}" + (
        f", and posted or given to {settings.on_change}" if settings.on_change else ""
    )
    if settings.data is not None:
        yield f"  kept in    {settings.data}: {_there(Path(settings.data))}"
    if settings.warc is not None:
        yield f"  WARC files {settings.warc}"
    if settings.serve is not None:
        yield f"  dashboard  http://{settings.serve}"
    if settings.listen is not None:
        yield f"  listens    {settings.listen}" + (f", as {settings.public_url}" if settings.public_url else "")
    if settings.once:
        yield "  ends       when every page was fetched once"


def _there(folder: Path) -> str:
    if (folder / FRONTIER).is_dir():
        size = sum(os.path.getsize(path) for path in folder.rglob("*") if path.is_file())
        return f"goes on with what is there ({lines.size(size)})"
    return f"new; gets {FRONTIER}, {CHANGES} and {STATUS}"
