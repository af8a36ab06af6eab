"""Sources of pages and news: sitemaps and feeds, where they are, what they said last, and when to ask again."""
