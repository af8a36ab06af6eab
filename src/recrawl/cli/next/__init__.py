"""``recrawl next``."""
