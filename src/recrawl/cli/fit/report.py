"""What a fit found, as text for people and as JSON for programs."""

import json
import sys

import numpy as np

from recrawl.cli import layout
from recrawl.cli.fit import by_source as fit_by_source
from recrawl.cli.numbers import rate_text
from recrawl.learn import Calibration, Latency, LogFile, PageFits

GROUPS_SHOWN = 10

_HEAD = ["", "pages", "crawls", "changed", "change rate", "precision", "recall"]


def show(file: LogFile, fitted: PageFits, checked: Calibration | None, source: str, notes: list[str]) -> None:
    """Print to stdout, in lines that fit the terminal."""
    encoding = sys.stdout.encoding or "ascii"
    width = layout.columns()
    for line in as_text(file, fitted, checked, source, width) + layout.notes(notes, width):
        print(line.encode(encoding, "replace").decode(encoding))  # a page may hold what the terminal cannot show


def as_text(file: LogFile, fitted: PageFits, checked: Calibration | None, source: str, width: int = 80) -> list[str]:
    """The numbers, in lines that fit the width."""
    log = file.log
    never = int(np.sum((fitted.changes == 0) & (fitted.crawls > 0)))
    time, unit = rate_text(float(log.elapsed.sum())), "days" if file.dated else "units of time"
    always = int(np.sum((fitted.changes == fitted.crawls) & (fitted.crawls > 0)))
    in_log = f", of {file.signals:,} in the log" if file.signals else ""
    rows = [
        ("log", f"{file.rows:,} rows ({source}), {len(file.malformed):,} left out"),
        ("pages", f"{len(log.names):,}: {never:,} never seen to change, {always:,} at every crawl"),
        ("crawls", f"{file.crawls:,}, of them {log.first_visits:,} first visits, {log.unknown:,} not compared"),
        ("intervals", f"{len(log):,} over {time} {unit}, {float(log.changed.mean()):.1%} changed"),
        ("signals", f"{float(log.signals.sum()):,.0f} between crawls{in_log}"),
        *_latency(file),
    ]
    lines = [
        *layout.pairs(rows, width),
        "",
        *layout.table(_HEAD, _groups(fitted), width),
        *_more_groups(fitted),
        *layout.lines(f"(change rate: changes of a page per {'day' if file.dated else 'unit of time'})", width),
        "",
        *fit_by_source.as_lines(file, width),
    ]
    if not fitted.converged:
        moving = (
            "what pages have in common was still moving when the fit stopped. Where pages are all alike that is "
            "harmless; else estimates of pages with few crawls are rough: see whether the chances below are met, and "
            "fit a longer log"
        ) + (", or group by something with fewer values than --by has" if len(fitted.groups) > 1 else "")
        lines += layout.notes([moving], width)
    return lines + (_calibration(checked, width) if checked else [])


def as_json(file: LogFile, fitted: PageFits, checked: Calibration | None, source: str) -> str:
    """The same as one JSON object."""
    answer: dict[str, object] = {
        "source": source,
        "rows": file.rows,
        "malformed": dict(file.malformed.reasons),
        "pages": len(fitted.names),
        "crawls": file.crawls,
        "first_visits": file.log.first_visits,
        "not_compared": file.log.unknown,
        "intervals": len(file.log),
        "changed": float(file.log.changed.mean()),
        "signals": float(file.log.signals.sum()),
        "time_unit": "day" if file.dated else "that of the log",
        "converged": fitted.converged,
        "groups": {name: _quality(fitted, fitted.group == k) for k, name in enumerate(fitted.groups)},
    }
    if file.latency is not None:
        answer["latency"] = {"signals": len(file.latency.values), **_lateness(file.latency)}
    answer |= fit_by_source.as_fields(file)
    if checked:
        answer["calibration"] = {name: column.tolist() for name, column in checked._asdict().items()}
    return json.dumps(answer, indent=2)


def _lateness(late: Latency) -> dict[str, float]:
    low, high = late.mean_interval()
    median, most = late.quantile([0.5, 0.9]).tolist()
    return {"mean": late.mean, "mean_low": low, "mean_high": high, "median": median, "nine_in_ten": most}


def _latency(file: LogFile) -> list[tuple[str, str]]:
    if file.latency is None:
        return []
    q = _lateness(file.latency)
    shares = f"half within {q['median']:.4g}, nine in ten within {q['nine_in_ten']:.4g}"
    mean = f"mean {q['mean']:.4g} ({q['mean_low']:.4g} to {q['mean_high']:.4g})"
    unit = "days" if file.dated else "units of time"
    return [("latency", f"{mean}, {shares} {unit}; of {len(file.latency.values):,} signals")]


def _quality(fitted: PageFits, chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> dict[str, float | None]:
    """Of a set of pages together: per page, per signal and per change; None where there is none of that kind."""
    pages = fitted.pages[chosen]
    true = float((pages.signal_rate - pages.false_signal_rate).sum())
    heard, change = float(pages.signal_rate.sum()), float(pages.change_rate.sum())
    crawls = int(fitted.crawls[chosen].sum())
    return {
        "pages": len(pages),
        "crawls": crawls,
        "changed": float(fitted.changes[chosen].sum()) / crawls if crawls else None,
        "change_rate": change / len(pages),
        "precision": true / heard if heard > 0.0 else None,
        "recall": true / change if change > 0.0 else None,
    }


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _groups(fitted: PageFits) -> list[list[str]]:
    """All pages together, and the largest groups, a row of cells each."""
    rows = [("all", _quality(fitted, np.ones(len(fitted.names), dtype=np.bool_)))]
    if len(fitted.groups) > 1:
        size = np.bincount(fitted.group, minlength=len(fitted.groups))
        largest = np.argsort(-size, kind="stable")[:GROUPS_SHOWN]
        rows += [(fitted.groups[k], _quality(fitted, fitted.group == k)) for k in largest]
    return [
        [
            name[:23],
            f"{q['pages']:,}",
            f"{q['crawls']:,}",
            _or_dash(q["changed"], ".1%"),
            f"{q['change_rate']:.4g}",
            _or_dash(q["precision"], ".3f"),
            _or_dash(q["recall"], ".3f"),
        ]
        for name, q in rows
    ]


def _more_groups(fitted: PageFits) -> list[str]:
    rest = len(fitted.groups) - GROUPS_SHOWN
    return [f"and {rest:,} smaller groups"] if rest > 0 else []


def _calibration(checked: Calibration, width: int) -> list[str]:
    rows = [
        [f"{predicted:.1%}", f"{observed:.1%}", f"{low:.1%} to {high:.1%}", f"{count:,.0f}"]
        for predicted, observed, low, high, count in zip(*checked, strict=True)
    ]
    return [
        *layout.lines("chance of a change, predicted for each half of the crawls from the other half:", width),
        *layout.table(["predicted", "observed", "95% interval", "intervals"], rows, width),
    ]
