"""What pages look like: a function of host, path and version, so that nothing is kept of them."""

from hashlib import blake2b
from html import escape

_WHO = (
    "the scheduler",
    "a worker",
    "the cache",
    "every client",
    "the index",
    "a replica",
    "the gateway",
    "an operator",
)
_DOES = ("waits for", "reads", "keeps", "renews", "compares", "forwards", "drops", "restores")
_WHAT = (
    "the oldest of its queue",
    "what the last build wrote",
    "a copy of each record",
    "the state that was asked for",
)
SENTENCES = tuple(
    f"{who[0].upper()}{who[1:]} {does} {what}.".encode() for who in _WHO for does in _DOES for what in _WHAT
)
"""256 sentences: a byte of a hash picks one."""


def page(name: str, path: str, version: int, links: list[str], noise: str = "") -> bytes:
    """A page of HTML.  The last paragraph is of this version alone; `noise` is a time stamp and an advertisement."""
    steady = blake2b(f"{name}\n{path}".encode(), digest_size=30).digest()
    revised = blake2b(f"{name}\n{path}\n{version}".encode(), digest_size=12).digest()
    text = [SENTENCES[byte] for byte in steady]
    title = escape(f"{path.rsplit('/', 1)[-1] or name} of {name}").encode()
    return b"".join(
        (
            b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>',
            title,
            b'</title></head>\n<body><header><a href="/">',
            name.encode(),
            b"</a></header>\n<main><h1>",
            title,
            b"</h1>\n<p>",
            b" ".join(text[:10]),
            b"</p>\n<p>",
            b" ".join(text[10:20]),
            b"</p>\n<p>",
            b" ".join(text[20:]),
            f'</p>\n<p class="revision">Revision {version}. '.encode(),
            b" ".join([SENTENCES[byte] for byte in revised]),
            b"</p></main>\n<nav>",
            "".join([f'<a href="{link}">{link}</a>\n' for link in links]).encode(),
            b"</nav>\n<footer>",
            noise.encode(),
            b"</footer></body></html>\n",
        )
    )


def first_words(name: str, path: str, version: int) -> str:
    """The beginning of what this version says."""
    revised = blake2b(f"{name}\n{path}\n{version}".encode(), digest_size=12).digest()
    return f"Revision {version}. {SENTENCES[revised[0]].decode()}"


def missing(path: str, mark: int) -> bytes:
    """A page that says that there is none; not two of them are the same."""
    return (
        "<!doctype html>\n<html><head><title>Page not found</title></head><body><main><h1>Page not found</h1>"
        f"<p>There is nothing at {escape(path)}. Try the search. Request {mark}.</p></main></body></html>\n"
    ).encode()


def noise(now: float, mark: int) -> str:
    """What differs at each fetch, though the page did not change."""
    return f'<span class="rendered">Rendered at {now:.3f}.</span> <div class="ad">Advertisement {mark % 997}.</div>'
