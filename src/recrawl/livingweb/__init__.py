"""A web on loopback whose pages change, and whose true freshness is known."""
