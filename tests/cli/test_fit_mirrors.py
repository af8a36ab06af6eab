"""What ``recrawl fit`` says of sources that repeat each other."""

import json

import pytest

from recrawl.cli.main import main
from tests.learn.signal_logs import signal_log


def fitted(folder, kind, capsys, *more):
    crawls, signals = signal_log(folder, kind, seed=1)
    assert main(["fit", crawls, "--signals", signals, "--start", "0", *more]) == 0
    return capsys.readouterr().out


def test_a_mirror_is_named_and_counted_as_one_source(tmp_path, capsys):
    out = fitted(tmp_path, "mirror", capsys)
    assert "\nsitemap = feed  " in out
    assert "feed repeats sitemap, so the two count as one source, here and in the estimates: 100% of its signals" in out
    assert "come at the moment of one of the other's; independent sources: at most 2" in out


def test_a_mirror_is_in_the_json(tmp_path, capsys):
    got = json.loads(fitted(tmp_path, "mirror", capsys, "--json"))
    assert list(got["sources"]) == ["sitemap = feed", "ping"]
    assert (got["sources_judged"], got["contradictions"]) == ("together", [])
    assert [(m["copy"], m["original"], m["share"]) for m in got["mirrors"]] == [("feed", "sitemap", 1.0)]
    # 150 days of 40 pages, .6 changes a day: no more true pings than pings
    ping = got["sources"]["ping"]
    assert ping["recall"] <= ping["heard"] / (150 * 40 * 0.6) * 1.1


def test_what_contradicts_is_shown_and_each_source_is_judged_by_itself(tmp_path, capsys):
    out = fitted(tmp_path, "half and half", capsys)
    assert "signals by source (each judged by itself" in out
    assert "not judged together: that takes sources to be independent" in out
    assert " of the signals of feed come with one of sitemap; independent sources: at most 2" in out
    assert "ping: recall 0." in out


def test_what_contradicts_is_in_the_json(tmp_path, capsys):
    got = json.loads(fitted(tmp_path, "half and half", capsys, "--json"))
    assert got["sources_judged"] == "each by itself"
    assert {c["source"] for c in got["contradictions"]} == {"sitemap", "feed", "ping"}
    assert [(pair["a"], pair["b"]) for pair in got["dependent"]] == [("feed", "sitemap")]
    # 5 standard errors of .015: 6e-7 by chance
    assert got["sources"]["ping"]["recall"] == pytest.approx(0.25, abs=0.075)


def test_independent_sources_need_no_words(tmp_path, capsys):
    out = fitted(tmp_path, "independent", capsys)
    assert "signals by source (judged together" in out
    assert "repeats" not in out
    assert "not judged together" not in out


def test_a_mirror_does_not_count_twice_in_the_estimates_of_pages(tmp_path, capsys):
    """The same log without the copy's rows gives the same pages."""
    crawls, signals = signal_log(tmp_path, "mirror", seed=1)
    alone = tmp_path / "alone.csv"
    with open(signals, encoding="utf-8") as file:
        alone.write_text("".join(line for line in file if ",feed" not in line), encoding="utf-8")
    found = []
    for path in (signals, str(alone)):
        assert main(["fit", crawls, "--signals", path, "--start", "0", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["groups"]["all"])
    assert found[0] == pytest.approx(found[1], rel=1e-9)
