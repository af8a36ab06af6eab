"""Runs figures one after the other and writes what they say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recrawl import clock
from recrawl.paper import catalogue
from recrawl.paper.report import document, plots
from recrawl.paper.report.document import Section
from recrawl.paper.report.provenance import provenance
from recrawl.paper.settings import Settings


@dataclass(frozen=True)
class Watcher:
    """Told when a figure begins and when it is done."""

    begin: Callable[[str], None]
    done: Callable[[Section], None]


def reproduce(names: Sequence[str], settings: Settings, folder: Path, command: str, watcher: Watcher) -> list[Section]:
    """Run the named figures into ``folder``: NAME.csv and NAME.png each, then report.md and report.html.

    A figure's files are written as soon as it is done, so that an interrupted run leaves what it finished.
    """
    for name in names:
        catalogue.check(name)
    plots.require()
    origin = provenance(command, settings.seed)  # before the run: the clone may move on meanwhile
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for name in names:
        watcher.begin(name)
        part = run_one(name, settings)
        document.write_section(folder, part)
        watcher.done(part)
        parts.append(part)
    document.write(folder, origin, parts)
    return parts


def run_one(name: str, settings: Settings) -> Section:
    """Run and draw one figure, with the time it took."""
    figure = catalogue.get(name)
    begun = clock.seconds()
    result = figure.run(settings)
    return document.section(name, figure.TITLE, figure.PAPER, result, clock.seconds() - begun)
