import math

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn.named.sources import HEARD, OLD, REPEATED, NamedSources

NOTHING = np.array([math.nan])
INSTANT = np.zeros(1)


def one(sources, source, page=0, host=0, since=0.0, happened=math.nan, span=0.0, now=100.0):
    weights, codes = sources.hear(
        source, np.array([page]), np.array([host]), np.array([since]), np.array([happened]), np.array([span]), now
    )
    return 1.0 if weights is None else float(weights[0]), int(codes[0])


@pytest.fixture
def sources():
    made = NamedSources()
    made.number("sitemap")
    made.make_room(10, 3)
    return made


def test_a_signal_of_the_only_source_weighs_one(sources):
    assert one(sources, 0) == (1.0, HEARD)


def test_news_from_before_the_last_crawl_is_old_and_weighs_nothing(sources):
    assert one(sources, 0, since=50.0, happened=40.0) == (0.0, OLD)
    assert one(sources, 0, since=50.0, happened=60.0) == (1.0, HEARD)


def test_the_same_happened_twice_is_one_signal(sources):
    assert one(sources, 0, happened=60.0) == (1.0, HEARD)
    assert one(sources, 0, happened=60.0) == (0.0, REPEATED)
    assert one(sources, 0, happened=61.0) == (1.0, HEARD)
    assert one(sources, 0, page=1, happened=60.0) == (1.0, HEARD)


def test_a_page_never_crawled_hears_and_ages_nothing(sources):
    assert one(sources, 0, since=math.inf) == (0.0, HEARD)
    assert not sources.counts(np.array([0])).any()


def test_signals_without_a_time_count_by_the_latency_of_their_source(sources):
    for page in range(10):
        for late in range(90, 110):
            one(sources, 0, page=page, happened=1000.0 - late, since=0.0, now=1000.0)
    soon, _ = one(sources, 0, since=990.0, now=1000.0)
    later, _ = one(sources, 0, since=500.0, now=1000.0)
    assert soon < 0.05
    assert later > 0.95


def test_a_date_without_time_counts_by_the_part_of_the_day_after_the_crawl(sources):
    day = 86400.0
    before, _ = one(sources, 0, since=9.5 * day, happened=10 * day, span=day, now=11 * day)
    within, _ = one(sources, 0, page=1, since=10.75 * day, happened=10 * day, span=day, now=12 * day)
    after, code = one(sources, 0, page=2, since=11.2 * day, happened=10 * day, span=day, now=12 * day)
    assert before == 1.0
    assert within == pytest.approx(0.25)  # nothing is known of the latency: the day is as good as the next
    assert (after, code) == (0.0, OLD)


def test_precision_recall_and_latency_are_learned_by_host():
    rng = np.random.default_rng(7)
    sources = NamedSources()
    good, bad = sources.number("good"), sources.number("bad")
    pages, hosts = 400, 4
    sources.make_room(pages, hosts)
    ids = np.arange(pages)
    host = ids % hosts
    rate = 1.0  # changes a page and unit of time
    precision = {good: np.array([0.9, 0.9, 0.9, 0.5]), bad: np.full(4, 0.2)}
    recall = {good: 0.5, bad: 0.3}
    now = 0.0
    for _ in range(40):
        begin, now = now, now + 1.0
        changes = rng.poisson(rate, pages)
        left = changes.copy()
        for source in (good, bad):
            true = rng.binomial(left, recall[source] if source == good else recall[source] / (1 - recall[good]))
            left = left - true
            share = precision[source][host]
            false = rng.poisson(rate * recall[source] * (1 - share) / share)
            who = np.repeat(ids, true + false)
            nobody = np.full(len(who), math.nan)
            zeros = np.zeros(len(who))
            sources.hear(source, who, host[who], zeros + begin - 1e-9, nobody, zeros, now)
        counts = sources.counts(ids)
        alpha = np.full(pages, rate * (1 - sum(recall.values())))
        sources.judge(host, alpha, np.ones(pages), counts, changes > 0)
        sources.restart(ids, counts)
    quality = {q.name: q for q in sources.quality()}
    assert quality["bad"].precision == pytest.approx(0.2, abs=0.04)
    assert quality["good"].recall == pytest.approx(0.5, abs=0.08)
    assert quality["bad"].recall == pytest.approx(0.3, abs=0.08)
    assert sources.quality(host=0)[good].precision == pytest.approx(0.9, abs=0.05)
    assert sources.quality(host=3)[good].precision == pytest.approx(0.5, abs=0.08)
    assert math.isnan(quality["good"].latency)
    # a signal of the good source weighs more than one of the bad, by what each adds to the staleness
    first, _ = one(sources, good, since=now - 1.0, now=now)
    second, _ = one(sources, bad, page=4, since=now - 1.0, now=now)
    assert first / second == pytest.approx(math.log(0.1) / math.log(0.8), rel=0.25)


def test_signals_during_a_fetch_stay_for_the_next_round(sources):
    ids = np.array([0])
    one(sources, 0)
    before = sources.counts(ids)
    one(sources, 0)
    sources.restart(ids, before)
    assert sources.counts(ids).tolist() == [[16]]


def test_more_sources_may_come_later(sources):
    ids = np.array([0])
    one(sources, 0)
    before = sources.counts(ids)
    for name in "abcdefgh":
        one(sources, sources.number(name))
    sources.judge(ids, np.ones(1), np.ones(1), before, np.array([True]))
    sources.restart(ids, before)
    assert sources.counts(ids)[0, :9].tolist() == [0, *[16] * 8]


def test_what_is_kept_comes_back(sources):
    one(sources, sources.number("feed"), happened=90.0)
    again = NamedSources.restored(list(sources.names), 10, sources.others())
    again.set_by_page(slice(0, 10), sources.by_page(slice(0, 10)))
    assert one(again, 1, happened=90.0) == (0.0, REPEATED)
    assert [q.signals for q in again.quality()] == [q.signals for q in sources.quality()]


@pytest.mark.parametrize("name", ["", "x" * 101, None, 7])
def test_names_that_are_none_are_refused(sources, name):
    with pytest.raises(InputError, match="source must be"):
        sources.number(name)


def test_too_many_sources_are_refused(sources):
    for k in range(31):
        sources.number(f"host-{k}")
    with pytest.raises(InputError, match="at most 32 names"):
        sources.number("one more")
