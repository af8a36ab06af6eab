"""``recrawl simulate``."""
