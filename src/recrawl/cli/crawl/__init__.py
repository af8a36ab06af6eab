"""``recrawl run``, ``status`` and ``init``: the crawler."""
