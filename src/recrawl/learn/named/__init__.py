"""Sources of signals by name: how precise, complete and late each is, by host, while crawling."""
