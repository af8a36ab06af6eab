"""`recrawl demo`: the crawler and its rivals in one living web."""
