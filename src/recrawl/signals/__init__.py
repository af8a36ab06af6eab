"""What sites say of their pages: robots.txt, sitemaps, feeds, IndexNow, WebSub.  Bytes in, records out; no sockets."""
