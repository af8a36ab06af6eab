"""``recrawl dataset``."""
