"""One polite fetch: addresses that may be asked, limits, redirects, decompression, politeness."""
