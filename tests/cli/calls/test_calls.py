"""`recrawl add`, `signal`, `lease`, `complete`, `rate` and `stats`, on a service and on a folder."""

import gzip
import json
import socket
import sys

import pytest

from recrawl.cli.calls import rows
from recrawl.cli.main import main
from recrawl.frontier import Frontier
from recrawl.server import tokens
from tests.client.served import Served
from tests.processes import finished

A, B = "https://a.example/", "https://b.example/"


def objects(out):
    return [json.loads(line) for line in out.splitlines()]


def test_pages_from_arguments_files_and_stdin(call, tmp_path):
    (tmp_path / "urls.txt").write_text(f"# pages\n{A}\n\n{A}1\n")
    (tmp_path / "more.ndjson.gz").write_bytes(gzip.compress(b'{"url": "https://b.example/", "importance": 3}\n'))
    given = [str(tmp_path / "urls.txt"), str(tmp_path / "more.ndjson.gz"), "https://c.example/", "-"]
    got = call("add", *given, lines="https://d.example/\n")
    assert got == ("pages: 5 new\n", "", 0)
    assert call("add", A) == ("pages: 1 known before\n", "", 0)
    assert call("add", lines="") == ("pages: 0 new\n", "", 0)
    (fresh,) = objects(call("stats", "--json")[0])
    assert fresh["counts"]["pages"] == 5


def test_rows_say_what_is_to_be_said_of_a_page(call):
    lines = f'{{"url": "{A}", "importance": 3, "every": null, "max_age": 60, "group": "g"}}\n{B}\n'
    assert call("add", "--json", lines=lines) == ('{"new": 2, "known": 0, "refused": 0}\n', "", 0)
    assert call("stats")[0].startswith("pages      2 on 2 hosts, 2 never fetched, 0 gone\n")


def test_a_line_that_is_not_utf_8_is_one_of_the_bad_ones(call, tmp_path):
    (tmp_path / "urls.txt").write_bytes(f"{A}\nhttps://caf\u00e9.example/\n{B}\n".encode("latin-1"))
    err = call("add", str(tmp_path / "urls.txt"))[1]
    assert err.startswith(f"recrawl: error: {tmp_path / 'urls.txt'}:2: must be UTF-8 text; convert it")
    out, err, status = call("add", "--skip-bad", str(tmp_path / "urls.txt"))
    assert (out, status) == ("pages: 2 new, 1 left out\n", 0)
    assert err.startswith("1 row left out: must be UTF-8 text")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nonsense", "url must be a complete URL, such as https://example.org/, got 'nonsense'"),
        ('{"url": 5}', "url must be a text, got 5"),
        ('{"page": "x"}', 'must be a JSON object with a url, got {"page": "x"}'),
        ("{broken", "must be a JSON object with a url, got {broken"),
        (f'{{"url": "{A}", "weight": 1}}', "weight must be one of url, importance, every, max_age, group"),
        (f'{{"url": "{A}", "importance": true}}', "importance must be a number, got True"),
        (f'{{"url": "{A}", "importance": -1}}', "importance must be from 0 to 1e+15, got -1.0"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_added(call, line, expected):
    out, err, status = call("add", lines=f"{B}\n{line}\n")
    assert (out, status) == ("", 2)
    assert err.startswith(f"recrawl: error: stdin:2: {expected}")
    assert objects(call("stats", "--json")[0])[0]["counts"]["pages"] == 0


def test_bad_lines_may_be_left_out(call):
    out, err, status = call("add", "ftp://x.example/", "-", "--skip-bad", lines=f"{A}\nnonsense\n{{}}\n")
    assert (out, status) == ("pages: 1 new, 3 left out\n", 0)
    assert "  stdin:2: url must be a complete URL" in err
    assert "  stdin:3: must be a JSON object with a url, got {}" in err
    assert "  argument:1: url must begin with http:// or https://" in err


def test_what_went_in_before_a_bad_line_is_told(call, monkeypatch):
    monkeypatch.setattr(rows, "AT_ONCE", 2)
    _, err, status = call("add", lines=f"{A}\n{B}\n{A}1\nnonsense\n")
    assert status == 2
    assert err.rstrip().endswith("got 'nonsense'; the 2 rows before are done")


def test_signals(call):
    call("add", A, B)
    assert call("signal", A, "https://x.example/", "--source", "editors")[0] == "signals: 1 heard, 1 of unknown pages\n"
    lines = f'{{"url": "{B}", "happened": "2026-01-31"}}\n{{"url": "{B}", "happened": 1769817600}}\n{B}\n'
    got = call("signal", "--source", "sitemap", "--json", lines=lines)[0]
    assert objects(got) == [{"heard": 2, "old": 0, "repeated": 1, "unknown": 0, "refused": 0}]
    out = call("stats")[0]
    assert "editors" in out
    assert "sitemap" in out


def test_what_is_leased_can_be_completed(call):
    call("add", A, B)
    out, err, status = call("lease", "-n", "5", "--lasts", "10m")
    pages = objects(out)
    assert ({page["url"] for page in pages}, err, status) == ({A, B}, "", 0)
    assert all(page["first"] for page in pages)
    done = [{**page, "status": 200, "digest": "v1", "etag": '"e"'} for page in pages]
    lines = "".join(json.dumps(row) + "\n" for row in done)
    assert call("complete", lines=lines) == ("outcomes: 2 first copies or not to compare\n", "", 0)
    assert call("complete", lines=lines)[0] == "outcomes: 2 told before\n"
    again = objects(call("lease", "-n", "5", "--wait", "60")[0])
    assert [page["etag"] for page in again] == ['"e"'] * len(again)
    assert again


def test_every_field_of_an_outcome(call):
    call("add", *[f"https://h{k}.example/" for k in range(4)])
    tokens_ = [page["token"] for page in objects(call("lease", "-n", "4")[0])]
    said = [
        {"status": 301, "moved_to": "https://new.example/", "at": 1_700_000_000},
        {"error": "timeout"},
        {"status": 503, "retry_after": 60},
        {"status": 200, "changed": True, "last_modified": "then"},
    ]
    lines = "".join(json.dumps({"token": t, **row}) + "\n" for t, row in zip(tokens_, said, strict=True))
    (got,) = objects(call("complete", "--json", lines=lines)[0])
    assert {name: count for name, count in got.items() if count} == {"unknown": 1, "failed": 2, "moved": 1}


def test_bad_outcomes_name_their_line(call, tmp_path):
    (tmp_path / "outcomes.ndjson").write_text('{"token": 77}\n')
    err = call("complete", str(tmp_path / "outcomes.ndjson"))[1]
    assert err == f"recrawl: error: {tmp_path / 'outcomes.ndjson'}:1: tokens must be those of leases, got 77\n"
    assert "must be a JSON object with a token" in call("complete", lines="https://a.example/\n")[1]


def test_no_number_of_pages_is_refused(call):
    assert call("lease", "-n", "0")[1:] == ("recrawl: error: -n must be at least 1, got 0\n", 2)


def test_no_page_is_no_error(call):
    assert call("lease", "--wait", "0.1") == ("", "no page is due; ask again in 0.1 s, or give --wait\n", 0)


def test_the_rate_is_shown_and_set(call):
    assert call("rate")[0] == "no limit\n"
    assert call("rate", "50/s")[0] == "50/s\n"
    assert call("rate")[0] == "50/s\n"
    assert call("rate", "0")[0] == "0/s\n"
    assert call("rate", "none")[0] == "no limit\n"
    assert call("rate", "quick")[2] == 2
    assert "rate must be at least 0" in call("rate", "-1")[1]


def test_statistics_for_people(call):
    call("add", A)
    assert call("stats")[0] == (
        "pages      1 on 1 hosts, 1 never fetched, 0 gone\n"
        "freshness  0.000 estimated, 0.000 by importance\n"
        "rate       no limit\n"
        "leases     0 in all, 0 open\n"
        "outcomes   0 changed, 0 unchanged, 0 first copies or not to compare, 0 failed, 0 gone, 0 moved, 0 late\n"
        "signals    0 heard, 0 dropped\n"
    )


def test_a_folder_is_opened_when_the_first_lines_have_come(tmp_path):
    """So that a pipe from lease to complete works: lease has the folder open until it has printed."""
    folder = str(tmp_path / "data")
    assert main(["add", A, "--data", folder]) == 0
    program = f"{sys.executable} -m recrawl"
    pipe = f"{program} lease --wait 60 --data {folder} | {program} complete --json --data {folder}"
    done = finished(["sh", "-c", pipe])
    assert (done.returncode, done.stderr, json.loads(done.stdout)["unknown"]) == (0, "", 1)


# -- whom to call ------------------------------------------------------------------------------------------------------


def test_add_makes_a_folder_and_the_others_do_not(tmp_path, capsys):
    folder = str(tmp_path / "new")
    assert main(["rate", "--data", folder]) == 2
    assert capsys.readouterr().err == f"recrawl: error: DIR must be the folder of a frontier, got {folder!r}\n"
    assert main(["add", A, "--data", folder]) == 0
    assert main(["rate", "--data", folder]) == 0


def test_a_folder_that_is_in_use_says_whom_to_ask(tmp_path, capsys):
    with Frontier.open(tmp_path / "data"):
        assert main(["rate", "--data", str(tmp_path / "data")]) == 2
    assert "or ask it, if it is a service: --server URL" in capsys.readouterr().err


def test_nobody_there_is_one_line_and_status_2(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert main(["rate", "--server", url]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {url} does not answer: connection refused\n"


def test_tokens_are_given_or_come_from_the_environment(tmp_path, monkeypatch, capsys):
    secret = tokens.made(tmp_path, "reader", "read")
    with Served(Frontier(), tokens.Tokens(tmp_path)) as served:
        whom = ["--server", served.url]
        assert main(["rate", *whom]) == 2
        assert "does not allow it: give a token" in capsys.readouterr().err
        assert main(["rate", *whom, "--token", secret]) == 0
        monkeypatch.setenv("RECRAWL_TOKEN", secret)
        assert main(["rate", *whom]) == 0
        assert main(["rate", "5/s", *whom]) == 2
        assert "this needs a token of scope admin" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["rate"], ["rate", "--server", "http://x", "--data", "y"]])
def test_one_of_both_is_needed(argv, capsys):
    assert main(argv) == 2
    assert "--server" in capsys.readouterr().err


def test_the_name_of_a_source_does_not_move_the_cursor(call):
    call("add", A)
    call("signal", A, "--source", "\x1b[2Jfeed\n")
    assert "\n\\x1b[2Jfeed\\n " in call("stats")[0]


@pytest.mark.parametrize("name", ["add", "signal", "lease", "complete", "rate", "stats"])
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    out = capsys.readouterr().out
    assert (stop.value.code, f"examples:\n  recrawl {name}" in out or "examples:\n  echo" in out) == (0, True)
