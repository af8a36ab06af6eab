"""`recrawl plan`: a wrong request is one line that says what to do, and status 2."""

import pytest

from recrawl.cli.main import main
from recrawl.errors import InfeasibleError, InputError
from recrawl.optimal import curve
from recrawl.optimal import plan as planning


def test_an_impossible_floor_is_an_error(small, capsys):
    assert main(["plan", small, "--rate", "5", "--floor", "1"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("recrawl: error: ")
    assert "20" in err  # the rate it would take


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["plan"], "give either a pages file or --example; see 'recrawl plan --help'"),
        (["plan", "x.csv", "--example"], "give either a pages file or --example; see 'recrawl plan --help'"),
        (["plan", "x.csv"], "--rate is missing; give the crawls per unit of time, e.g. --rate 100"),
        (["plan", "--example", "--rate", "0"], "--rate must be positive and finite, got 0"),
        (["plan", "--example", "--rate", "nan"], "--rate must be positive and finite, got nan"),
        (["plan", "--example", "--rate", "inf"], "--rate must be positive and finite, got inf"),
        (
            ["plan", "--example", "--rate", "1e308"],
            "--rate must be in [1e-300, 1e+300], got 1e+308; use another unit of time",
        ),
        (
            ["plan", "--example", "--rate", "1e-310"],
            "--rate must be in [1e-300, 1e+300], got 1e-310; use another unit of time",
        ),
        (["plan", "--example", "--floor", "-1"], "--floor must be finite and not negative, got -1"),
        (["plan", "--example", "--floor", "1e308"], "--floor must not exceed --rate, got 1e+308 and 100"),
        (["plan", "--example", "--out", "plan.txt"], "--out must end in .csv or .parquet, got 'plan.txt'"),
        (["plan", "--example", "--out", ""], "--out must end in .csv or .parquet, got ''"),
        (["plan", "--example", "--plot", "a.gif"], "--plot must end in .png, .svg or .pdf, got 'a.gif'"),
        (
            ["plan", "--example", "--out", "no/such/plan.csv"],
            "--out must be in an existing folder, got 'no/such/plan.csv'",
        ),
        (
            ["plan", "--example", "--plot", "no/such/a.png"],
            "--plot must be in an existing folder, got 'no/such/a.png'",
        ),
        (
            ["plan", "--example", "--plot", "a.png", "--no-curve"],
            "--plot draws the curve that --no-curve skips; drop one of them",
        ),
        (["plan", "absent.csv", "--rate", "1"], "absent.csv: cannot be read: No such file or directory"),
    ],
)
def test_wrong_requests_are_one_line_and_status_2(argv, expected, capsys):
    status = main(argv)
    assert (status, capsys.readouterr().err) == (2, f"recrawl: error: {expected}\n")


def test_a_bad_row_is_reported_with_its_line(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate,recall\n1,0\n1,2\n", encoding="utf-8")
    assert main(["plan", str(path), "--rate", "1"]) == 2
    assert capsys.readouterr().err.startswith(f"recrawl: error: {path}:3: recall must be in [0, 1], got 2")


def refusing(error):
    def solve(*args, **options):
        raise error

    return solve


def test_a_row_the_solver_refuses_is_reported_with_its_line(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate\n1\n\n2\n", encoding="utf-8")
    error = InputError("change_rate must be less extreme, got 2.0 in row 1; use another unit of time", row=1)
    monkeypatch.setattr(planning, "optimum", refusing(error))
    assert main(["plan", str(path), "--rate", "1"]) == 2
    expected = f"recrawl: error: {path}:4: change_rate must be less extreme, got 2.0; use another unit of time\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("kind", [InputError, InfeasibleError])
def test_a_request_the_solver_refuses_is_one_line(kind, small, monkeypatch, capsys):
    monkeypatch.setattr(planning, "optimum", refusing(kind("rate must be higher, got 1.0")))
    assert main(["plan", small, "--rate", "1"]) == 2
    assert capsys.readouterr().err == "recrawl: error: rate must be higher, got 1.0\n"


def test_a_rate_the_curve_cannot_reach_names_the_way_out(small, monkeypatch, capsys):
    monkeypatch.setattr(curve, "optimum", refusing(InfeasibleError("rate 8 cannot be spent")))
    assert main(["plan", small, "--rate", "1"]) == 2
    expected = "recrawl: error: no curve from rate/8 to 8 rate, see --no-curve: rate 8 cannot be spent\n"
    assert capsys.readouterr().err == expected
