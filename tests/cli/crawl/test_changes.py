"""recrawl changes."""

import json
import os
import signal
import subprocess
import sys

import pytest

from recrawl.cli.main import main
from recrawl.outputs.changes import Change, Feed


@pytest.fixture
def folder(tmp_path):
    moved = Change("https://a.example/old", 1_700_000_060.0, "moved", status=301, moved_to="https://a.example/new")
    with Feed(tmp_path / "changes.ndjson") as feed:
        feed.append([Change("https://a.example/", 1_700_000_000.0, "new", "sha256:1", status=200), moved])
    return tmp_path


def test_lines_for_people(folder, capsys):
    assert main(["changes", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "       1  2023-11-14 22:13:20  new      https://a.example/",
        "       2  2023-11-14 22:14:20  moved    https://a.example/old -> https://a.example/new",
    ]


def test_lines_for_programs_after_an_id(folder, capsys):
    assert main(["changes", str(folder), "--json", "--since", "1"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert (json.loads(line)["id"], json.loads(line)["moved_to"]) == (2, "https://a.example/new")


def test_no_feed_yet_is_no_error(tmp_path, capsys):
    (tmp_path / "shelf").mkdir()
    assert (main(["changes", str(tmp_path)]), capsys.readouterr().out) == (0, "")


def test_a_folder_without_a_crawl_is_refused(tmp_path, capsys):
    assert main(["changes", str(tmp_path)]) == 2
    assert f"{tmp_path}: holds no crawl; start one with recrawl run --data" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "DIR must be the folder of a crawl"),
        ([".", "--since", "-1"], "--since must be the id of a change"),
    ],
)
def test_what_is_wrong_is_said(arguments, said, capsys):
    assert main(["changes", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_follower_sees_what_comes_and_is_interrupted(folder):
    command = [sys.executable, "-m", "recrawl", "changes", str(folder), "--follow", "--json", "--since", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert json.loads(program.stdout.readline())["id"] == 2
            with Feed(folder / "changes.ndjson") as feed:
                feed.append([Change("https://a.example/", 0.0, "gone")])
            assert json.loads(program.stdout.readline())["kind"] == "gone"
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=60)
            assert (program.returncode, err) == (130, "recrawl: interrupted\n")
        finally:
            if program.poll() is None:
                os.kill(program.pid, signal.SIGKILL)
