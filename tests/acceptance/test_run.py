"""recrawl run as a person uses it: on a terminal, interrupted once and twice, and telling others of changes."""

import json
import os
import pty
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recrawl.frontier import warm_up
from recrawl.livingweb import HostPlan, LivingWeb, Poisson
from recrawl.outputs.hooks import SIGNATURE, signature
from tests.crawler.running import crawled
from tests.processes import LIMIT_S, started


@pytest.fixture(scope="module", autouse=True)
def _kernels():
    warm_up()


def command(site, folder, *more):
    return [sys.executable, "-m", "recrawl", "run", "--site", site, "--rate", "none", "--gap", "0",
            "--allow-private", "--data", str(folder), *more]  # fmt: skip


def read_until(descriptor, words):
    """What a terminal shows, until these words are in it."""
    seen = b""
    while words not in seen:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # the program closed its end
            piece = b""
        assert piece, seen.decode(errors="replace")
        seen += piece
    return seen


def test_on_a_terminal_it_shows_its_work_and_ctrl_c_ends_it(tmp_path):
    ours, theirs = pty.openpty()
    try:
        with LivingWeb([HostPlan("one", Poisson(5, 1.0))], own_ports=True) as web:
            (site,) = web.urls.values()
            options = {"stderr": theirs, "env": {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}}
            with started(command(site, tmp_path), **options) as program:
                shown = read_until(ours, b"found")
                assert b"freshness" in shown or b"pages" in shown
                program.send_signal(signal.SIGINT)
                drained = threading.Thread(target=_drain, args=(ours,), daemon=True)
                drained.start()
                assert program.wait(LIMIT_S) == 0
    finally:
        os.close(theirs)
        os.close(ours)
    status = json.loads((tmp_path / "status.json").read_text())
    assert (status["state"], status["reason"]) == ("stopped", "interrupted")


def _drain(descriptor):
    try:
        while os.read(descriptor, 65536):
            pass
    except OSError:
        return


def _until(program, status, condition):
    """Wait until the status of a program that runs is so."""
    deadline = time.monotonic() + LIMIT_S
    while not (status.exists() and condition(json.loads(status.read_text()))):
        assert program.poll() is None
        assert time.monotonic() < deadline


def test_a_second_ctrl_c_ends_it_at_once(tmp_path):
    # No page is ever answered, so that the first Ctrl-C has to wait for the fetches that are under way.
    plan = HostPlan("one", Poisson(5, 1.0), faults=("silent",), fault_share=1.0)
    status = tmp_path / "status.json"
    with LivingWeb([plan], own_ports=True) as web:
        (site,) = web.urls.values()
        with started(command(site, tmp_path)) as program:
            held = set()  # reports in which a fetch was under way: one that lasts for several is never answered

            def is_stuck(told):
                if told["pages"] > 1 and told["under_way"]:
                    held.add(told["written"])
                else:
                    held.clear()
                return len(held) >= 3

            _until(program, status, is_stuck)
            program.send_signal(signal.SIGINT)
            _until(program, status, lambda told: told["state"] == "stopping")
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=LIMIT_S)
    assert program.returncode == 130, err
    assert "Traceback" not in err


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_interrupted_while_code_is_compiled(tmp_path, word):
    (tmp_path / "data" / "frontier").mkdir(parents=True)  # a crawl that goes on waits for compiled code
    nothing_kept = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with started(command("http://127.0.0.1:9/", tmp_path / "data"), env=nothing_kept) as program:
        while not any((tmp_path / "cache").rglob("*.nbi")):
            assert program.poll() is None
            time.sleep(0.05)
        program.send_signal(word)
        _, err = program.communicate(timeout=LIMIT_S)
    assert program.returncode == 130, err
    assert "Traceback" not in err
    assert "starting: compiling kernels for this machine, once: about two minutes" in err


def test_where_nothing_is_compiled_a_crawl_that_was_stopped_goes_on_at_once_and_says_what_it_does(tmp_path):
    nothing_kept = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with LivingWeb([HostPlan("one", Poisson(20, 0.0))], own_ports=True) as web:
        crawled(web, once=True, data=str(tmp_path / "data"))
        before = web.score("recrawl").requests
        (site,) = web.urls.values()
        with started(command(site, tmp_path / "data"), env=nothing_kept) as program:
            assert "compiling kernels for this machine, once" in program.stderr.readline()
            while web.score("recrawl").requests < before + 20:
                assert "running" in program.stderr.readline()
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, "Traceback" in err) == (0, False)


def test_a_command_is_told_of_each_change(tmp_path):
    told = tmp_path / "told"

    def lines():
        return [json.loads(line) for line in told.read_text().split("\n")[:-1] if line] if told.exists() else []

    with LivingWeb([HostPlan("one", Poisson(5, 0.0))]) as web:
        urls = set(web.page_urls())
        crawled(
            web,
            lambda _: {line["url"] for line in lines()} >= urls,
            data=str(tmp_path / "data"),
            on_change=f"(cat; echo) >> {told}",
        )
    assert {line["url"] for line in lines()} >= urls
    assert {line["kind"] for line in lines()} == {"new"}


def test_a_webhook_is_told_again_until_it_takes_it_and_the_signature_is_right(tmp_path):
    taken, refused = [], []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            right = self.headers[SIGNATURE] == signature("secret", body)
            bad = not right or len(refused) < 1
            (refused if bad else taken).append(json.loads(body))
            self.send_response(500 if bad else 204)
            self.end_headers()

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with LivingWeb([HostPlan("one", Poisson(5, 0.0))]) as web:
            crawled(
                web,
                lambda _: len(taken) >= 5,
                data=str(tmp_path / "data"),
                on_change=f"http://127.0.0.1:{server.server_port}/",
                on_change_secret="secret",
            )
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    ids = [change["id"] for change in taken]
    assert ids == sorted(set(ids))  # in order, none twice
    assert refused[0] == taken[0]  # what was refused came again
