"""The durable frontier: pages by URL, leased at a rate, learned about, and never lost."""
