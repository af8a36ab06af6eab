"""A saved learner goes on where it stopped; a file that is not exactly what was saved is refused."""

import numpy as np
import pytest

from recrawl import DataError, InputError
from recrawl.engine import Scheduler
from recrawl.learn import Hints, Learner
from tests.learn.crawling import crawl_in_rounds, mixed_pages


def used(m=60):
    rng = np.random.default_rng(1)
    learner = Learner(m, np.arange(m) % 4, np.arange(m) % 2, Hints(1.0), half_life=50.0, now=1.7e9)
    crawl_in_rounds(rng, learner, mixed_pages(rng, m), 6)
    learner.signalled([3, 3, 5], learner.now)
    learner.requested([1, 2], [4, 5], learner.now)
    return learner


def live(learner):
    rng = np.random.default_rng(2)
    said = []
    for k in range(30):
        ids = rng.integers(0, len(learner), size=5)
        said.append(learner.observe(ids, None, None, rng.random(5) < 0.5, learner.now + 0.1 * (k + 1)))
    learner.add(10, learner.now, hosts=5)
    return said, [column.tolist() for column in learner.pages().columns]


def test_a_loaded_learner_goes_on_as_its_twin(tmp_path):
    twin = used()
    twin.save(tmp_path / "state")
    loaded = Learner.load(tmp_path / "state")
    assert (len(loaded), loaded.now, loaded.outcomes, loaded.level) == (60, twin.now, twin.outcomes, twin.level)
    assert live(loaded) == live(twin)


def test_a_loaded_learner_chooses_its_sample_when_its_twin_does(tmp_path):
    twin = Learner(20_000, hosts=np.arange(20_000) % 50)
    twin.add(300, 1.0, hosts=np.full(300, 50))
    twin.save(tmp_path / "state")
    loaded = Learner.load(tmp_path / "state")
    for learner in (twin, loaded):
        learner.add(200, 2.0, hosts=np.full(200, 51))
        learner.refresh(3.0)
    assert twin._memory.sample[:10_000].tolist() == loaded._memory.sample[:10_000].tolist()


@pytest.mark.parametrize("offset", [0, 8, 12, 16, 47, 48, 500, -1])
def test_one_flipped_bit_is_refused(offset, tmp_path):
    used().save(tmp_path / "state")
    content = bytearray((tmp_path / "state").read_bytes())
    content[offset] ^= 1
    (tmp_path / "state").write_bytes(content)
    with pytest.raises(DataError):
        Learner.load(tmp_path / "state")


def test_the_file_of_a_scheduler_is_not_one_of_a_learner(tmp_path):
    Scheduler(mixed_pages(np.random.default_rng(0), 3)).save(str(tmp_path / "state"))
    with pytest.raises(DataError, match="not a saved learner"):
        Learner.load(tmp_path / "state")


def test_columns_are_views_and_a_learner_of_them_is_a_twin():
    twin = used()
    columns = twin.columns()
    assert np.shares_memory(columns["likelihood"], twin._memory.likelihood)
    assert len(columns["crawled"]) == 60
    copy = Learner.from_columns(columns)
    assert live(copy) == live(twin)


def test_columns_hold_pages_in_use_and_nothing_that_was_only_reserved():
    learner = used()
    learner.add(1, learner.now, hosts=[9])
    assert (len(learner.columns()["born"]), len(learner.columns()["sizes"])) == (61, 12)
    assert len(learner._memory.born) > 61


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c: c.pop("born"), "columns must be those of a learner, got none for born"),
        (lambda c: c.update(born=c["born"][:3]), r"got born of shape \(3,\) instead of \(60,\)"),
    ],
)
def test_columns_of_something_else_are_refused(wrong, message):
    columns = used().columns()
    wrong(columns)
    with pytest.raises(InputError, match=message):
        Learner.from_columns(columns)
