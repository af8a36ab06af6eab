"""A client is light: it loads little, needs no extra, and threads may share one."""

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from recrawl.client import Client, json_text
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from tests.client.served import Served

HEAVY = ("numba", "scipy", "litestar", "granian", "aiohttp", "asyncio", "rich", "recrawl.engine", "recrawl.server")
URLS = [f"https://h{k}.example/ä" for k in range(8)]


def test_a_client_loads_nothing_heavy():
    program = f"""
import sys, recrawl
client = recrawl.Client("http://127.0.0.1:9", retries=0)
for call in (lambda: client.add("https://a.example/", every=60), lambda: client.complete([1], status=200)):
    try:
        call()
    except recrawl.UnavailableError:
        pass
print(*[name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.fixture
def client():
    with Served(Frontier()) as served, Client(served.url) as found:
        yield found


def test_json_of_the_standard_library_will_do(client, monkeypatch):
    monkeypatch.setattr(json_text, "fast", None)
    assert client.add(URLS, importance=[float("nan")] * 8).new == 8
    batch = client.lease(8)
    assert client.complete(batch.tokens, digest="ü", validators={"etag": '"ß"'}).unknown == 8
    assert client.page(URLS[0]).validators.etag == '"ß"'
    with pytest.raises(InputError, match="must be such as can be written as UTF-8"):
        json_text.encoded({"source": "\ud800"})


def test_threads_share_a_client(client):
    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(lambda k: client.add([f"https://h.example/{k}", URLS[k % 8]]), range(200)))
    assert sum(each.new for each in done) == 208
    assert client.statistics["pages"] == 208


def test_methods_show_what_they_take():
    got = str(inspect.signature(Client.lease))
    assert got == "(self, n: int = 1, *, seconds: float | None = None, wait: float = 0.0, key: str | None = None)"
    assert Client.lease.__doc__.startswith("Up to n pages to be fetched now")


@pytest.mark.parametrize(
    "name", ["add", "forget", "signal", "request", "complete", "give_back", "page", "pages", "hosts"]
)
def test_methods_take_what_the_frontier_s_take(name):
    got, expected = (list(inspect.signature(getattr(kind, name)).parameters) for kind in (Client, Frontier))
    assert got == expected
