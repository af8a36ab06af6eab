"""kill -9 at random moments while Scrapy crawls: every page is fetched, and what counts as fetched was scraped.

`RECRAWL_SCRAPY_KILLS=50 python -m pytest tests/acceptance/test_kill_scrapy.py` for the full run.
"""

import json
import os
import random
import sys
import threading
from pathlib import Path

from recrawl.cli.main import main
from recrawl.frontier import Frontier, warm_up
from recrawl.livingweb import LivingWeb, many
from tests.processes import LIMIT_S, started

KILLS = int(os.environ.get("RECRAWL_SCRAPY_KILLS", "3"))
SPIDER = Path(__file__).parents[1] / "integrations" / "noting_spider.py"
PAGES = 40 + 40 * KILLS


def test_nothing_is_lost(tmp_path, capsys):
    warm_up()
    rng = random.Random(7)
    data, notes, log = tmp_path / "data", tmp_path / "notes", tmp_path / "log"
    with LivingWeb(many(1, PAGES), log=log) as web:
        urls = list(web.page_urls())
        with Frontier.open(data) as frontier:
            frontier.add(urls)
        command = [sys.executable, "-m", "scrapy", "runspider", str(SPIDER), "-s", f"RECRAWL_DATA={data}"]
        command += ["-s", "RECRAWL_RATE=60/s", "-s", "RECRAWL_GAP=0.01", "-s", f"NOTES={notes}"]
        for _ in range(KILLS):
            kill_while_it_crawls(command, rng.uniform(0.0, 1.0))
            assert main(["check", str(data)]) == 0, capsys.readouterr().out
            with Frontier.open(data) as frontier:
                copies = {url for url in urls if frontier.page(url).state == "copy"}
            assert copies <= noted(notes), "a page counts as fetched that was not scraped"
        with started([*command, "-a", f"until={PAGES}"]) as program:
            _, err = program.communicate(timeout=LIMIT_S)
        assert program.returncode == 0, err
        assert "ERROR" not in err, err
        web.flush()
        score = web.score("mybot")
    assert noted(notes) == set(urls)
    assert score.first == PAGES
    assert never_twice_at_once(log)
    assert main(["check", str(data)]) == 0
    assert "leased: 0" in capsys.readouterr().out


def kill_while_it_crawls(command, after):
    """Kill it so many seconds after the first page of this run was scraped."""
    with started(command) as program:
        guard = threading.Timer(LIMIT_S, program.kill)
        guard.start()
        begun = program.stdout.readline()
        timer = threading.Timer(after, program.kill)
        timer.start()
        _, err = program.communicate(timeout=LIMIT_S)
        guard.cancel()
        timer.join()
    assert begun.startswith("http"), err
    assert "ERROR" not in err, err


def noted(notes):
    return {json.loads(line)["url"] for line in notes.read_text().splitlines()}


def never_twice_at_once(log):
    """Whether no request for a page came while another one for it was being answered."""
    ended = {}
    for line in sorted(map(json.loads, log.read_text().splitlines()), key=lambda row: row["begun"]):
        if line["kind"] == "page" and ended.get(line["page"], -1.0) > line["begun"]:
            return False
        ended[line["page"]] = line["ended"]
    return True
