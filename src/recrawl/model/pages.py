"""What is known about the pages: four columns, checked once, read everywhere."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import column
from recrawl.errors import InputError

Column = NDArray[np.float64]


class Pages:
    """Change, signal and importance parameters of m pages, as four read-only float64 columns.

    ==================== ====== =======================================================================
    `unsignalled_rate`   alpha  changes per unit time that nobody tells us about; 0 when recall is 1
    `signal_weight`      kappa  log-staleness one signal adds; 0: signals are pure noise, inf: never false
    `signal_rate`        gamma  signals per unit time, true and false; 0 when there are none
    `importance`         mu     request rate, or any weight
    ==================== ====== =======================================================================

    Scalars broadcast to the longest column.  Most callers know rates or signal quality instead:
    see `from_rates` and `from_quality`.

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0], importance=1.0, recall=[0.0, 0.5], false_signal_rate=0.25)
    >>> len(pages), pages.change_rate.tolist(), pages.precision.round(6).tolist()
    (2, [1.0, 2.0], [0.0, 0.8])
    """

    __slots__ = ("importance", "signal_rate", "signal_weight", "unsignalled_rate")

    unsignalled_rate: Column
    signal_weight: Column
    signal_rate: Column
    importance: Column

    def __init__(
        self,
        unsignalled_rate: ArrayLike,
        signal_weight: ArrayLike,
        signal_rate: ArrayLike,
        importance: ArrayLike,
    ) -> None:
        columns = _columns(
            unsignalled_rate=unsignalled_rate,
            signal_weight=signal_weight,
            signal_rate=signal_rate,
            importance=importance,
        )
        _check_rate("unsignalled_rate", columns[0])
        _check(
            "signal_weight",
            columns[1],
            columns[1] >= 0.0,
            "be >= 0 (inf where no signal is false)",
            "it is log(gamma/nu)",
        )
        _check_rate("signal_rate", columns[2])
        with np.errstate(over="ignore"):
            _check_rate("signal_rate", columns[0] + columns[2])
        _check_rate("importance", columns[3])
        self._set(columns)

    def _set(self, columns: Sequence[Column]) -> None:
        self.unsignalled_rate, self.signal_weight, self.signal_rate, self.importance = columns
        for one in columns:
            one.flags.writeable = False

    @classmethod
    def trusted(cls, columns: Sequence[Column]) -> Self:
        """Columns that came out of checked ones."""
        pages = cls.__new__(cls)
        pages._set(columns)
        return pages

    @classmethod
    def from_rates(
        cls,
        change_rate: ArrayLike,
        importance: ArrayLike,
        recall: ArrayLike = 0.0,
        false_signal_rate: ArrayLike = 0.0,
    ) -> Self:
        """Pages from the paper's Delta, mu, lambda and nu.

        >>> Pages.from_rates(1.0, 1.0, recall=[0.5, 1.0], false_signal_rate=0.0).signal_weight.tolist()
        [inf, inf]
        """
        delta, mu, lam, nu = _columns(
            change_rate=change_rate, importance=importance, recall=recall, false_signal_rate=false_signal_rate
        )
        _check_rate("change_rate", delta)
        _check_rate("importance", mu)
        _check_share("recall", lam)
        _check_rate("false_signal_rate", nu)
        true = lam * delta
        with np.errstate(over="ignore"):
            _check("false_signal_rate", nu, true + nu < np.inf, "not be so large that the signal rate overflows", "")
        with np.errstate(divide="ignore", over="ignore"):
            # 0/0 (no signals at all) is given weight 0
            kappa = np.log1p(np.divide(true, nu, out=np.zeros_like(true), where=true > 0.0))
        return cls.trusted(((1.0 - lam) * delta, kappa, true + nu, mu))

    @classmethod
    def from_quality(
        cls, change_rate: ArrayLike, importance: ArrayLike, precision: ArrayLike, recall: ArrayLike
    ) -> Self:
        """Pages from the share of signals that are true (precision) and of changes that are signalled (recall).

        Recall 0 means no signals, whatever the precision; recall above 0 with precision 0 is refused.

        >>> pages = Pages.from_quality(change_rate=2.0, importance=1.0, precision=0.8, recall=0.5)
        >>> round(pages.false_signal_rate.item(), 12)
        0.25
        """
        delta, mu, pi, lam = _columns(
            change_rate=change_rate, importance=importance, precision=precision, recall=recall
        )
        _check_rate("change_rate", delta)
        _check_rate("importance", mu)
        _check_share("precision", pi)
        _check_share("recall", lam)
        _check(
            "precision",
            pi,
            (pi > 0.0) | (lam == 0.0),
            "be > 0 where recall > 0",
            "signals of which none is true cannot announce a change",
        )
        with np.errstate(divide="ignore", over="ignore"):
            kappa = np.where(lam > 0.0, -np.log1p(-pi), 0.0)
            gamma = np.divide(lam * delta, pi, out=np.zeros_like(pi), where=lam > 0.0)
        _check("precision", pi, gamma < np.inf, "not be so small that the signal rate overflows", "")
        return cls.trusted(((1.0 - lam) * delta, kappa, gamma, mu))

    def __len__(self) -> int:
        return len(self.importance)

    def __getitem__(self, index: Any) -> Self:
        """The pages at an index, slice, mask or array of indices, as Pages."""
        try:
            columns = [np.atleast_1d(column[index]).copy() for column in self.columns]
        except IndexError as error:
            raise IndexError(f"no such page: {error}; there are {len(self)} pages") from None
        if columns[0].ndim != 1:
            raise IndexError(f"pages have one dimension, got the index {index!r:.80}")
        return self.trusted(columns)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={np.array2string(column, threshold=4, edgeitems=2, precision=4)}"
            for name, column in zip(_NAMES, self.columns, strict=True)
        )
        return f"Pages({shown})"

    def without_signals(self) -> Self:
        """The same pages with their signals unheard: every change goes unannounced, alpha := Delta."""
        silent = np.zeros(len(self))
        return self.trusted((self.change_rate, silent, silent.copy(), self.importance))

    @property
    def columns(self) -> tuple[Column, Column, Column, Column]:
        """alpha, kappa, gamma, mu: the order the kernels take."""
        return self.unsignalled_rate, self.signal_weight, self.signal_rate, self.importance

    @property
    def change_rate(self) -> Column:
        """Delta = alpha + gamma (1 - e^-kappa)."""
        return self.unsignalled_rate - self.signal_rate * np.expm1(-self.signal_weight)

    @property
    def false_signal_rate(self) -> Column:
        """nu = gamma e^-kappa."""
        return self.signal_rate * np.exp(-self.signal_weight)

    @property
    def precision(self) -> Column:
        """1 - e^-kappa, the share of signals that are true (0 where there are none)."""
        return np.where(self.signal_rate > 0.0, -np.expm1(-self.signal_weight), 0.0)

    @property
    def recall(self) -> Column:
        """gamma (1 - e^-kappa)/Delta, the share of changes that are signalled (0 where nothing changes)."""
        true = -self.signal_rate * np.expm1(-self.signal_weight)
        return np.divide(true, self.change_rate, out=np.zeros_like(true), where=true > 0.0)


def some_pages(pages: object) -> Pages:
    """The pages, refused where they are something else."""
    if not isinstance(pages, Pages):
        message = f"pages must be Pages, got {pages!r:.80}; see Pages.from_rates and Pages.from_quality"
        raise InputError(message, argument="pages")
    return pages


_NAMES = ("unsignalled_rate", "signal_weight", "signal_rate", "importance")


def _columns(**given: ArrayLike) -> list[Column]:
    """Float64 columns of one common length, freshly allocated."""
    columns = {name: column(name, values) for name, values in given.items()}
    length = max((len(c) for c in columns.values() if c.ndim), default=1)
    for name, c in columns.items():
        if c.ndim and len(c) not in (1, length):
            longest = next(n for n, other in columns.items() if other.ndim and len(other) == length)
            raise InputError(
                f"{name} must have as many rows as {longest}, got {len(c)} and {length}; scalars broadcast",
                argument=name,
            )
    if any(c.ndim and len(c) == 0 for c in columns.values()):
        length = 0
    return [np.array(np.broadcast_to(c, (length,))) for c in columns.values()]


def _check(name: str, values: Column, good: NDArray[np.bool_], rule: str, remedy: str) -> None:
    bad = np.flatnonzero(~good)
    if bad.size:
        row = int(bad[0])
        more = f" (and {bad.size - 1} more rows)" if bad.size > 1 else ""
        tail = f"; {remedy}" if remedy else ""
        raise InputError(f"{name} must {rule}, got {values[row]} in row {row}{more}{tail}", argument=name, row=row)


def _check_rate(name: str, values: Column) -> None:
    _check(name, values, (values >= 0.0) & (values < np.inf), "be finite and >= 0", "")


def _check_share(name: str, values: Column) -> None:
    percent = bool(np.nanmax(values, initial=0.0) > 1.0)
    remedy = "if you meant a percentage, divide by 100" if percent else ""
    _check(name, values, (values >= 0.0) & (values <= 1.0), "be in [0, 1]", remedy)
