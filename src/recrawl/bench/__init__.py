"""Benchmarks: each module prints ratios measured within one run, since machines are noisy.

A module has a title (first line of its docstring), `run(pages) -> rows` and NOTES.
"""
