"""Files that commands must not write over, by what they are."""

import pytest

from recrawl.cli.main import main

LOG = "page,time,changed\na,1,0\na,2,1\n"
PAGES = "url,change_rate\na,1\n"
EVENTS = "page,time,kind\na,1,change\n"


@pytest.mark.parametrize(
    ("argv", "out", "what"),
    [
        (["fit", "log.csv"], "log.csv", "the log"),
        (["fit", "log.csv", "--signals", "signals.csv"], "signals.csv", "the signal log"),
        (["fit", "log.csv", "--pages", "pages.csv"], "pages.csv", "the pages file"),
        (["simulate", "pages.csv", "--rate", "1"], "pages.csv", "the pages file"),
        (["simulate", "pages.csv", "--rate", "1", "--trace", "events.csv"], "events.csv", "the trace"),
        (["plan", "pages.csv", "--rate", "1"], "pages.csv", "the pages file"),
    ],
)
def test_a_file_that_is_read_is_never_written_over(argv, out, what, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = {"log.csv": LOG, "signals.csv": "page,time\na,1.5\n", "pages.csv": PAGES, "events.csv": EVENTS}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main([*argv, "--out", out]) == 2
    expected = f"recrawl: error: --out must not be {what}, got {out!r}; name another file\n"
    assert (capsys.readouterr().err, (tmp_path / out).read_text(encoding="utf-8")) == (expected, texts[out])
