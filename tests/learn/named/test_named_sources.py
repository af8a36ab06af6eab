import math

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn.named.layout import BY_HOST
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
    rate = 1.0  # changes a page and hour; a change is told by one source at most, and the sources by turns
    precision = {good: np.array([0.9, 0.9, 0.9, 0.5]), bad: np.full(4, 0.2)}
    recall = {good: 0.5, bad: 0.3}
    now = 0.0
    for _ in range(40):
        begin, now = now, now + 3600.0
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
            sources.hear(source, who, host[who], zeros + begin - 1e-9, nobody, zeros, now - 1000.0 * source)
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
    for k, name in enumerate("abcdefgh"):
        one(sources, sources.number(name), now=1000.0 * (k + 1))
    sources.judge(ids, np.ones(1), np.ones(1), before, np.array([True]))
    sources.restart(ids, before)
    assert sources.counts(ids)[0, :10].tolist() == [0, 16, 0, *[16] * 7]  # the third number is that of meetings


def test_signals_of_two_sources_about_one_moment_are_one_news(sources):
    feed, ids = sources.number("feed"), np.array([0])
    lone, _ = one(sources, 0, happened=70.0)
    more, code = one(sources, feed, now=100.0)  # told of the moment of its arrival
    assert code == HEARD
    assert sources.counts(ids)[0, :3].tolist() == [0, 0, 16]
    assert more >= 0.0
    third, _ = one(sources, sources.number("ping"), now=110.0)
    assert third == 0.0
    assert sources.counts(ids)[0, :4].tolist() == [0, 0, 16, 0]
    assert [q.name for q in sources.quality()] == ["sitemap", "feed", "ping"]
    assert lone > 0.0


def test_signals_of_two_sources_about_two_moments_stay_apart(sources):
    feed, ids = sources.number("feed"), np.array([0])
    one(sources, 0, happened=30.0)
    one(sources, feed, now=100.0)
    assert sources.counts(ids)[0, :3].tolist() == [16, 16, 0]


def test_a_signal_does_not_meet_one_from_before_the_crawl(sources):
    feed, ids = sources.number("feed"), np.array([0])
    one(sources, 0, happened=70.0)
    sources.restart(ids, sources.counts(ids))
    one(sources, feed, since=90.0, now=100.0)
    assert sources.counts(ids)[0, :3].tolist() == [0, 16, 0]


def test_what_meetings_are_worth_is_learned():
    """Each source alone is wrong half of the time, both at once never: 400 meetings, 1,600 lone signals (seed 3)."""
    rng = np.random.default_rng(3)
    sources = NamedSources()
    both = [sources.number("sitemap"), sources.number("feed")]
    sources.make_room(1, 1)
    ids, now = np.array([0]), 0.0
    for _ in range(2000):
        begin, now = now, now + 3600.0
        met, true = rng.random() < 0.2, rng.random() < 0.5
        for source in both if met else [both[rng.integers(2)]]:
            one(sources, source, since=begin, now=now)
        sources.judge(ids, np.zeros(1), np.ones(1), sources.counts(ids), np.array([met or true]))
        sources.restart(ids, sources.counts(ids))
    together, lone = one(sources, both[0], since=now, now=now + 1.0)[0], 0.0
    lone, together = together, together + one(sources, both[1], since=now, now=now + 1.0)[0]
    assert lone == pytest.approx(-math.log(0.5) / -math.log(0.02), rel=0.25)
    assert together > 4.0 * lone
    # of ten signals of a source eight are lone, half of them true, and two are not
    assert sources.quality()[0].precision == pytest.approx((0.4 * 0.5 + 0.2) / 0.6, abs=0.08)


def test_what_an_earlier_version_kept_comes_back(sources):
    one(sources, sources.number("feed"), happened=90.0)
    kept = sources.others()
    old = {
        name: column[..., :11] if name in ("likelihood", "belief", "sums") else column for name, column in kept.items()
    }
    del old["shared"]
    again = NamedSources.restored(["sitemap", "feed"], 10, old)
    assert [q.name for q in again.quality()] == ["sitemap", "feed"]
    assert one(again, 1, happened=90.0)[1] == HEARD


@pytest.mark.parametrize("number", [2, 4, 32])
def test_columns_that_are_just_as_wide_as_their_sources_are_read(number):
    # The first version doubled its room, and had no source for meetings.
    names = [f"source-{k}" for k in range(number)]
    full = NamedSources()
    full.make_room(10, 3)
    for name in names:
        full.number(name)
    old = {}
    for name, column in full.others().items():
        if name == "shared":
            continue
        narrow = column if name == "changes" else column[:, :number] if name in BY_HOST else column[:number]
        old[name] = narrow[..., :11] if name in ("likelihood", "belief", "sums") else narrow
    again = NamedSources.restored(names, 10, old)
    assert [q.name for q in again.quality()] == names
    assert one(again, 1, happened=90.0)[1] == HEARD


def test_meetings_that_nobody_has_judged_say_nothing_of_precision(sources):
    before = [q.precision for q in sources.quality()]
    feed = sources.number("feed")
    one(sources, 0, happened=90.0)
    one(sources, feed, happened=90.0)
    got = sources.quality()
    assert [q.judged for q in got] == [0, 0]
    assert got[0].precision == pytest.approx(before[0])


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
