"""The report: one section a figure, as Markdown with files beside it and as one self-contained HTML page."""

import html
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recrawl.files.whole import whole, whole_text
from recrawl.paper.report import plots, table
from recrawl.paper.report.provenance import Provenance
from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check

TITLE = "The paper's experiments, run again"
ROWS_SHOWN = 30
ENOUGH_REPETITIONS = 10
FEW_WARNING = (
    f"Some figures have fewer than {ENOUGH_REPETITIONS} repetitions: there, a point that asks for significance is "
    "easily undecided for want of repetitions."
)

STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-size: 0.85rem; }
td, th { padding: 0.15rem 0.7rem; border-bottom: 1px solid #ddd; }
td { font-variant-numeric: tabular-nums; } th { text-align: left; } img { max-width: 100%; }
.word { font-weight: 600; } .claim { color: #555; }
.yes { color: #006d4f; } .no { color: #a33a00; } .open { color: #6b5900; }
details { margin: 0.5rem 0; }
"""

_COLOURS = {True: "yes", False: "no", None: "open"}


@dataclass(frozen=True)
class Section:
    """One figure that was run, with its picture and the seconds it took."""

    name: str
    title: str
    paper: str
    result: Result
    picture: bytes
    seconds: float


def section(name: str, title: str, paper: str, result: Result, seconds: float) -> Section:
    """Draw the result and check its table."""
    table.check(result.rows)
    return Section(name, title, paper, result, plots.png(result, title), seconds)


def write_section(folder: Path, part: Section) -> None:
    """The figure's own files: NAME.csv and NAME.png."""
    table.write(folder / f"{part.name}.csv", part.result.rows)
    with whole(folder / f"{part.name}.png") as file:
        file.write(part.picture)


def write(folder: Path, origin: Provenance, parts: Sequence[Section]) -> None:
    """The two reports over all sections."""
    for name, text in (("report.md", as_markdown(origin, parts)), ("report.html", as_html(origin, parts))):
        with whole_text(folder / name) as file:
            file.write(text)


def as_markdown(origin: Provenance, parts: Sequence[Section]) -> str:
    """The report with links to the files beside it."""
    warning = [FEW_WARNING, ""] if few(parts) else []
    lines = [
        f"# {TITLE}",
        "",
        *_origin_markdown(origin, parts),
        "",
        *warning,
        "| figure | verdict | time |",
        "|---|---|---|",
    ]
    lines += [f"| [{p.name}](#{p.name}): {p.title} | {p.result.verdict.word} | {duration(p.seconds)} |" for p in parts]
    for part in parts:
        lines += ["", *_section_markdown(part)]
    return "\n".join(lines) + "\n"


def few(parts: Sequence[Section]) -> bool:
    """Whether a sampled number rests on fewer than ten repetitions."""
    rows = [row for part in parts for row in part.result.rows]
    return any(float(row["repetitions"]) < ENOUGH_REPETITIONS and row["standard_error"] != 0.0 for row in rows)


def _origin_markdown(origin: Provenance, parts: Sequence[Section]) -> list[str]:
    lines = [f"- {name}: `{value}`" for name, value in origin.lines()]
    return [*lines, f"- time taken: {duration(sum(part.seconds for part in parts))}"]


def _section_markdown(part: Section) -> list[str]:
    result = part.result
    lines = [f"## {part.name}", "", f"**{part.title}.** {part.paper}", "", f"Run: {result.setting}", ""]
    lines += [f"Verdict: **{result.verdict.word}**", ""]
    lines += [f"- {_held(check)}: {check.claim}. {check.evidence}" for check in result.verdict.checks]
    lines += ["", f"![{part.title}]({part.name}.png)", ""]
    lines += [f"- Note: {note}" for note in result.notes] + ([""] if result.notes else [])
    lines += table.markdown(result.rows, ROWS_SHOWN)
    return [*lines, "", f"{_rows_left(result)}All rows: [{part.name}.csv]({part.name}.csv)."]


def _held(check: Check) -> str:
    return check.word if check.holds else f"**{check.word}**"


def _rows_left(result: Result) -> str:
    left = len(result.rows) - ROWS_SHOWN
    return f"{left:,} more rows. " if left > 0 else ""


def as_html(origin: Provenance, parts: Sequence[Section]) -> str:
    """The report in one file: pictures inside, nothing fetched."""
    facts = [*origin.lines(), ("time taken", duration(sum(part.seconds for part in parts)))]
    head = "".join(f"<tr><th>{_e(name)}</th><td><code>{_e(value)}</code></td></tr>" for name, value in facts)
    index = "".join(
        f'<tr><td><a href="#{p.name}">{p.name}</a></td><td>{_e(p.title)}</td>'
        f"<td>{_e(p.result.verdict.word)}</td><td>{duration(p.seconds)}</td></tr>"
        for p in parts
    )
    warning = f"<p>{_e(FEW_WARNING)}</p>" if few(parts) else ""
    body = "".join(_section_html(part) for part in parts)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title><style>{STYLE}</style>'
        f"</head><body><h1>{TITLE}</h1><table>{head}</table><h2>Verdicts</h2>{warning}"
        f"<table><tr><th>figure</th><th></th><th>verdict</th><th>time</th></tr>{index}</table>{body}</body></html>\n"
    )


def _section_html(part: Section) -> str:
    result = part.result
    checks = "".join(
        f'<li><span class="word {_COLOURS[c.holds]}">{c.word}</span>: {_e(c.claim)}. {_e(c.evidence)}</li>'
        for c in result.verdict.checks
    )
    notes = "".join(f"<li>{_e(note)}</li>" for note in result.notes)
    picture = b64encode(part.picture).decode("ascii")
    return (
        f'<h2 id="{part.name}">{part.name}: {_e(part.title)}</h2><p class="claim">{_e(part.paper)}</p>'
        f"<p>Run: {_e(result.setting)}</p>"
        f'<p>Verdict: <span class="word">{_e(result.verdict.word)}</span></p><ul>{checks}</ul>'
        f'<img alt="{_e(part.title)}" src="data:image/png;base64,{picture}">'
        + (f"<p>Notes</p><ul>{notes}</ul>" if notes else "")
        + f"<details><summary>Table, {len(result.rows):,} rows</summary>{_table_html(result)}</details>"
    )


def _table_html(result: Result) -> str:
    keys = [name for name in result.rows[0] if name not in table.LAST]
    head = "".join(f"<th>{_e(key.replace('_', ' '))}</th>" for key in [*keys, "mean ± standard error", "n"])
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{_e(cell)}</td>" for cell in [*(table.shown(row[k]) for k in keys), table.mean_text(row)])
        + f"<td>{row['repetitions']}</td></tr>"
        for row in result.rows
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(7.24), duration(754.0)
    ('7.2 s', '12 min 34 s')
    """
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def _e(text: str) -> str:
    return html.escape(text)
