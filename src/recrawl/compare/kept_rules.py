"""The rules of a crawl, kept on its shelf, so that `recrawl diff` knows what counts as a change there."""

import json
from collections.abc import Mapping, Sequence

from recrawl.compare.rules import Rules
from recrawl.store import AnyShelf

KIND, KEY = "rules", "sites"


def keep(shelf: AnyShelf, tables: Sequence[Mapping[str, object]]) -> Rules:
    """Keep the tables of sites as `Rules.parse` takes them; the rules."""
    rules = Rules.parse(tables)
    shelf.put([(KIND, KEY, json.dumps([dict(table) for table in tables]).encode())])
    return rules


def kept(shelf: AnyShelf) -> Rules:
    """The rules that were kept; the usual one for every page where none were."""
    data = shelf.get(KIND, KEY)
    return Rules.parse(json.loads(data)) if data else Rules()
