"""The real service in a thread, on a free port of loopback, and a plain HTTP client."""

import asyncio
import http.client
import json
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

from recrawl.frontier import Frontier
from recrawl.server.serving import Service, tell


@contextmanager
def serving(frontier=None, **options):
    """A service; gives its URL."""
    held = Frontier() if frontier is None else frontier
    ready, found = threading.Event(), {}

    async def main():
        service = Service(lambda: held, lambda _: None, "127.0.0.1:0", **options)
        found.update(service=service, loop=asyncio.get_running_loop())
        telling = asyncio.create_task(tell(service, lambda url: (found.update(url=url), ready.set())))
        try:
            await service.run()
        finally:
            telling.cancel()

    thread = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    thread.start()
    assert ready.wait(60.0)
    try:
        yield found["url"]
    finally:
        found["loop"].call_soon_threadsafe(found["service"].stop)
        thread.join(30.0)
        assert not thread.is_alive()


def ask(url, method, path, body=None, headers=None):
    """Status, headers and body of an answer; JSON is decoded."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30.0)
    given = {"Content-Type": "application/json"} if body is not None else {}
    data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
    try:
        connection.request(method, path, data, {**given, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        kind = answer.headers.get("content-type", "")
        is_json = text and "json" in kind and "ndjson" not in kind
        return answer.status, answer.headers, json.loads(text) if is_json else text
    finally:
        connection.close()


def _named(headers):
    return {name.replace("_", "-").title(): value for name, value in headers.items()}


def post(url, path, body, **headers):
    """The decoded answer to a call that must succeed."""
    status, _, got = ask(url, "POST", path, body, _named(headers))
    assert status == 200, got
    return got


def get(url, path, **headers):
    """The same for a question."""
    status, _, got = ask(url, "GET", path, None, _named(headers))
    assert status == 200, got
    return got
