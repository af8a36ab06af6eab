"""`recrawl fit` on a log that `recrawl simulate --log` wrote."""

import json

import pytest

from recrawl.cli.main import main


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_fit_reads_what_simulate_wrote(suffix, tmp_path, capsys):
    rows = [f"u{i},{0.1 + 0.03 * i:.2f},{1 + i % 3},0.6,0.2" for i in range(30)]
    pages, log = tmp_path / "pages.csv", tmp_path / f"log.{suffix}"
    pages.write_text("\n".join(["url,change_rate,importance,recall,false_signal_rate", *rows]) + "\n", encoding="utf-8")
    argv = ["simulate", str(pages), "--rate", "15", "--horizon", "200", "--reps", "1", "--log", str(log)]
    assert main(argv) == 0
    capsys.readouterr()
    assert main(["fit", str(log), "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    # 3,000 crawls of 30 pages; the simulator's first crawls know how long ago time 0 was.
    assert (got["pages"], got["crawls"], got["first_visits"], got["malformed"]) == (30, 3000, 0, {})
    # The rates above have mean .535, and .616 of the signals are true.  Seeds 0 to 7 gave .515 to .568 and .587 to
    # .627, standard deviations of .021 and .014: bounds are about four of these away.
    assert got["groups"]["all"]["change_rate"] == pytest.approx(0.535, rel=0.15)
    assert got["groups"]["all"]["precision"] == pytest.approx(0.616, abs=0.06)
