"""What a frontier must remember, as plain dictionaries, written literally: who is leased is for the frontier to say."""

import math

from recrawl.urls import normalise

NOTHING_KNOWN = {
    "state": "new", "fetches": 0, "changes": 0, "failures": 0, "digest": None, "fetched": None, "changed": None,
    "not_before": -math.inf,
}  # fmt: skip


class Ledger:
    """Pages by URL, leases by token.  Every call says what the frontier must answer."""

    def __init__(self):
        self.pages = {}
        self.leases = {}  # token -> {"page", "expires"}; answered ones are not in it
        self.next_token = 1
        self.now = 0.0

    # -- pages ---------------------------------------------------------------------------------------------------------

    def add(self, urls):
        new = known = 0
        for url in map(normalise, urls):
            if url in self.pages:
                known += 1
            else:
                new += 1
                self.pages[url] = {"url": url, "told": {}, **NOTHING_KNOWN}
        return new, known

    def forget(self, urls):
        there = {url for url in map(normalise, urls) if url in self.pages}
        for url in there:
            self._remove(self.pages[url])
        return len(there)

    def _remove(self, page):
        del self.pages[page["url"]]
        self.leases = {token: lease for token, lease in self.leases.items() if lease["page"] is not page}

    # -- signals -------------------------------------------------------------------------------------------------------

    def signal(self, url, source, happened):
        """What becomes of a signal; a set, where it depends on what was learned of the source."""
        page = self.pages.get(normalise(url))
        if page is None:
            return {"unknown"}
        if happened is not None:
            if page["told"].get(source) == happened:
                return {"repeated"}
            page["told"][source] = happened
        if page["state"] == "copy" and happened is not None and happened <= page["fetched"]:
            return {"old"}
        if page["state"] == "gone" and self.live(page) is None:
            page["not_before"] = -math.inf
        if page["state"] == "copy" and happened is None:
            return {"heard", "old"}
        return {"heard"}

    # -- leases --------------------------------------------------------------------------------------------------------

    def live(self, page):
        """The token of the one who has the page."""
        found = [t for t, lease in self.leases.items() if lease["page"] is page and lease["expires"] > self.now]
        assert len(found) <= 1
        return found[0] if found else None

    def lease(self, urls, tokens, seconds):
        """Pages were given out: all known, none of them twice, none before its time."""
        assert list(tokens) == list(range(self.next_token, self.next_token + len(tokens)))
        self.next_token += len(tokens)
        for url, token in zip(urls, tokens, strict=True):
            page = self.pages[url]
            assert self.live(page) is None
            assert page["not_before"] <= self.now
            self.leases[token] = {"page": page, "expires": self.now + seconds}

    def complete(self, tokens, status, digest, changed, error, moved_to):
        """The word for each token, and how many of the answers came late."""
        words, late = [], 0
        for token in tokens:
            lease = self.leases.pop(token, None)
            if lease is None:
                words.append("repeated")
                continue
            is_late = lease["expires"] <= self.now
            late += is_late
            page = lease["page"]
            if not is_late:
                page["not_before"] = -math.inf
            words.append(self._outcome(page, is_late, status, digest, changed, error, moved_to))
        return words, late

    def _outcome(self, page, late, status, digest, changed, error, moved_to):
        if error is None and status == 301 and normalise(moved_to) != page["url"]:
            self._move(page, normalise(moved_to))
            return "moved"
        if error is not None or status in (301, 500):
            page["failures"] += 1
            self._wait(page, late, 60.0, 86400.0)
            return "failed"
        if status == 404:
            page["failures"] = page["failures"] + 1 if page["state"] == "gone" else 1
            page["state"], page["digest"] = "gone", None
            self._wait(page, late, 86400.0, 90 * 86400.0)
            return "gone"
        word = self._compared(page, status, digest, changed)
        page["state"], page["failures"], page["fetched"] = "copy", 0, self.now
        page["fetches"] += 1
        if word == "changed":
            page["changes"], page["changed"] = page["changes"] + 1, self.now
        if digest is not None or word != "unchanged":
            page["digest"] = digest
        return word

    def _wait(self, page, late, first, most):
        if not late:
            page["not_before"] = self.now + 0.75 * min(first * 2.0 ** (page["failures"] - 1), most)

    def _compared(self, page, status, digest, changed):
        if page["state"] != "copy":
            return "unknown"
        if status == 304:
            return "unchanged"
        if changed is not None:
            return "changed" if changed else "unchanged"
        if digest is None or page["digest"] is None:
            return "unknown"
        return "unchanged" if digest == page["digest"] else "changed"

    def _move(self, page, url):
        if url in self.pages:
            self._remove(page)
        else:
            del self.pages[page["url"]]
            page["url"] = url
            self.pages[url] = page
