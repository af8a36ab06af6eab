"""Times the reading of a sitemap of 50,000 entries: all of it, its markup only, and with expat.

python tools/time_sitemap.py
"""

import tempfile
import time
from collections.abc import Callable, Iterator

from recrawl.histories.records import records
from recrawl.signals import sitemap
from recrawl.signals.encoding import decoded
from recrawl.signals.markup import events
from recrawl.signals.unpack import unpacked

ENTRY = (
    "<url><loc>https://example.org/some/longer/path/page-{}.html</loc><lastmod>2024-05-01T12:00:00+02:00</lastmod>"
    "<changefreq>daily</changefreq><priority>0.5</priority></url>"
)


def best(read: Callable[[], Iterator[object]]) -> float:
    """Seconds of CPU, the least of three."""
    took = []
    for _ in range(3):
        began = time.process_time()
        for _ in read():
            pass
        took.append(time.process_time() - began)
    return min(took)


def main() -> None:
    """Prints the three times."""
    data = f"<urlset>{''.join(map(ENTRY.format, range(50_000)))}</urlset>".encode()
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(data)
        file.flush()
        print(f"{len(data) / 1e6:.1f} MB")
        print(f"entries {best(lambda: sitemap.parse(data, 'https://example.org/sitemap.xml')):.2f} s")
        print(f"markup  {best(lambda: events(decoded(unpacked(data, len(data))))):.2f} s")
        print(f"expat   {best(lambda: records(file.name, ('url',))):.2f} s")


if __name__ == "__main__":
    main()
