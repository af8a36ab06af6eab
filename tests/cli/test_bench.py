"""Tables of benchmarks, as people read them."""

import json
import math
import types

from recrawl.cli import bench
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


def test_what_was_not_measured_is_a_dash_in_tables_and_null_in_json(capsys, monkeypatch):
    rows = [{"what": "recovery", "us_each": math.nan, "calls": 1}, {"what": "lease", "us_each": 2.0, "calls": 9}]
    rows.append({"what": "memory", "us_each": math.nan, "calls": math.nan})
    module = types.SimpleNamespace(__doc__="A table.", run=lambda pages: rows)
    monkeypatch.setattr(bench, "import_module", lambda name: module)
    assert main(["bench", "model"]) == 0
    table = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert [line.split() for line in table[1:]] == [["recovery", "-", "1"], ["lease", "2", "9"], ["memory", "-", "-"]]
    assert main(["bench", "model", "--json"]) == 0
    got = json.loads(capsys.readouterr().out, parse_constant=lambda name: name)["model"]
    assert [row["us_each"] for row in got] == [None, 2.0, None]
