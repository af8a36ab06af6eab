"""The crawler: run, status, init; its feed of changes, and what two versions of a page differ in."""
