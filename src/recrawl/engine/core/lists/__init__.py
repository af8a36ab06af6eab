"""Where pages stand while they wait: heaps, buckets and a timing wheel, all in the pages' own links."""
