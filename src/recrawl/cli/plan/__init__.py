"""``recrawl plan``."""
