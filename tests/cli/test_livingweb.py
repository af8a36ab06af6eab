"""recrawl livingweb: it says where it is, and in the end who did how well."""

import json
import signal
import sys
import urllib.request

import pytest

from recrawl.cli.main import main
from tests.processes import finished, started

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
COMMAND = [sys.executable, "-m", "recrawl", "livingweb"]


def fetch(url, agent="mybot"):
    request = urllib.request.Request(url, headers={"User-Agent": f"{agent}/1.0"})
    with DIRECT.open(request, timeout=20) as answer:
        return answer.read()


def test_it_ends_with_its_time_and_nobody_came():
    got = finished([*COMMAND, "--pages", "5", "--lasting", "0.2"])
    assert (got.returncode, got.stderr) == (0, "")
    assert "1,460 days in 0 s" in got.stdout
    assert got.stdout.endswith("nobody came\n")


def test_ctrl_c_prints_the_scores(tmp_path):
    urls = tmp_path / "urls.txt"
    with started([*COMMAND, "many", "--hosts", "2", "--pages", "3", "--own-ports", "--urls", str(urls)]) as program:
        assert program.stdout.readline().startswith("crawlers  http://127.0.0.1:")
        while not program.stdout.readline().startswith("end"):
            pass
        pages = urls.read_text(encoding="utf-8").split()
        for url in pages:
            fetch(url)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, err, len(pages)) == (0, "", 6)
    cells = out.split("\n")[-2].split()
    assert (cells[0], cells[3:7]) == ("mybot", ["1.0000", "6", "6", "0"])


def test_json_lines_and_the_control_port():
    with started([*COMMAND, "--pages", "3", "--json", "--scale", "1"]) as program:
        where = json.loads(program.stdout.readline())
        fetch(f"http://127.0.0.1:{where['port']}/robots.txt")
        score = json.loads(fetch(f"http://127.0.0.1:{where['control_port']}/-/score?agent=mybot"))
        assert score["kinds"] == {"robots": 1}
        fetch(f"http://127.0.0.1:{where['control_port']}/-/stop")
        assert program.wait(20) == 0


def test_faults_are_listed(capsys):
    assert main(["livingweb", "--faults"]) == 0
    assert "endless-body" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lasting", "60", "--scale", "3"], "--lasting and --scale say the same thing; give one of them"),
        (["nice"], "WEB must be one of demo, many, hostile, got 'nice'"),
        (["many", "--hosts", "0"], "--hosts must be at least 1, got 0"),
        (["many", "--history", "x"], "--history is for demo, not for many"),
        (["--hosts", "5"], "--hosts is for many and hostile, not for demo"),
        (["--crawl-delay", "5"], "--crawl-delay is for many and hostile, not for demo"),
        (["--port", "99999"], "--port must be from 0 to 65535, got 99999"),
        (["--control-port", "-1"], "--control-port must be from 0 to 65535, got -1"),
        (["--scale", "0"], "scale must be finite and > 0, got 0.0"),
        (["--lasting", "0"], "lasting must be finite and > 0, got 0.0"),
        (["--days", "-1"], "days must be finite and > 0, got -1.0"),
    ],
)
def test_what_is_wrong_is_said(options, message, capsys):
    assert main(["livingweb", *options]) == 2
    assert capsys.readouterr().err.startswith(f"recrawl: error: {message}")
