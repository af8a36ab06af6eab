"""recrawl run, status and init on the command line."""

import signal
import sys
import tomllib

import pytest

from recrawl.cli.main import main
from recrawl.livingweb import LivingWeb, many
from tests.crawler.site import site
from tests.processes import LIMIT_S, started


def test_a_dry_run_fetches_nothing_and_writes_nothing(tmp_path, capsys):
    with LivingWeb(many(1, 3)) as web:
        (url,) = web.urls.values()
        data = tmp_path / "data"
        assert main(["run", "--site", url, "--rate", "5/s", "--data", str(data), "--allow-private", "--dry-run"]) == 0
        assert web.agents() == []
    out = capsys.readouterr().out
    assert "432,000 requests a day" in out
    assert not data.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--compare", "css:["], "compare must"),
        (["--config", "rules.toml"], "compare must be bytes, text"),
        (["--contact", "me"], "contact must be a mail address or a URL"),
        (["--listen", "nowhere"], "listen must be HOST:PORT"),
        (["--serve", "0.0.0.0:8700"], "listen must be"),
        ([], "give --data DIR"),
    ],
)
def test_a_dry_run_refuses_what_a_run_refuses(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text('[compare_sites]\n"https://a.example/" = "cs:main"\n')
    data = ["--data", str(tmp_path / "data")] if words else []
    for more in (["--dry-run"], []):
        given = ["run", "--site", "https://a.example/", "--contact", "me@a.example", *data, *words, *more]
        assert main(given) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_run_without_contact_is_refused(tmp_path, capsys):
    assert main(["run", "--site", "https://a.example/", "--data", str(tmp_path / "d")]) == 2
    assert "give --contact MAIL" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_init_writes_a_file_that_run_takes(tmp_path, capsys):
    path = tmp_path / "recrawl.toml"
    assert main(["init", str(path), "--site", "https://a.example/", "--contact", "me@a.example", "--rate", "2/s"]) == 0
    assert main(["init", str(path)]) == 2
    assert main(["run", "--config", str(path), "--dry-run", "--rate", "3/s"]) == 0
    assert "259,200 requests a day" in capsys.readouterr().out


def test_init_writes_characters_beyond_16_bits_as_toml_has_them(tmp_path):
    path = tmp_path / "recrawl.toml"
    assert (
        main(
            [
                "init",
                str(path),
                "--site",
                "https://a.example/\N{SPARKLES}\N{GRINNING FACE}",
                "--data",
                "d\N{GRINNING FACE}",
            ]
        )
        == 0
    )
    assert tomllib.loads(path.read_text(encoding="utf-8"))["data"] == "d\N{GRINNING FACE}"


def test_status_of_a_folder_without_a_crawl(tmp_path, capsys):
    assert main(["status", str(tmp_path)]) == 2
    assert "holds no crawl" in capsys.readouterr().err


ONCE = ["run", "--once", "--rate", "none", "--gap", "0", "--allow-private", "--data"]


def test_once_ends_with_1_where_not_one_page_could_be_fetched(tmp_path, capsys):
    with site({"/robots.txt": (200, b"User-agent: *\nDisallow: /\n")}) as url:
        assert main([*ONCE, str(tmp_path), "--site", url]) == 1
    assert "every page was tried; 1 could not be fetched (robots)" in capsys.readouterr().err


def test_once_ends_with_0_where_some_could(tmp_path, capsys):
    (tmp_path / "urls.txt").write_text("http://127.0.0.1:1/\n")
    with site({"/": (200, b"hello")}) as url:
        more = ["--site", url, "--urls", str(tmp_path / "urls.txt"), "--contact", "me@a.example"]
        assert main([*ONCE, str(tmp_path / "data"), *more]) == 0
    assert "every page was tried; 1 could not be fetched (" in capsys.readouterr().err


def test_ctrl_c_stops_cleanly_and_status_says_so(tmp_path, capsys):
    with LivingWeb(many(1, 20)) as web:
        (url,) = web.urls.values()
        command = [sys.executable, "-m", "recrawl", "run", "--site", url, "--rate", "20/s", "--gap", "0"]
        with started([*command, "--data", str(tmp_path), "--allow-private"]) as program:
            while "running" not in (line := program.stderr.readline()):
                assert "compiling" in line
            program.send_signal(signal.SIGINT)
            _, err = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, "Traceback" in err) == (0, False)
    assert main(["status", str(tmp_path)]) == 0
    assert "stopped: interrupted" in capsys.readouterr().out
