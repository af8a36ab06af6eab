"""The crawl value of one page with weak, noisy signals, beside its 1-, 2- and 3-term approximations.

    python docs/figures/value_figure.py

writes docs/figures/value.png.  Needs matplotlib: pip install 'recrawl[plot]'.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import recrawl

CHANGE_RATE, RECALL, FALSE_SIGNAL_RATE = 1.0, 0.3, 0.6
PAGE = recrawl.Pages.from_rates(CHANGE_RATE, importance=1.0, recall=RECALL, false_signal_rate=FALSE_SIGNAL_RATE)
LIMIT = recrawl.crawl_value(PAGE, np.inf).item()
TERMS = {1: "#d55e00", 2: "#009e73", 3: "#0072b2"}  # colours that stay apart for the colour-blind
STALENESS = np.linspace(0.0, 9.0, 9001)[1:]


def relative_value(x: np.ndarray | float, terms: int = 0) -> np.ndarray:
    """V(x)/V(inf), or that of the first `terms` terms."""
    return recrawl.crawl_value(PAGE, np.atleast_1d(x)[:, None], terms=terms)[:, 0] / LIMIT


def draw_values(axes: Axes) -> None:
    """The values, and the heights at which they end."""
    axes.plot(STALENESS, relative_value(STALENESS), color="black", lw=2.2, label="exact")
    for terms, colour in TERMS.items():
        end = relative_value(np.inf, terms).item()
        axes.plot(STALENESS, relative_value(STALENESS, terms), color=colour, lw=1.8, ls="--", label=_name(terms))
        axes.axhline(end, color=colour, lw=0.8, alpha=0.5)
        axes.text(0.15, end + 0.008, f"ends at {end:.3f}", color=colour, fontsize=9)
    axes.axhline(1.0, color="black", lw=0.8, alpha=0.5)
    axes.set(ylabel="V(x) / V(∞)", xlim=(0.0, STALENESS[-1]), ylim=(0.0, 1.06))
    axes.legend(loc="lower right", frameon=False)


def draw_errors(axes: Axes) -> None:
    """What each approximation leaves out, as a share of the exact value."""
    exact = relative_value(STALENESS)
    weight = PAGE.signal_weight.item()
    for terms, colour in TERMS.items():
        error = 1.0 - relative_value(STALENESS, terms) / exact
        from_here = np.flatnonzero(terms * weight < STALENESS)  # before that nothing is left out
        axes.semilogy(STALENESS[from_here], error[from_here], color=colour, lw=1.8, ls="--", label=_name(terms))
        axes.axvline(terms * weight, color=colour, lw=0.8, alpha=0.5)
    axes.set(ylabel="missing share of V(x)", xlim=(0.0, STALENESS[-1]), ylim=(1e-7, 1.0))
    axes.text(2.2, 2e-6, "J terms are exact up to x = Jκ\n(thin lines)", fontsize=9, color="0.3")
    axes.legend(loc="lower right", frameon=False)


def _name(terms: int) -> str:
    return "1 term" if terms == 1 else f"{terms} terms"


def main() -> None:
    """Draw both panels into value.png."""
    mpl.use("Agg")
    figure, (left, right) = plt.subplots(1, 2, figsize=(12.0, 5.0), layout="constrained")
    draw_values(left)
    draw_errors(right)
    for axes in (left, right):
        axes.set_xlabel(f"staleness x   (one signal adds κ = {PAGE.signal_weight.item():.3f})")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"Crawl value of a page with change rate {CHANGE_RATE:g}, recall {RECALL:g} "
        f"and {FALSE_SIGNAL_RATE:g} false signals per unit of time"
    )
    figure.savefig(Path(__file__).parent / "value.png", dpi=100)


if __name__ == "__main__":
    main()
