"""Large simulations: said to be long, or refused with what would fit, before they begin."""

import pytest

from recrawl.bench.mix import paper_mix
from recrawl.cli.main import main
from recrawl.cli.simulate import memory, size
from recrawl.cli.simulate.runs import Setting
from recrawl.errors import InfeasibleError
from recrawl.sim import Trace
from recrawl.sim.cost import Size

PAGES = paper_mix(1000)
WHOLE = Size.expected(PAGES, 100.0, 1000.0).bytes(["greedy"])


def setting(**changes):
    given = {
        "rate": 100.0,
        "policies": ("greedy",),
        "horizon": 1000.0,
        "warmup": None,
        "repetitions": 5,
        "seed": 0,
        "latency": None,
        "discard": 0.0,
        "believed_latency": None,
        "trace": None,
        "workers": 4,
    }
    return Setting(**(given | changes))


def refusal(free, monkeypatch, **changes):
    monkeypatch.setattr(size, "free_bytes", lambda: free / size.USED)
    with pytest.raises(InfeasibleError) as caught:
        size.announce(PAGES, setting(**changes))
    return str(caught.value)


def test_what_is_short_and_fits_is_not_mentioned():
    assert size.announce(PAGES, setting()) == []


def test_what_is_long_is_announced(monkeypatch):
    monkeypatch.setattr(size, "LONG_S", 0.0)
    (note,) = size.announce(PAGES, setting())
    assert note.startswith("100,000 crawls and ")
    assert note.endswith("minutes and 0.19 GB of memory; a shorter --horizon takes less")


def test_fewer_workers_are_offered_first(monkeypatch):
    got = refusal(2.5 * WHOLE, monkeypatch)
    assert got == (
        "this needs about 0.19 GB of memory, more than the 0.13 GB that are free; --workers 2 needs about 0.094 GB"
    )


def test_then_a_shorter_horizon_which_fits(monkeypatch):
    got = refusal(0.5 * WHOLE, monkeypatch)
    horizon = float(got.split("--horizon ")[1].split()[0])
    assert got.endswith("would fit")
    assert Size.expected(PAGES, 100.0, horizon).bytes(["greedy"]) == pytest.approx(0.5 * WHOLE, rel=1e-3)


def test_then_fewer_pages_at_a_rate_for_them(monkeypatch):
    got = refusal(0.01 * WHOLE, monkeypatch)
    assert got.endswith("a sample of 10 pages with --workers 1 --rate 1 would fit")


def test_a_trace_is_as_large_as_it_is(monkeypatch):
    trace = Trace.of([0, 1, 2], [1.0, 2.0, 3.0], ["change", "signal", "request"], page_count=1000)
    assert Size.of_trace(trace, 2.0, 3.0) == Size(1000, 1, 1, 6.0)
    assert "cut the trace" in refusal(1e4, monkeypatch, trace=trace, repetitions=1)


def test_a_system_that_does_not_say_refuses_nothing(monkeypatch):
    monkeypatch.setattr(size, "free_bytes", lambda: None)
    assert size.announce(PAGES, setting(workers=4000, repetitions=5000, horizon=1.0)) == []


def test_the_command_refuses_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(size, "free_bytes", lambda: 1e5)
    assert main(["simulate", "--example"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("recrawl: error: this needs about ")
    assert err.count("\n") == 1


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    4 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.free_bytes() == 4096.0
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert memory.free_bytes() == 4096.0
    (tmp_path / "memory.max").write_text("3000\n")
    assert memory.free_bytes() == 2000.0


def test_nothing_is_known_where_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.free_bytes() is None
