"""One page, or a pool of pages taken to be alike: maximum likelihood from crawl outcomes."""
