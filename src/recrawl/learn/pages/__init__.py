"""Whole logs: parameters of every page, each leaning on the pages of its host."""
