import pytest

import recrawl
from recrawl.cli import bench
from recrawl.cli.main import main
from recrawl.cli.plan import command as plan


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"recrawl {recrawl.__version__}\n"


@pytest.mark.parametrize("argv", [["--help"], ["plan", "--help"], ["fit", "--help"], ["bench", "--help"]])
def test_help_is_given(argv, capsys):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("usage: recrawl")


def test_plan_help_explains_every_column(capsys):
    from recrawl.files.pages import KNOWN

    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    out = capsys.readouterr().out
    assert [name for name in KNOWN if f"\n  {name} " not in out] == []


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], "recrawl: error: the following arguments are required: COMMAND; see 'recrawl --help'\n"),
        (
            ["plan", "--rate", "many"],
            "recrawl: error: argument --rate: invalid number value: 'many'; see 'recrawl plan --help'\n",
        ),
        (
            ["plan", "--rate", "1_000"],
            "recrawl: error: argument --rate: invalid number value: '1_000'; see 'recrawl plan --help'\n",
        ),
        (["plan", "--exam"], "recrawl: error: unrecognized arguments: --exam; see 'recrawl --help'\n"),
        (["bench", "--js"], "recrawl: error: unrecognized arguments: --js; see 'recrawl --help'\n"),
        (["plna"], "recrawl: error: there is no command 'plna'; did you mean plan?; see 'recrawl --help'\n"),
        (["zzz"], "recrawl: error: there is no command 'zzz'; see 'recrawl --help'\n"),
        (["bench", "moddel"], f"recrawl: error: unknown benchmark 'moddel'; known: {', '.join(bench.NAMES)}\n"),
        (["bench", "--pages", "0"], "recrawl: error: --pages must be at least 1, got 0\n"),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(argv, expected, capsys):
    status = main(argv)
    assert (status, capsys.readouterr().err) == (2, expected)


def test_interrupt_is_status_130_without_a_traceback(monkeypatch, capsys):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "_check", interrupted)
    assert main(["plan", "--example"]) == 130
    assert capsys.readouterr().err == "recrawl: interrupted\n"


class FakeBenchmark:
    """How fast nothing is."""

    NOTES = ("one core",)

    @staticmethod
    def run(pages):
        return [{"what": "value", "pages": pages or 1_000_000, "ns_per_page": 12.5}]


@pytest.fixture
def fake_benchmark(monkeypatch):
    monkeypatch.setattr(bench, "import_module", lambda name: FakeBenchmark)


@pytest.mark.usefixtures("fake_benchmark")
def test_bench_prints_a_table(capsys):
    assert main(["bench", "model"]) == 0
    out = capsys.readouterr().out
    assert all(part in out for part in ("model: How fast nothing is.", "ns per page", "1,000,000", "note: one core"))


@pytest.mark.usefixtures("fake_benchmark")
def test_bench_prints_json(capsys):
    import json

    assert main(["bench", "model", "--pages", "10", "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got == {"model": [{"what": "value", "pages": 10, "ns_per_page": 12.5}]}
