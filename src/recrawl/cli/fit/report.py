"""What a fit found, as text for people and as JSON for programs."""

import json
import sys

import numpy as np

from recrawl.cli.fit import by_source as fit_by_source
from recrawl.cli.numbers import rate_text
from recrawl.learn import Calibration, Latency, LogFile, PageFits

GROUPS_SHOWN = 10

_HEAD = f"{'':<24}{'pages':>9}{'crawls':>9}{'changed':>9}{'change rate':>12}{'precision':>10}{'recall':>7}"


def show(file: LogFile, fitted: PageFits, checked: Calibration | None, source: str, notes: list[str]) -> None:
    """Print to stdout."""
    encoding = sys.stdout.encoding or "ascii"
    for line in as_text(file, fitted, checked, source) + [f"note: {note}" for note in notes]:
        print(line.encode(encoding, "replace").decode(encoding))  # a page may hold what the terminal cannot show


def as_text(file: LogFile, fitted: PageFits, checked: Calibration | None, source: str) -> list[str]:
    """The numbers, a line each."""
    log = file.log
    never = int(np.sum((fitted.changes == 0) & (fitted.crawls > 0)))
    time, unit = rate_text(float(log.elapsed.sum())), "days" if file.dated else "units of time"
    always = int(np.sum((fitted.changes == fitted.crawls) & (fitted.crawls > 0)))
    lines = [
        f"log                {file.rows:,} rows ({source}), {len(file.malformed):,} left out",
        f"pages              {len(log.names):,}: {never:,} never seen to change, {always:,} at every crawl",
        f"crawls             {file.crawls:,}, of them {log.first_visits:,} first visits, {log.unknown:,} not compared",
        f"intervals          {len(log):,} over {time} {unit}, {float(log.changed.mean()):.1%} changed",
        f"signals            {float(log.signals.sum()):,.0f} between crawls"
        + (f", of {file.signals:,} in the log" if file.signals else ""),
        *_latency(file),
        "",
        _HEAD,
        *_groups(fitted),
        f"(change rate: changes of a page per {'day' if file.dated else 'unit of time'})",
        "",
        *fit_by_source.as_lines(file),
    ]
    if not fitted.converged:
        lines.append(
            "note: what pages of a group have in common was still moving when the fit stopped; estimates of pages with "
            "few crawls are rough: a longer log, or a --by of fewer groups, settles them"
        )
    return lines + (_calibration(checked) if checked else [])


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


def _latency(file: LogFile) -> list[str]:
    if file.latency is None:
        return []
    q = _lateness(file.latency)
    shares = f"half within {q['median']:.4g}, nine in ten within {q['nine_in_ten']:.4g}"
    mean = f"mean {q['mean']:.4g} ({q['mean_low']:.4g} to {q['mean_high']:.4g})"
    unit = "days" if file.dated else "units of time"
    return [f"latency            {mean}, {shares} {unit}; of {len(file.latency.values):,} signals"]


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


def _groups(fitted: PageFits) -> list[str]:
    rows = [("all", _quality(fitted, np.ones(len(fitted.names), dtype=np.bool_)))]
    if len(fitted.groups) > 1:
        size = np.bincount(fitted.group, minlength=len(fitted.groups))
        largest = np.argsort(-size, kind="stable")[:GROUPS_SHOWN]
        rows += [(fitted.groups[k], _quality(fitted, fitted.group == k)) for k in largest]
    lines = [
        f"{name[:23]:<24}{q['pages']:>9,}{q['crawls']:>9,}{_or_dash(q['changed'], '.1%'):>9}"
        f"{q['change_rate']:>12.4g}{_or_dash(q['precision'], '.3f'):>10}{_or_dash(q['recall'], '.3f'):>7}"
        for name, q in rows
    ]
    if len(fitted.groups) > GROUPS_SHOWN:
        lines.append(f"and {len(fitted.groups) - GROUPS_SHOWN:,} smaller groups")
    return lines


def _calibration(checked: Calibration) -> list[str]:
    rows = [
        f"  {predicted:>9.1%}{observed:>10.1%}   ({low:.1%} to {high:.1%}){count:>10,.0f}"
        for predicted, observed, low, high, count in zip(*checked, strict=True)
    ]
    return [
        "chance of a change, predicted for each half of the crawls from the other half:",
        "  predicted  observed   (95% interval) intervals",
        *rows,
    ]
