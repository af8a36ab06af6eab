"""``recrawl run``, ``status`` and ``init``: the crawler."""
"""Commands on the folder of a crawl: its feed of changes, and what two versions of a page differ in."""
