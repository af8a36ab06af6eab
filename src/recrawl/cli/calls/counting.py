"""Counts of what was done, for people or as JSON."""

import json
from collections.abc import Mapping


def show(what: str, counts: Mapping[str, int], words: dict[str, str], as_json: bool) -> None:
    """Print counts by their words: for people those that are not 0, or the first.

    >>> show("pages", {"new": 2, "refused": 0}, {"new": "new", "refused": "left out"}, as_json=False)
    pages: 2 new
    >>> show("pages", {"new": 2, "refused": 0}, {"new": "new", "refused": "left out"}, as_json=True)
    {"new": 2, "refused": 0}
    """
    if as_json:
        print(json.dumps({name: counts[name] for name in words}))
        return
    said = [f"{counts[name]:,} {word}" for name, word in words.items() if counts[name]]
    print(f"{what}: {', '.join(said) or f'0 {next(iter(words.values()))}'}")
