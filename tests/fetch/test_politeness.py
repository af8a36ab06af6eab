"""What the gate promises, in virtual time."""

import asyncio
from collections import defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.clock import ScaledClock, SystemClock, seconds_since_boot
from recrawl.errors import InputError
from recrawl.fetch import Gate
from tests.fetch.virtual_time import run

ROUNDING = 1e-6  # times are sums of floats around 1e3


def url(host):
    return f"http://h{host}.example/"


requests = st.lists(
    st.tuples(
        st.integers(0, 4),  # host
        st.floats(0.0, 20.0),  # when it comes
        st.floats(0.0, 3.0),  # how long it takes to be sent
        st.floats(0.0, 3.0),  # to be answered
        st.floats(0.0, 3.0),  # and to be over
        st.one_of(st.none(), st.floats(0.0, 5.0)),  # after how long it is cancelled
    ),
    max_size=40,
)


async def crawl(gate, clock, wanted):
    """All requests through the gate; gives (host, entered, sent, answered, left) of those that entered."""
    log = []

    async def one(host, at, to_send, to_answer, to_end):
        await asyncio.sleep(clock.real(at))
        turn = await gate.enter(url(host))
        entry = [host, clock.monotonic(), None, None, None]
        log.append(entry)
        try:
            await asyncio.sleep(clock.real(to_send))
            turn.asked()
            entry[2] = clock.monotonic()
            await asyncio.sleep(clock.real(to_answer))
            turn.answered()
            entry[3] = clock.monotonic()
            await asyncio.sleep(clock.real(to_end))
        finally:
            entry[4] = clock.monotonic()
            turn.leave()

    async def perhaps(host, at, to_send, to_answer, to_end, patience):
        task = asyncio.create_task(one(host, at, to_send, to_answer, to_end))
        if patience is not None:
            await asyncio.wait([task], timeout=clock.real(at + patience))
            task.cancel()
        await asyncio.wait([task])

    await asyncio.gather(*(perhaps(*want) for want in wanted))
    return log


def most_in_any_window(times, rate):
    """Whether requests <= rate x window + 1 in every window of a second or more."""
    times = sorted(times)
    return all(
        j - i + 1 <= rate * max(times[j] - times[i], 1.0) + 1 + ROUNDING
        for i in range(len(times))
        for j in range(i, len(times))
    )


@given(
    requests,
    st.floats(0.2, 30.0),
    st.sampled_from([0.0, 0.5, 2.0]),
    st.integers(1, 3),
    st.integers(1, 6),
    st.sampled_from([1.0, 1000.0]),
)
@settings(max_examples=150, deadline=None)
def test_rate_gaps_and_requests_in_flight_are_never_exceeded(wanted, rate, gap, most, connections, scale):
    async def main(clock):
        gate = Gate(clock, rate, gap, most, connections=connections)
        log = await crawl(gate, clock, wanted)
        assert (gate.in_flight, gate.waiting) == (0, 0)
        return log

    log = run(main, scale)
    assert most_in_any_window([entry[1] for entry in log], rate)
    by_host = defaultdict(list)
    for entry in log:
        by_host[entry[0]].append(entry)
    for entries in by_host.values():
        assert entries[0][1] >= gap - ROUNDING  # every host counts as asked when the gate is made
        for before, after in combinations(entries, 2):
            # Something may be asked of the host in the moment the next one enters, but only where there is no gap.
            asked = [time for time in before[1:4] if time is not None and time < after[1] - ROUNDING]
            assert after[1] - max(asked, default=-gap) >= gap - ROUNDING
            assert not gap or after[1] - before[1] >= gap - ROUNDING
            if gap and before[4] > after[1] + ROUNDING:
                assert before[2] is not None  # none enters while another is on its way out
                assert before[2] <= after[1] + ROUNDING
        for entry in entries:
            assert sum(other[1] <= entry[1] < other[4] for other in entries) <= most
    for entry in log:
        assert sum(other[1] <= entry[1] < other[4] for other in log) <= connections


@given(requests, st.floats(0.2, 30.0), st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_nobody_waits_for_ever(wanted, rate, connections):
    """The virtual loop raises when everybody waits and no timer is set."""
    patient = [(*want[:5], None) for want in wanted]

    async def main(clock):
        return await crawl(Gate(clock, rate, 0.5, 1, connections=connections), clock, patient)

    assert len(run(main)) == len(wanted)


def test_the_rate_is_used_though_timers_are_late():
    """Late by up to 2 ms, at 100 a second: a gate that only spaced them would lose a tenth."""

    class Late:
        def __init__(self, clock):
            self.wall, self.monotonic = clock.wall, clock.monotonic

        def real(self, seconds):
            return seconds + 0.002

    async def main(clock):
        gate = Gate(Late(clock), 100.0, 0.0, 10_000, connections=10_000)
        times = []

        async def one(k):
            await gate.enter(url(k))
            times.append(clock.monotonic())

        await asyncio.gather(*(one(k) for k in range(2000)))
        return times

    times = run(main)
    assert most_in_any_window(times, 100.0)
    assert times[-1] < 2000 / 100.0 * 1.02


def test_hosts_take_turns():
    async def main(clock):
        gate = Gate(clock, 10.0, 0.0, 1)
        order = []

        async def one(host):
            await gate.enter(url(host))
            order.append(host)
            gate.leave(url(host))

        await asyncio.gather(*(one(host) for host in [0] * 10 + [1] * 3))
        return order

    assert run(main)[:7] == [0, 0, 1, 0, 1, 0, 1]


def test_requests_of_a_host_go_in_their_order():
    async def main(clock):
        gate, order = Gate(clock, None, 1.0, 1), []

        async def one(k):
            await gate.enter(url(0))
            order.append((k, clock.monotonic()))
            gate.leave(url(0))

        await asyncio.gather(*(one(k) for k in range(4)))
        return order

    assert run(main) == [(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]


def test_a_held_host_waits_and_others_do_not():
    async def main(clock):
        gate, times = Gate(clock, None, 0.0, 1), {}
        gate.hold("h0.example", clock.wall() + 100.0)
        gate.hold("h0.example", clock.wall() + 50.0)

        async def one(host):
            await gate.enter(url(host))
            times[host] = clock.monotonic()

        await asyncio.gather(one(0), one(1))
        return times

    got = run(main)
    assert got[1] == 0.0
    assert got[0] == pytest.approx(100.0, abs=1e-5)  # the clock on the wall has fewer digits


def test_a_host_held_while_somebody_waits_waits_longer():
    async def main(clock):
        gate = Gate(clock, None, 1.0, 1)
        task = asyncio.create_task(gate.enter(url(0)))
        await asyncio.sleep(0.5)
        gate.hold("h0.example", clock.wall() + 10.0)
        await task
        return clock.monotonic()

    assert run(main) == pytest.approx(10.5, abs=1e-5)


def test_a_host_can_have_its_own_gap_and_number():
    async def main(clock):
        gate = Gate(clock, None, 1.0, 1)
        gate.set_host("h0.example", gap=3.0)
        gate.set_host("h1.example", gap=0.0, max_in_flight=5)
        times = defaultdict(list)

        async def one(host):
            await gate.enter(url(host))
            times[host].append(clock.monotonic())
            if host != 1:
                gate.leave(url(host))

        await asyncio.gather(*(one(host) for host in [0, 0, 1, 1, 1, 1, 1]))
        return times

    assert run(main) == {0: [3.0, 6.0], 1: [0.0] * 5}


def test_the_gap_counts_from_when_the_request_was_sent_and_answered():
    async def main(clock):
        gate = Gate(clock, None, 1.0, 2)
        await asyncio.sleep(1.0)
        turn = await gate.enter(url(0))
        task = asyncio.create_task(gate.enter(url(0)))
        await asyncio.sleep(5.0)  # connecting
        assert not task.done()
        turn.asked()
        await asyncio.sleep(0.5)
        turn.answered()
        await task
        return clock.monotonic()

    assert run(main) == 7.5


def test_a_changed_rate_holds_from_now_on():
    async def main(clock):
        gate = Gate(clock, 0.001, 0.0, 100)
        await gate.enter(url(0))
        task = asyncio.create_task(gate.enter(url(1)))
        await asyncio.sleep(1.0)
        gate.set_rate(1.0)
        await task
        return clock.monotonic()

    assert run(main) < 2.2


def test_thousands_of_hosts_are_forgotten_when_nothing_is_known_of_them():
    async def main(clock):
        gate = Gate(clock, None, 1.0, 1)
        await asyncio.sleep(1.0)
        gate.set_host("h0.example", gap=2.0)
        for k in range(50_000):
            await gate.enter(url(k + 1))
            gate.leave(url(k + 1))
            if k % 1000 == 0:
                await asyncio.sleep(2.0)
        return gate

    gate = run(main)
    assert len(gate._hosts) < 10_000
    assert "h0.example" in gate._hosts


@pytest.mark.parametrize("clock", [SystemClock(), ScaledClock(1000.0, start=0.0, began=seconds_since_boot())])
def test_real_clocks_serve(clock):
    async def main():
        gate = Gate(clock, 200.0, 0.01, 1)
        began = clock.monotonic()
        for _ in range(5):
            await gate.enter(url(0))
            gate.leave(url(0))
        gate.close()
        return clock.monotonic() - began

    assert asyncio.run(main()) >= 0.04


def test_leaving_twice_counts_once():
    async def main(clock):
        gate = Gate(clock, None, 0.0, 2)
        turn, _ = await gate.enter(url(0)), await gate.enter(url(0))
        turn.leave()
        turn.leave()
        return gate.in_flight

    assert run(main) == 1


def test_leaving_without_having_entered_is_refused():
    with pytest.raises(InputError, match="url must be one that entered"):
        Gate(SystemClock(), None, 0.0, 1).leave(url(0))


@pytest.mark.parametrize(
    "wrong", [{"rate": 0.0}, {"rate": -1.0}, {"gap": -1.0}, {"max_in_flight": 0}, {"connections": 0}, {"window": 0.0}]
)
def test_arguments_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Gate(**{"clock": SystemClock(), "rate": 1.0, "gap": 1.0, "max_in_flight": 1, **wrong})
