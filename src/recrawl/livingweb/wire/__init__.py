"""HTTP/1.1 as the living web speaks it, well and badly."""
