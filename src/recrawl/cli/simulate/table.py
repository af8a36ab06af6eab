"""A comparison of policies as text, JSON and columns."""

import json
import math
import sys
from collections.abc import Sequence

from recrawl.cli import layout
from recrawl.cli.numbers import rate_text
from recrawl.cli.simulate.runs import Setting
from recrawl.sim import Comparison


def show(result: Comparison, setting: Setting, source: str, pages: int, *, as_json: bool) -> None:
    """Print the comparison to stdout."""
    if as_json:
        print(_json(result, setting, source, pages))
        return
    encoding = sys.stdout.encoding or "ascii"
    for line in as_text(result, setting, source, pages, layout.columns()):
        print(line.encode(encoding, "replace").decode(encoding))  # a path may hold what the terminal cannot show


def columns(result: Comparison) -> dict[str, Sequence[object]]:
    """One row a policy; the difference is to the first, and a standard error is None where there was one world only."""
    first = result.policies[0]
    table: dict[str, list[object]] = {"policy": [], "repetitions": []}
    for name in result.policies:
        table["policy"].append(name)
        table["repetitions"].append(len(result.seeds))
        for key, estimate in (
            ("freshness", result.of(name)),
            ("difference", result.difference(name, first)),
            ("share_of_optimum", result.share_of_optimum(name)),
            ("accuracy", result.accuracy_of(name)),
            ("redundant_share", result.redundant_share(name)),
        ):
            table.setdefault(key, []).append(_known(estimate.mean))
            table.setdefault(f"{key}_standard_error", []).append(_known(estimate.standard_error))
    return dict(table)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def as_text(result: Comparison, setting: Setting, source: str, pages: int, width: int) -> list[str]:
    """The setting, then a line a policy; in a narrow terminal a few lines each."""
    rows = [
        ("pages", f"{pages:,} ({source})"),
        ("crawl rate", f"{rate_text(setting.rate)} per unit of time"),
        ("time", f"{rate_text(setting.horizon)} units, measured from {rate_text(setting.measured_from)} on"),
        ("worlds", _worlds(result, setting)),
        ("optimum", f"{result.optimum.mean():.4f}"),
    ]
    return [
        *layout.pairs(rows, width),
        "",
        *layout.table(*_table(result), width),
        "",
        *layout.notes(_notes(setting) + _short(result), width),
    ]


def _table(result: Comparison) -> tuple[list[str], list[list[str]]]:
    """Headings and cells."""
    table = columns(result)
    traced = any(value is not None for value in table["accuracy"])
    heads = ["policy", "freshness", f"to {result.policies[0]}", "of optimum", "no change"] + ["accuracy"] * traced
    rows = []
    for row, name in enumerate(result.policies):
        cells = [
            name,
            _with_error(table, "freshness", row, "{:.4f}", "{:.4f}"),
            _with_error(table, "difference", row, "{:+.4f}", "{:.4f}") if row else "",
            f"{table['share_of_optimum'][row]:.1%}",
            f"{table['redundant_share'][row]:.1%}",
        ]
        rows.append([*cells, f"{table['accuracy'][row]:.4f}"] if traced else cells)
    if len(rows) == 1:  # nothing to compare with
        del heads[2], rows[0][2]
    return heads, rows


def _with_error(table: dict[str, Sequence[object]], key: str, row: int, mean: str, error: str) -> str:
    spread = table[f"{key}_standard_error"][row]
    shown = mean.format(table[key][row])
    return shown if spread is None else f"{shown} ± {error.format(spread)}"


def _worlds(result: Comparison, setting: Setting) -> str:
    """How many worlds, and how to get them again."""
    first, last = result.seeds[0], result.seeds[-1]
    if setting.trace is not None:
        return "one, the trace"
    return f"one, seed {first}" if first == last else f"{len(result.seeds)}, seeds {first} to {last}"


def _short(result: Comparison) -> list[str]:
    """A word on runs that end before the start is forgotten."""
    shares = [float(str(share)) for share in columns(result)["share_of_optimum"]]
    if max(shares) <= 1.02:
        return []
    return [
        "more than the optimum: all copies are fresh at time 0, and this run is too short to forget it; raise --horizon"
    ]


def _notes(setting: Setting) -> list[str]:
    notes = [
        "freshness is the share of the time a copy is fresh, weighted by importance",
        "'no change' is the share of the crawls that found none",
    ]
    if setting.repetitions > 1:
        notes.append("± is the standard error over the worlds; differences are taken world by world")
    if setting.trace is not None:
        notes.append("the optimum is that of the rates in the pages file; the trace may have others, and luck")
    return notes


def _json(result: Comparison, setting: Setting, source: str, pages: int) -> str:
    table = columns(result)
    answer = {
        "source": source,
        "pages": pages,
        "rate": setting.rate,
        "horizon": setting.horizon,
        "warmup": setting.measured_from,
        "seeds": list(result.seeds),
        "optimum": float(result.optimum.mean()),
        "policies": [{key: values[row] for key, values in table.items()} for row in range(len(result.policies))],
    }
    return json.dumps(answer, indent=2)
