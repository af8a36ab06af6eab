"""What counts as a change of a page, and what two versions differ in."""
