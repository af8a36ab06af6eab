"""What callers pass, checked and made into columns."""
