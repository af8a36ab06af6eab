"""Tables of benchmarks, as people read them."""

import json

from recrawl.cli.main import main


def test_more_measures_than_rows_are_a_line_each_and_nothing_is_cut(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    assert main(["bench", "optimal", "--pages", "1000"]) == 0
    out = capsys.readouterr().out
    table = out.split("\n\n")[1].splitlines()
    names = ["signals", "pages", "freshness", "steps", "solve s", "pass s", "passes"]
    assert [line[: len("freshness")].strip() for line in table] == names
    assert table[1].split()[1:] == ["1,000", "1,000"]


def test_json_has_a_mapping_a_row(capsys):
    assert main(["bench", "optimal", "--pages", "1000", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["optimal"]
    assert [row["signals"] for row in rows] == ["used", "not used"]
