"""The running crawler: finds pages, hears signals, fetches what the frontier leases, hands results over."""
