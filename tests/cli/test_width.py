"""What commands print fits a terminal of 80 columns, and one of 40."""

import pytest

from recrawl.cli import layout
from recrawl.cli.main import main

SIMULATE = ["simulate", "--example", "--horizon", "10", "--workers", "1"]


def a_log(path):
    """Crawls and signals of four hosts, two sources."""
    rows = ["url,time,kind,changed,source"]
    for page in range(40):
        url = f"https://host-{page % 4}.example/{page}"
        for day in range(1, 15):
            rows.append(f"{url},{day + page / 100},crawl,{int((day * 7 + page * 3) % 5 == 0)},")
            if (day * 5 + page) % 3 == 0:
                rows.append(f"{url},{day + 0.6 + page / 100},signal,,{'feed' if page % 2 else 'sitemap'}")
    path.write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize(
    "argv",
    [
        [*SIMULATE, "--repetitions", "2"],
        [*SIMULATE, "--repetitions", "1", "--policy", "greedy-ncis:learn", "greedy-ncis", "ncis-approx-2"],
        ["bench", "optimal", "--pages", "1000"],
        ["plan", "--example", "--no-curve", "--floor", "0.001"],
        ["fit", "log.csv", "--by", "host", "--coincidence", "0.01"],
        ["reproduce", "--list"],
        ["reproduce", "value", "--out", "r"],
    ],
    ids=["simulate", "simulate-one-world", "bench", "plan", "fit", "reproduce-list", "reproduce"],
)
def test_lines_fit(argv, width, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    if "log.csv" in argv:
        a_log(tmp_path / "log.csv")
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if len(line) > width] == []
    assert out


def test_nothing_is_lost_where_a_table_stands_upright():
    headings, rows = ["policy", "freshness", "no change"], [["greedy", "0.36", "21%"], ["lds", "0.35", "20%"]]
    for width in (80, 20):
        text = "\n".join(layout.table(headings, rows, width))
        assert all(word in text for row in (headings[1:], *rows) for word in row)


def test_a_path_is_never_broken():
    path = "a/very/long/path-to-some/file.csv"
    assert path in "\n".join(layout.notes([f"wrote {path}"], 20))


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("command", ["plan", "fit", "next", "simulate", "bench", "reproduce", "dataset", "completion"])
def test_help_fits(command, width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    with pytest.raises(SystemExit):
        main([command, "--help"])
    out = capsys.readouterr().out
    wide = [line for line in out.splitlines() if len(line) > width]
    assert [line for line in wide if max(map(len, line.split())) < width - 10] == []  # but for long words


@pytest.mark.parametrize("width", [80, 110])
def test_paragraphs_of_help_are_filled_anew(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    with pytest.raises(SystemExit):
        main(["next", "--help"])
    paragraph = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert [line for line in paragraph[:-1] if len(line) < width - 20] == []


def test_commands_in_help_are_not_joined(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    examples = capsys.readouterr().out.partition("examples:\n")[2]
    assert examples.count("\n  curl ") == 3
