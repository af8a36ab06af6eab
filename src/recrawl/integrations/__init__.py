"""Adapters for crawlers that already exist: they translate, and decide nothing."""
