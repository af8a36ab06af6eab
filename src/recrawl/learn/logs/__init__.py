"""Crawl logs and signal logs: what their rows mean, and their reader."""
