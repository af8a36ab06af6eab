"""Scheduler and learner as one."""

import numpy as np
import pytest

from recrawl import InputError, Scheduler
from recrawl.engine.core.layout import ALPHA
from recrawl.learn import Learner
from recrawl.pairing import Pairing


def paired(n=6, **keywords):
    return Pairing.start(Learner(n, now=0.0), **keywords)


def test_signals_in_flight_belong_to_the_next_interval_in_both():
    pairing = paired()
    pairing.signal([2, 2, 2], 1.0)
    pairing.hold([2], 2.0)
    pairing.signal([2], 2.5)
    pairing.crawled([2], [True], at=2.2, now=3.0)
    assert pairing.learner.heard([2]).tolist() == [1]
    page = pairing.learner.pages([2])
    expected = page.unsignalled_rate * (4.0 - 2.2) + page.signal_weight * 0.0
    assert pairing.scheduler.staleness([2], 4.0) > expected  # the signal counts there, too
    assert pairing.learner.crawled([2]).tolist() == [2.2]


def test_weighted_signals_in_flight_are_kept_with_their_weight():
    pairing = paired()
    pairing.learner.signalled([2], 1.0, weights=0.25)
    pairing.hold([2], 2.0)
    pairing.learner.signalled([2], 2.5, weights=0.5)
    pairing.crawled([2], [True], at=2.2, now=3.0)
    assert pairing.learner.heard([2]).tolist() == [0.5]


def test_a_failed_fetch_teaches_nothing_and_loses_nothing():
    pairing, untouched = paired(), paired()
    for each in (pairing, untouched):
        each.signal([1, 1], 1.0)
    pairing.hold([1], 2.0)
    pairing.signal([1], 2.1)
    untouched.signal([1], 2.1)
    pairing.failed([1], 2.5, not_before=3.0)
    assert pairing.learner.heard([1]).tolist() == untouched.learner.heard([1]).tolist() == [3]
    assert pairing.learner.outcomes == 0
    assert pairing.scheduler.staleness([1], 4.0) == pytest.approx(untouched.scheduler.staleness([1], 4.0))


def test_a_first_copy_begins_an_interval_and_teaches_nothing():
    pairing = paired(2)
    (new,) = pairing.add(1, 5.0, fetched=False).tolist()
    assert pairing.scheduler.staleness([new], 5.0).tolist() == [np.inf]
    assert pairing.lease(1, 6.0).tolist() == [new]
    pairing.crawled([new], [np.nan], at=6.5, now=6.5)
    assert (pairing.learner.outcomes, pairing.learner.crawled([new]).tolist()) == (0, [6.5])
    assert pairing.scheduler.staleness([new], 6.5).tolist() == [0.0]
    pairing.hold([new], 8.0)
    pairing.crawled([new], [1], at=8.0, now=8.0)
    assert pairing.learner.outcomes == 1


def test_ids_of_removed_pages_stand_for_others():
    pairing = paired(4)
    for day in range(1, 30):
        pairing.hold([3], float(day))
        pairing.crawled([3], [True], at=float(day), now=float(day))
    busy = pairing.learner.pages([3]).change_rate[0]
    pairing.remove([3])
    assert pairing.add(3, 30.0).tolist() == [3, 4, 5]
    assert len(pairing.learner) == 6
    assert pairing.learner.pages([3]).change_rate[0] < busy
    assert pairing.learner.pages([3]).change_rate == pytest.approx(pairing.learner.pages([4]).change_rate)


def test_beliefs_reach_the_scheduler_in_slices_and_all_of_them(monkeypatch):
    pairing = paired(40, spread=3)
    told = []
    update = pairing.scheduler.update
    monkeypatch.setattr(pairing.scheduler, "update", lambda ids, *rest: (told.append(ids.tolist()), update(ids, *rest)))
    pairing.hold([7], 1.0)
    pairing.crawled([7], [True], at=1.0, now=1.0)  # the first outcome of all says how long a round is
    assert 30 <= pairing.waiting < 40
    while pairing.waiting:
        pairing.hold([7], 1.0)
        pairing.crawled([7], [np.nan], at=1.0, now=1.0)
    assert max(map(len, told)) <= 3
    assert set(range(40)) <= {i for ids in told[1:] for i in ids}
    assert pairing.scheduler._core.numbers[:40, ALPHA] == pytest.approx(pairing.learner.pages().unsignalled_rate)


def test_all_at_once_unless_told_otherwise():
    pairing = paired(40)
    pairing.hold([7], 1.0)
    pairing.crawled([7], [True], at=1.0, now=1.0)
    assert pairing.waiting == 0


def test_pages_removed_meanwhile_are_passed_over():
    pairing = paired(30, spread=1)
    for step in range(1, 40):
        pairing.hold([step % 20], float(step))
        pairing.crawled([step % 20], [step % 2], at=float(step), now=float(step))
    pairing.remove(np.arange(20, 30))
    for step in range(40, 80):
        pairing.hold([step % 20], float(step))
        pairing.crawled([step % 20], [np.nan], at=float(step), now=float(step))
    assert pairing.waiting == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.crawled([0, 1], [True], 1.0, 1.0), "changed must be 0, 1 or NaN for each of 2"),
        (lambda p: p.crawled([0], [2], 1.0, 1.0), "changed must be 0, 1 or NaN for each of 1"),
        (lambda p: p.crawled([0], ["yes"], 1.0, 1.0), "changed must be 0, 1 or NaN for each of 1"),
        (lambda p: p.crawled([9], [1], 1.0, 1.0), "ids must be those of pages, got 9; there are 0 to 5"),
        (lambda p: p.crawled([0, 0], [1, 1], 1.0, 1.0), "got 0 more than once"),
        (lambda p: p.failed([0], 1.0), "ids must be leased, got 0"),
        (lambda p: p.add(1, 1.0, importance=-1.0), "importance must be finite and >= 0"),
        (lambda p: p.add(1, 1.0, kinds=["a"]), "kinds must be 1 whole numbers"),
        (lambda p: p.add(1, 1.0, prior="x"), "prior must be numbers"),
        (lambda p: p.add(1, 1.0, max_age=0.0), "max_age must be > 0"),
        (lambda p: Pairing(Scheduler(p.learner.pages()[:3]), p.learner), "scheduler must have the learner's 6 pages"),
        (lambda p: Pairing(p.scheduler, p.learner, spread=0), "spread must be a whole number >= 1"),
    ],
)
def test_bad_input_changes_nothing(call, message):
    pairing = paired()
    before = pairing.learner.pages(), pairing.learner.heard(np.arange(6)).tolist()
    with pytest.raises(InputError, match=message):
        call(pairing)
    assert (len(pairing), len(pairing.learner)) == (6, 6)
    assert (pairing.learner.outcomes, pairing.learner.heard(np.arange(6)).tolist()) == (0, before[1])
    assert pairing.scheduler.value(np.arange(6), 2.0).tolist() == paired().scheduler.value(np.arange(6), 2.0).tolist()
