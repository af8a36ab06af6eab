"""Pictures that commands draw: PNG, SVG or PDF by the suffix, written whole."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recrawl.errors import MissingExtraError
from recrawl.files import target
from recrawl.files.whole import whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")

# No dates inside: the same numbers give the same bytes.
_UNDATED: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def check_target(path: str, sources: Mapping[str, str | None]) -> None:
    """Refuse a path that ``save`` could not serve, before the work starts; ``sources`` are the files that are read."""
    target.check("--plot", path, SUFFIXES, sources)
    try:
        import matplotlib  # noqa: F401, ICN001
    except ImportError as error:
        raise MissingExtraError("drawing a plot", "plot") from error


def save(path: str, figure: "Figure") -> None:
    """Write a figure in the format its suffix names."""
    from matplotlib import rc_context

    kind = target.suffix(path).removeprefix(".")
    with whole(path) as file, rc_context({"svg.hashsalt": "recrawl"}):
        figure.savefig(file, dpi=150, format=kind, metadata=_UNDATED[kind])
