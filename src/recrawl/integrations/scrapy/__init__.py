"""Scrapy fetches what a frontier decides: an add-on, which brings a spider middleware and a downloader middleware.

Theory of operation
-------------------
1. Pages come in through `process_start` of a spider middleware (feed.py), as if the spider had yielded them without an
   end.  The engine takes each at once, so that its heartbeat of 5 s plays no part; the spider is never idle.
2. A leased request carries its token in `meta` and an errback of ours.  Retries and redirects copy both.  So a request
   belongs to a lease if it has both, and what a spider makes from `response.meta` does not.
3. Scrapy has no signal for "all done with this page".  A copy is told to the frontier when the callback has ended and
   its items have gone through the pipelines: who is killed before fetches the page again.  What is no copy (304, 404,
   an error) is told at once.
4. All calls of the frontier run in threads, one at a time (desk.py).  Leases are entered in a table before the thread
   returns, so that those whose taker was cancelled can be given back.
"""

from recrawl.integrations.scrapy.addon import Addon
from recrawl.integrations.scrapy.downloading import DownloaderMiddleware
from recrawl.integrations.scrapy.feed import SpiderMiddleware

__all__ = ["Addon", "DownloaderMiddleware", "SpiderMiddleware"]
