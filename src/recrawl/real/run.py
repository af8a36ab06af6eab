"""Runs all trials and writes what came out."""

from pathlib import Path

from recrawl import clock
from recrawl.paper.report import plots, table
from recrawl.paper.report.provenance import provenance
from recrawl.real import report
from recrawl.real.found import Found
from recrawl.real.settings import Settings
from recrawl.real.stage import stage
from recrawl.real.trials import Score, scores_of, trials
from recrawl.sim.workers import in_order

CSV = "real.csv"


def run(settings: Settings) -> Found:
    """All trials, in worker processes."""
    work = list(trials(settings))
    scores: list[Score] = []
    for part in in_order(scores_of, work, settings.workers, lambda done: settings.watch(done, len(work))):
        scores += part
    return Found(scores)


def reproduce(settings: Settings, folder: Path, command: str) -> Found:
    """Run everything into `folder`: real.csv, stale.png, bandwidth.png, report.md and report.html."""
    plots.require()
    origin = provenance(command, settings.seed)  # before the run: the clone may move on meanwhile
    for stem in settings.stems:
        stage(settings.setting(stem, False))  # a history that cannot be read says so before the first trial
    folder.mkdir(parents=True, exist_ok=True)
    begun = clock.seconds()
    found = run(settings)
    table.write(folder / CSV, found.rows())
    report.write(folder, origin, found, settings, clock.seconds() - begun)
    return found
