"""``recrawl demo``."""
