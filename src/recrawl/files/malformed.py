"""Rows of a log that cannot be used: counted by reason, the first few kept with their line."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

SHOWN = 5


@dataclass
class Malformed:
    """What was wrong in a file, and how often."""

    reasons: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, path: str, line: int, reason: str, detail: str = "") -> None:
        """Note a row; `reason` is counted, `detail` only shown."""
        self.reasons[reason] += 1
        if len(self.examples) < SHOWN:
            self.examples.append(f"{path}:{line}: {reason}{detail}")

    def __len__(self) -> int:
        return self.reasons.total()

    def lines(self) -> Iterator[str]:
        """For people: the count by reason, then the first rows."""
        for reason, count in self.reasons.most_common():
            yield f"{count:,} {'row' if count == 1 else 'rows'} left out: {reason}"
        yield from (f"  {example}" for example in self.examples)
        if len(self) > len(self.examples):
            yield f"  and {len(self) - len(self.examples):,} more"

    def told(self) -> str:
        """For an error: how many rows were left out, and why the first of them was; nothing where none was."""
        if not len(self):
            return ""
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        return f"; {rows} left out, the first: {self.examples[0]}"
