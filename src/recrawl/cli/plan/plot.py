"""The freshness-against-bandwidth curve as a picture."""

from typing import TYPE_CHECKING

from recrawl.cli import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from recrawl.optimal.curve import Curve

# Okabe and Ito's blue and vermilion: told apart by every kind of sight, and in grey print.
_WITH, _WITHOUT = "#0072B2", "#D55E00"

_CHARACTERS = 75  # the axis is as wide as this number of characters of its labels


def save(path: str, curve: "Curve") -> None:
    """Draw ``curve`` into a file."""
    # No pyplot: it would look for a display and keep global state.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.4), layout="constrained")
    axes = figure.add_subplot()
    _draw_lines(axes, curve)
    _scale(axes, curve)
    axes.set_xlabel("crawl rate (crawls per unit of time)")
    axes.set_ylabel("best freshness (weighted by importance)")
    axes.set_title("Freshness against bandwidth")
    axes.grid(alpha=0.25)
    axes.legend(loc="best")
    picture.save(path, figure)


def _draw_lines(axes: "Axes", curve: "Curve") -> None:
    """Both rows of values, each ringed at the chosen rate, which is named."""
    from recrawl.cli.numbers import rate_text

    axes.axvline(curve.rate, color="0.6", linestyle=":", linewidth=1.2)
    for values, colour, marker, label in (
        (curve.with_signals, _WITH, "o", "with signals"),
        (curve.without_signals, _WITHOUT, "s", "without signals"),
    ):
        axes.plot(curve.rates, values, color=colour, marker=marker, markersize=4, label=label)
        here = curve.between(values, curve.rate)
        axes.plot(curve.rate, here, color=colour, marker=marker, markersize=10, fillstyle="none")
    axes.annotate(
        f"chosen rate {rate_text(curve.rate)}",
        (curve.rate, 0.02),
        xycoords=("data", "axes fraction"),
        xytext=(5, 0),
        textcoords="offset points",
        color="0.35",
    )


def _scale(axes: "Axes", curve: "Curve") -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from recrawl.cli.numbers import percent_text, rate_text

    axes.set_xscale("log", base=2)
    axes.set_xticks(_ticks(curve.rate))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: rate_text(rate)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(curve.rates[0] * 0.95, curve.rates[-1] * 1.05)
    low, high = curve.span()
    margin = 0.05 * (high - low)
    axes.set_ylim(low - margin, high + margin)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: percent_text(share)))


def _ticks(rate: float) -> list[float]:
    """The rate and its doubles and halves: all, every other or every third, as many as have room for their labels.

    >>> _ticks(100.0)
    [12.5, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0]
    >>> _ticks(1e9)
    [250000000.0, 1000000000.0, 4000000000.0]
    """
    from recrawl.cli.numbers import rate_text

    ticks: list[float] = []
    for stride in (1, 2, 3):
        ticks = [rate * 2.0**k for k in range(-3, 4) if k % stride == 0]
        if sum(len(rate_text(tick)) + 2 for tick in ticks) <= _CHARACTERS:
            break
    return ticks
