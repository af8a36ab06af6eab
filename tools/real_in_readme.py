"""Puts the table of docs/real/real.csv into the README: run it after `recrawl reproduce real --out docs/real`."""

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CSV = ROOT / "docs" / "real" / "real.csv"
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=<!-- real table -->\n).*?(?=<!-- end -->)", re.DOTALL)

BUDGET = 0.2
SHOWN = {
    "uniform": "equal intervals",
    "nutch at its best": "Nutch",
    "stormcrawler at its best": "StormCrawler",
    "signalled-first": "signalled pages first",
    "greedy-ncis:learn": "**recrawl**",
}


def block() -> str:
    """The table: stale copies in per cent, a row for each history."""
    with CSV.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if _main(row)]
    stale = {(row["history"], row["policy"]): 100.0 * (1.0 - float(row["mean"])) for row in rows}
    pages = {row["history"]: int(row["pages"]) for row in rows}
    lines = [f"| copies that are stale | {' | '.join(SHOWN.values())} |", "|---|" + "---|" * len(SHOWN)]
    for history, count in pages.items():
        cells = [_cell(stale[history, policy], policy) for policy in SHOWN]
        lines.append(f"| {history}, {count:,} pages | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _main(row: dict[str, str]) -> bool:
    kind = (row["which"], row["importance"], row["signals"])
    return kind == ("throughout", "pareto", "fair") and float(row["crawls_a_page_month"]) == BUDGET


def _cell(stale: float, policy: str) -> str:
    text = f"{stale:.1f}%"
    return f"**{text}**" if policy == "greedy-ncis:learn" else text


def main() -> None:
    """Write the README anew."""
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda _: block(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
