"""A comparison of policies as a picture."""

from recrawl.cli import picture
from recrawl.cli.numbers import rate_text
from recrawl.cli.simulate.runs import Setting
from recrawl.sim import Comparison

# Okabe and Ito's blue and vermilion: told apart by every kind of sight, and in grey print.
_POINT, _BEST = "#0072B2", "#D55E00"


def save(path: str, result: Comparison, setting: Setting) -> None:
    """Draw a point with its standard error for each policy, and the optimum as a line."""
    from matplotlib.figure import Figure  # no pyplot: it would look for a display and keep global state
    from matplotlib.ticker import PercentFormatter

    estimates = [result.of(name) for name in result.policies]
    several = len(result.seeds) > 1
    rows = range(len(estimates))
    figure = Figure(figsize=(7.0, 1.4 + 0.42 * len(estimates)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(float(result.optimum.mean()), color=_BEST, linestyle="--", linewidth=1.2, label="optimum")
    axes.errorbar(
        [estimate.mean for estimate in estimates],
        rows,
        xerr=[2.0 * estimate.standard_error for estimate in estimates] if several else None,
        fmt="o",
        color=_POINT,
        capsize=4,
        label="mean ± 2 standard errors" if several else "one world",
    )
    axes.set_yticks(rows, result.policies)
    axes.invert_yaxis()
    axes.margins(x=0.08, y=0.15)
    axes.xaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=None))
    axes.set_xlabel("freshness (share of time a copy is fresh, weighted by importance)")
    axes.set_title(f"Policies at {rate_text(setting.rate)} crawls per unit of time")
    axes.grid(alpha=0.25, axis="x")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    picture.save(path, figure)
