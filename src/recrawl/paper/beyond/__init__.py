"""Figures beyond the paper: late signals, several sources, learning while crawling."""
