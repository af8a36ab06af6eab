"""The service beside a crawl: recrawl run --serve."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import pytest

from recrawl.cli.main import main
from recrawl.crawler import Crawler, Settings
from recrawl.livingweb import HostPlan, LivingWeb, Poisson
from recrawl.server.along import along
from tests.processes import LIMIT_S, started
from tests.server.live import ask, get


def test_a_crawl_shows_itself_while_it_runs_and_leaves_no_server_behind():
    with LivingWeb([HostPlan("one", Poisson(5, 1.0))], own_ports=True) as web:
        found = {}

        async def scene():
            settings = Settings(sites=tuple(web.urls.values()), rate=None, gap=0.0, allow_private=True)
            crawler = Crawler(settings, beside=along("127.0.0.1:0", None, lambda url: found.update(url=url)))
            running = asyncio.ensure_future(crawler.run())
            async with asyncio.timeout(60.0):
                while "url" not in found or crawler.counts.get("outcomes", "first copies") < 5:
                    await asyncio.sleep(0.02)
            overview = await asyncio.to_thread(get, found["url"], "/v1/dashboard/overview")
            leased = await asyncio.to_thread(get, found["url"], "/v1/statistics")
            crawler.stop()
            await asyncio.wait_for(running, 30.0)
            return overview, leased

        overview, leased = asyncio.run(scene())
    assert overview["pages"]["all"] >= 5
    assert leased["counts"]["leases"] >= 5
    with pytest.raises(ConnectionRefusedError):
        ask(found["url"], "GET", "/healthz")


def test_from_the_command_line_ctrl_c_ends_both(tmp_path):
    with LivingWeb([HostPlan("one", Poisson(5, 1.0))], own_ports=True) as web:
        (site,) = web.urls.values()
        command = [sys.executable, "-m", "recrawl", "run", "--site", site, "--rate", "none", "--gap", "0",
                   "--allow-private", "--data", str(tmp_path / "data"), "--serve", "127.0.0.1:0"]  # fmt: skip
        status = tmp_path / "data" / "status.json"
        with started(command, stderr=subprocess.PIPE) as program:
            deadline = time.monotonic() + LIMIT_S
            while not (url := status.exists() and json.loads(status.read_text())["serves"]):
                assert program.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert get(url, "/readyz") == {"status": "ok"}
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=60)
    assert program.returncode == 0, err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("address", "said"),
    [("0.0.0.0:8700", "listen must be an address of this machine"), ("nonsense", "serve must be ADDRESS:PORT")],
)
def test_addresses_are_checked_before_anything_is_fetched(tmp_path, capsys, address, said):
    given = ["run", "--site", "http://127.0.0.1:1/", "--allow-private", "--data", str(tmp_path), "--serve", address]
    assert main(given) == 2
    assert said in capsys.readouterr().err
