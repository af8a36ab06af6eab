"""``recrawl completion``."""
