"""Where results go: WARC files, a feed of changes, commands and webhooks."""
