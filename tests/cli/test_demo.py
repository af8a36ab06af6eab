"""recrawl demo: from the command to the table; nothing is left behind, also after Ctrl-C."""

import json
import os
import shutil
import signal
import sys

import pytest

from recrawl.cli.main import main
from tests.processes import finished, started

COMMAND = [sys.executable, "-m", "recrawl", "demo", "--pages", "60", "--budget", "0.4"]


def left_behind(mark):
    """Processes that have the mark in their environment."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return found


def test_it_ends_with_a_table_a_drawing_and_files(tmp_path):
    mark = f"DEMO_TEST=whole-{os.getpid()}"
    environment = {**os.environ, "COLUMNS": "100", "DEMO_TEST": mark.partition("=")[2]}
    out = tmp_path / "out"
    # Four years in 4 s ask much of a busy machine: where it could not make the requests, it gets more time for them.
    for seconds in (4, 16, 64):
        shutil.rmtree(out, ignore_errors=True)
        got = finished([*COMMAND, "--seconds", str(seconds), "--out", str(out)], env=environment)
        assert got.returncode == 0, got.stderr
        result = json.loads((out / "demo.json").read_text(encoding="utf-8"))
        asked = {row["agent"]: row["requests"] for row in result["rows"]}
        most = 0.4 * 60 * result["days"] / (365.25 / 12)
        if min(asked.values()) > 0.9 * most:
            break
    lines = {line.partition("  ")[0]: line.split() for line in got.stdout.splitlines()}
    fresh = {name: float(lines[name][-5]) for name in ("recrawl", "equal intervals", "Nutch's rule")}
    # About .90 and .80; the same pages and importance each time, only moments vary.
    assert fresh["recrawl"] > fresh["equal intervals"] + 0.01
    assert "true freshness over time" in got.stdout
    assert "what to type next:" in got.stdout
    assert sorted(os.listdir(out)) == ["data", "demo.json", "demo.png"]
    assert all(requests <= most + 2 for requests in asked.values()), (asked, most)
    assert min(asked.values()) > 0.9 * most
    assert left_behind(mark) == []


def test_ctrl_c_leaves_nothing_behind():
    mark = f"DEMO_TEST=interrupted-{os.getpid()}"
    environment = {**os.environ, "DEMO_TEST": mark.partition("=")[2]}
    with started([*COMMAND, "--seconds", "120"], env=environment) as program:
        while not (line := program.stderr.readline()).startswith("day "):
            assert line, "the demo ended before time began"
        assert len(left_behind(mark)) >= 4
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
    assert (program.returncode, err.splitlines()[-1]) == (130, "recrawl: interrupted")
    assert "Traceback" not in err
    assert left_behind(mark) == []


def test_out_must_be_new(tmp_path, capsys):
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert "--out must be a new or an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--seconds", "0"), ("--budget", "-1"), ("--pages", "1")])
def test_bad_arguments(option, value, capsys):
    assert main(["demo", option, value]) == 2
    assert f"{option.removeprefix('--')} must be" in capsys.readouterr().err
