"""A comparison of policies as text, JSON and columns."""

import json
import math
from collections.abc import Sequence

from recrawl.cli.numbers import rate_text
from recrawl.cli.simulate.runs import Setting
from recrawl.sim import Comparison


def show(result: Comparison, setting: Setting, source: str, pages: int, *, as_json: bool) -> None:
    """Print the comparison to stdout."""
    if as_json:
        print(_json(result, setting, source, pages))
        return
    for line in as_text(result, setting, source, pages):
        print(line)


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


def as_text(result: Comparison, setting: Setting, source: str, pages: int) -> list[str]:
    """The setting, then a line a policy."""
    worlds = "a trace" if setting.trace is not None else f"{len(result.seeds)} (seeds {_seeds(result)})"
    table = columns(result)
    traced = any(value is not None for value in table["accuracy"])
    heads = ["freshness", f"to {result.policies[0]}", "of optimum", "no change"] + ["accuracy"] * traced
    lines = [
        f"pages       {pages:,} ({source})",
        f"crawl rate  {rate_text(setting.rate)} per unit of time",
        f"time        {rate_text(setting.horizon)} units, measured from {rate_text(setting.measured_from)} on",
        f"worlds      {worlds}",
        f"optimum     {result.optimum.mean():.4f}",
        "",
        f"{'policy':<16}" + "".join(f"{head:>20}" for head in heads),
    ]
    for row, name in enumerate(result.policies):
        cells = [
            _with_error(table, "freshness", row, "{:.4f}", "{:.4f}"),
            _with_error(table, "difference", row, "{:+.4f}", "{:.4f}") if row else "",
            f"{table['share_of_optimum'][row]:.1%}",
            f"{table['redundant_share'][row]:.1%}",
        ]
        if traced:
            cells.append(f"{table['accuracy'][row]:.4f}")
        lines.append(f"{name:<16}" + "".join(f"{cell:>20}" for cell in cells))
    return [*lines, "", *_notes(setting)]


def _with_error(table: dict[str, Sequence[object]], key: str, row: int, mean: str, error: str) -> str:
    spread = table[f"{key}_standard_error"][row]
    shown = mean.format(table[key][row])
    return shown if spread is None else f"{shown} ± {error.format(spread)}"


def _seeds(result: Comparison) -> str:
    first, last = result.seeds[0], result.seeds[-1]
    return str(first) if first == last else f"{first} to {last}"


def _notes(setting: Setting) -> list[str]:
    notes = [
        "freshness: share of the time a copy is fresh, weighted by importance; no change: crawls that found none",
    ]
    if setting.repetitions > 1:
        notes.append("±: standard error over the worlds; differences are taken world by world")
    if setting.trace is not None:
        notes.append("the optimum is that of the rates in the pages file; the trace may have others, and luck")
    return [f"note: {note}" for note in notes]


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
