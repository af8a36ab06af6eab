"""Counts of what happened, by name: outcomes, faults and what was heard."""

from collections import Counter, deque
from collections.abc import Mapping


class Counts:
    """Counters since the start, in groups: `add("fault", "timeout")`.

    >>> counts = Counts()
    >>> counts.add("fault", "timeout")
    >>> counts.add("fault", "dns", 2)
    >>> counts.group("fault")
    {'dns': 2, 'timeout': 1}
    """

    def __init__(self) -> None:
        self._groups: dict[str, Counter[str]] = {}

    def add(self, group: str, name: str, n: int = 1) -> None:
        """So many more."""
        if n:
            counter = self._groups.get(group)
            if counter is None:
                counter = self._groups[group] = Counter()
            counter[name] += n

    def get(self, group: str, name: str) -> int:
        """How many there were."""
        return self._groups.get(group, Counter())[name]

    def group(self, group: str) -> dict[str, int]:
        """All of a group, the most frequent first."""
        return dict(sorted(self._groups.get(group, {}).items(), key=lambda item: (-item[1], item[0])))

    def plain(self) -> Mapping[str, dict[str, int]]:
        """All groups."""
        return {group: self.group(group) for group in sorted(self._groups)}


class Recent:
    """How much there was within the last `span` seconds, in slices of a tenth of that."""

    def __init__(self, span: float) -> None:
        self._slice = span / 10.0
        self._slices: deque[tuple[int, float]] = deque(maxlen=11)

    def add(self, now: float, amount: float = 1.0) -> None:
        """So much more at `now`."""
        number = int(now / self._slice)
        if self._slices and self._slices[-1][0] == number:
            self._slices[-1] = number, self._slices[-1][1] + amount
        else:
            self._slices.append((number, amount))

    def a_second(self, now: float, since: float) -> float:
        """The mean a second, over the last `span` or since the start."""
        number = int(now / self._slice)
        total = sum(amount for at, amount in self._slices if at > number - 10)
        span = min(10.0 * self._slice, max(now - since, self._slice))
        return total / span
