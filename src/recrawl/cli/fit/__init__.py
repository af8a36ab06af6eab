"""``recrawl fit``."""
