"""kill -9 at random moments while crawling: it goes on, no WARC record is torn, no change is lost or told twice.

`RECRAWL_CRAWL_KILLS=50 python -m pytest tests/acceptance/test_kill_crawl.py` for the full run.
"""

import os
import random
import sys
import threading
import zlib
from collections import Counter

from recrawl.frontier import Frontier, warm_up
from recrawl.livingweb import LivingWeb, many
from recrawl.outputs import changes
from tests.processes import LIMIT_S, started

KILLS = int(os.environ.get("RECRAWL_CRAWL_KILLS", "4"))


def test_nothing_is_lost_told_twice_or_torn(tmp_path):
    warm_up()
    rng = random.Random(5)
    data, warc = tmp_path / "data", tmp_path / "warc"
    with LivingWeb(many(1, 300)) as web:
        (url,) = web.urls.values()
        command = [sys.executable, "-m", "recrawl", "run", "--site", url, "--rate", "60/s", "--gap", "0.01"]
        command += ["--data", str(data), "--warc", str(warc), "--allow-private", "--json-log"]
        acknowledged = 0
        for _ in range(KILLS):
            with started(command) as program:
                guard = threading.Timer(LIMIT_S, program.kill)
                guard.start()
                assert program.stderr.readline().startswith("{"), "it did not begin"
                timer = threading.Timer(rng.uniform(0.2, 2.0), program.kill)
                timer.start()
                rest = program.stderr.read()
                guard.cancel()
                timer.join()
            assert "Traceback" not in rest, rest
            with Frontier.open(data / "frontier") as frontier:
                copies = frontier.statistics["outcomes"] + frontier.statistics.get("unknown", 0)
            assert copies >= acknowledged
            acknowledged = copies
        with started([*command, "--once"]) as program:
            _, err = program.communicate(timeout=LIMIT_S)
        assert program.returncode == 0, err
        score = web.score("recrawl")
    found = list(changes.read(data / "changes.ndjson"))
    told = Counter((change.url, change.digest) for change in found)
    assert max(told.values()) == 1
    assert len({change.url for change in found}) == 301
    assert score.shortest_gap >= 0.01
    records = sum(whole_members(file.read_bytes()) for file in sorted(warc.iterdir()))
    assert records > len(found)


def whole_members(data):
    """How many gzip members there are; fails where one is torn."""
    count = 0
    while data:
        member = zlib.decompressobj(wbits=31)
        member.decompress(data)
        assert member.eof, "a record is torn"
        data, count = member.unused_data, count + 1
    return count
