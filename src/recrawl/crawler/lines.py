"""A status in words: for logs, for `recrawl status`, and for the view."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

from recrawl.crawler.status import Status


def log_line(status: Status) -> str:
    """One line of a log.

    >>> log_line(Status("running", now=0.0, pages=3, pages_new=1, fresh=0.5, rate=5.0, requests_a_second=2.0))
    '1970-01-01 00:00:00 running: 3 pages, 1 new, fresh 0.500, 2/s of 5/s, 0 changes, 0 hosts failing'
    """
    parts = [
        f"{status.pages:,} pages",
        f"{status.pages_new:,} new",
        f"fresh {share(status.fresh)}",
        f"{speed(status.requests_a_second)} of {speed(status.rate)}",
        f"{status.changes:,} changes",
        f"{status.failing_hosts:,} hosts failing",
    ]
    end = f" ({status.reason})" if status.reason else ""
    return f"{moment(status.now)} {status.state}{end}: {', '.join(parts)}"


def json_line(status: Status) -> str:
    """The whole status, as one line of JSON."""
    return json.dumps(asdict(status), separators=(",", ":"))


def facts(status: Status) -> list[tuple[str, str]]:
    """Names and what they are, one a line; what hooks and servers said moves no cursor and begins no other line."""
    return [(name, "".join(c if c.isprintable() else " " for c in text)) for name, text in _facts(status)]


def _facts(status: Status) -> list[tuple[str, str]]:
    waste = f", waste {share(status.waste)}" if status.waste is not None else ""
    rows = [
        ("state", status.state + (f": {status.reason}" if status.reason else "")),
        ("time", f"{moment(status.now)}, running for {stretch(status.up)}"),
        (
            "pages",
            f"{status.pages:,} on {status.hosts:,} hosts, {status.pages_new:,} unfetched, {status.pages_gone:,} gone",
        ),
        (
            "freshness",
            f"{share(status.fresh)} estimated" + (f" ± {status.fresh_error:.3f}" if status.fresh_error else ""),
        ),
        ("budget", f"{speed(status.requests_a_second)} of {speed(status.rate)}" + _used(status)),
        ("bandwidth", f"{size(status.bytes_a_second)}/s"),
        (
            "fetches",
            f"{status.under_way:,} under way, {status.waiting:,} waiting, {status.in_hand:,} to be handed over",
        ),
        ("changes", f"{status.changes:,} found, {status.wasted:,} fetches found none{waste}"),
        ("sources", _counted(status.sources) or "none yet"),
    ]
    if status.serves:
        rows.append(("dashboard", status.serves))
    if status.listens:
        rows.append(("listens", status.listens))
    rows += [(f"signals: {signal['name']}", _quality(signal)) for signal in status.signals]
    for group in ("requests", "outcomes", "told", "faults", "indexnow", "websub", "hooks", "mistakes"):
        if status.counts.get(group):
            rows.append((group, _counted(status.counts[group])))
    if status.failing_hosts:
        rows.append(("failing hosts", f"{status.failing_hosts:,}: {', '.join(h['host'] for h in status.failing)}"))
    return rows + [("note", note) for note in status.notes]


def share(value: float | None) -> str:
    """A share to three places, or a dash."""
    return "-" if value is None or value != value else f"{value:.3f}"


def speed(rate: float | None) -> str:
    """A rate in the unit that reads best.

    >>> speed(5.0), speed(0.02), speed(None)
    ('5/s', '1.2/min', 'no limit')
    """
    if rate is None:
        return "no limit"
    units = (("s", 1.0), ("min", 60.0), ("h", 3600.0), ("day", 86_400.0))
    unit, seconds = next((pair for pair in units if rate * pair[1] >= 1.0 or rate == 0.0), units[-1])
    return f"{rate * seconds:.3g}/{unit}"


def size(count: float) -> str:
    """Bytes in the unit that reads best.

    >>> size(999), size(123_456), size(5e9)
    ('999 B', '123 kB', '5.0 GB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000.0 or unit == "GB":
            break
        count /= 1000.0
    return f"{count:.1f} {unit}" if unit != "B" and count < 10.0 else f"{count:.0f} {unit}"


def stretch(seconds: float) -> str:
    """A stretch of time.

    >>> stretch(5.0), stretch(3700.0), stretch(200_000.0)
    ('5 s', '1 h 1 min', '2 d 7 h')
    """
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86_400)
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {int(seconds) % 60} s" if minutes else f"{seconds:.0f} s"


def moment(seconds: float) -> str:
    """A time in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _used(status: Status) -> str:
    return "" if status.used is None else f" ({100.0 * status.used:.0f}%)"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _quality(signal: dict[str, object]) -> str:
    precision, recall = signal.get("precision"), signal.get("recall")
    return f"{signal.get('signals', 0):,} heard, precision {_learned(precision)}, recall {_learned(recall)}"


def _learned(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else "not known yet"
