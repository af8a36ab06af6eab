"""kill -9 of the service at random moments under load: nothing answered is lost, and nothing is done twice.

`RECRAWL_KILLS=200 RECRAWL_FULL=1 python -m pytest -s tests/acceptance/test_kill_service.py` for the full run: the load
of `recrawl bench service`, a million pages on 10,000 hosts.  It takes an hour.
"""

import asyncio
import os
import random
import sys
import threading
from contextlib import contextmanager

from recrawl.bench.talking import Connections, encoded, get, post
from recrawl.cli.main import main
from recrawl.frontier import warm_up
from tests.acceptance.service_load import FULL, SMALL, Load, Model
from tests.processes import LIMIT_S, started

KILLS = int(os.environ.get("RECRAWL_KILLS", "5"))
SEED = int(os.environ.get("RECRAWL_SEED", "11"))
IS_FULL = bool(os.environ.get("RECRAWL_FULL"))
SCALE = FULL if IS_FULL else SMALL
PROGRAM = """
import sys
from recrawl.frontier import journaled, snapshot
journaled.LONG_JOURNAL, snapshot.SLICE = 20_000, 32  # snapshots all the time
from recrawl.cli.main import main
sys.exit(main(["serve", "--data", sys.argv[1], "--listen", "127.0.0.1:0"]))
"""


@contextmanager
def serving(folder):
    """A server, and its port."""
    argv = ["-m", "recrawl", "serve", "--data", str(folder), "--listen", "127.0.0.1:0"]
    if not IS_FULL:
        argv = ["-c", PROGRAM, str(folder)]
    with started([sys.executable, *argv]) as program:
        guard = threading.Timer(LIMIT_S, program.kill)
        guard.start()
        said = program.stdout.readline()
        guard.cancel()
        assert said.startswith("listening on"), program.stderr.read()
        yield program, int(said.rsplit(":", 1)[1])


async def killed(load, program, port, delay):
    """Load until the server is killed."""
    asyncio.get_running_loop().call_later(delay, program.kill)
    async with asyncio.timeout(LIMIT_S):
        await load.run("127.0.0.1", port)


async def finished(load, port):
    """All calls have answers, and some more are made; the pages and the counts then."""
    ended = asyncio.Event()
    asyncio.get_running_loop().call_later(0.2, ended.set)
    async with asyncio.timeout(LIMIT_S), Connections("127.0.0.1", port, 1) as (line,):
        await load.run("127.0.0.1", port, ended)
        counts = (await line.ask("statistics", get("/v1/statistics"))).json()["counts"]
        pages, after = {}, -1
        while True:
            some = (await line.ask("pages", get(f"/v1/pages?after={after}&limit=10000"))).json()
            if not some["pages"]:
                break
            pages |= {page["url"]: page for page in some["pages"]}
            after = some["after"]
        rest = (await line.ask("lease", post("/v1/lease", encoded(n=10_000)))).json()["pages"]
    return counts, pages, rest


def test_nothing_answered_is_lost_and_nothing_is_done_twice(tmp_path):
    warm_up()  # or the first servers would do nothing but compile
    print(f"RECRAWL_SEED={SEED}")
    rng = random.Random(SEED)
    load = Load(Model(rng, SCALE))
    for k in range(KILLS):
        with serving(tmp_path / "data") as (program, port):
            if k == 0:
                asyncio.run(load.fill("127.0.0.1", port))
            asyncio.run(killed(load, program, port, rng.uniform(0.0, SCALE.longest_s)))
        if IS_FULL:
            print(f"{k + 1} kills, {load.model.answers} answers, {load.model.signals} signals", flush=True)
    with serving(tmp_path / "data") as (program, port):
        counts, pages, rest = asyncio.run(finished(load, port))
        program.kill()
        assert "Traceback" not in program.stderr.read()

    model = load.model
    print(f"{model.answers} answers, {model.repeated} repeated, {counts}")
    assert model.answers > 10 * KILLS, "the servers hardly got to work"
    assert set(pages) == set(model.urls)
    assert {url: page["fetches"] for url, page in pages.items()} == {url: model.fetches[url] for url in model.urls}
    assert {url: page["etag"] for url, page in pages.items() if page["etag"]} == model.etags
    assert {url for url, page in pages.items() if page["leased"]} == set(model.held)
    assert counts["leased"] == len(model.held)
    assert counts["signals"] == model.signals
    assert not {page["url"] for page in rest} & set(model.held), "a page was leased twice at once"
    assert main(["check", str(tmp_path / "data")]) == 0
