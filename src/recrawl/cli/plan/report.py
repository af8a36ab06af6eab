"""A plan as text for people and as JSON for programs."""

import json
import sys

import numpy as np

from recrawl.cli import layout
from recrawl.cli.numbers import rate_text
from recrawl.cli.plan.drawing import draw
from recrawl.optimal.plan import SAMPLE_SEED, Plan


def show(plan: Plan, source: str, notes: list[str]) -> None:
    """Print the plan to stdout; the drawing fits the terminal (80 columns where there is none)."""
    encoding = sys.stdout.encoding or "ascii"
    width = layout.columns()
    lines = as_text(plan, source, width)
    if plan.curve:
        lines += ["", *draw(plan.curve, width, ascii_only=not encoding.lower().startswith("utf"))]
    lines += layout.notes(_sample_note(plan) + notes, width)
    for line in lines:
        print(line.encode(encoding, "replace").decode(encoding))  # a path may hold what the terminal cannot show


def as_text(plan: Plan, source: str, width: int = 80) -> list[str]:
    """The numbers, in lines that fit the width."""
    without, with_signals = plan.without_signals, plan.with_signals
    rows = [
        ("pages", f"{len(plan.pages):,} ({source})"),
        ("summed change rate", f"{rate_text(float(plan.pages.change_rate.sum()))} per unit of time"),
        ("crawl rate", f"{rate_text(plan.rate)} per unit of time"),
    ]
    if plan.floor:
        rows.append(("floor", f"{rate_text(plan.floor)} per page and unit of time"))
    both = [
        ["best freshness", f"{without.freshness:.4f}", f"{with_signals.freshness:.4f}"],
        ["pages that get nothing", f"{_abandoned(without.rates):,}", f"{_abandoned(with_signals.rates):,}"],
    ]
    return [
        *layout.pairs(rows, width),
        "",
        *layout.table(["", "without signals", "with signals"], both, width),
        "",
        *layout.lines(_saving(plan), width, indent=""),
    ]


def as_json(plan: Plan, source: str) -> str:
    """The same as one JSON object."""
    without, with_signals = plan.without_signals, plan.with_signals
    answer: dict[str, object] = {
        "source": source,
        "pages": len(plan.pages),
        "change_rate": float(plan.pages.change_rate.sum()),
        "rate": plan.rate,
        "floor": plan.floor,
        "freshness": {"without_signals": without.freshness, "with_signals": with_signals.freshness},
        "pages_that_get_nothing": {
            "without_signals": _abandoned(without.rates),
            "with_signals": _abandoned(with_signals.rates),
        },
        "equal_rate": plan.equal_rate,
        "saved": plan.saved,
        "sampled_pages": plan.sampled,
    }
    if plan.curve:
        answer["curve"] = {
            "rate": plan.curve.rates.tolist(),
            "without_signals": plan.curve.without_signals.tolist(),
            "with_signals": plan.curve.with_signals.tolist(),
        }
    return json.dumps(answer, indent=2)


def _abandoned(rates: np.ndarray) -> int:
    return int(np.count_nonzero(rates == 0.0))


def _saving(plan: Plan) -> str:
    if plan.saved < 5e-4:
        return "The signals save no crawls here."
    return (
        f"The signals save {plan.saved:.1%} of the crawls: with them a rate of {rate_text(plan.equal_rate)} "
        f"is as fresh as {rate_text(plan.rate)} without."
    )


def _sample_note(plan: Plan) -> list[str]:
    if plan.sampled is None:
        return []
    what = "the saving and the curve come" if plan.curve else "the saving comes"
    return [f"{what} from a random sample of {plan.sampled:,} pages (seed {SAMPLE_SEED})"]
