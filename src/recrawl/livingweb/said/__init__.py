"""What hosts of the living web say of their pages: robots.txt, sitemaps, feeds, pings and a hub."""
