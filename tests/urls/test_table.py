"""The table of URLs against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.urls import UrlTable, table

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "find"]), st.lists(st.text("abß/\n\0\ud800", max_size=20), max_size=30)
    ),
    max_size=30,
)


@pytest.fixture(scope="module")
def slow_work():
    """Few slots to begin with, and the work that is spread over calls goes on in tiny steps."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"_FIRST_SLOTS": 8, "_SLOTS_A_CALL": 3, "_SLOTS_A_TEXT": 1, "_READY": 512}.items():
            patch.setattr(table, name, value)
        patch.setattr(table, "_BYTES_A_CALL", 24)
        patch.setattr(table, "_BYTES_A_BYTE", 3)
        yield


def does_as_a_dictionary(steps):
    urls, known, free, following = UrlTable(), {}, [], 0
    for kind, texts in steps:
        if kind == "add":
            new = [text for text in dict.fromkeys(texts) if text not in known]
            ids = []
            for text in new:
                ids.append(free.pop() if free else following)
                following = max(following, ids[-1] + 1)
                known[text] = ids[-1]
            urls.add(ids, new)
        elif kind == "remove":
            gone = [text for text in dict.fromkeys(texts) if text in known]
            ids = [known.pop(text) for text in gone]
            urls.remove(ids)
            free += ids
        assert urls.find(texts).tolist() == [known.get(text, -1) for text in texts]
        assert len(urls) == len(known)
        assert urls.text_bytes == sum(len(text.encode("utf-8", "surrogatepass")) for text in known)
    assert urls.texts(list(known.values())) == list(known)
    assert urls.find(list(known)).tolist() == list(known.values())


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_finds_what_a_dictionary_would(steps):
    does_as_a_dictionary(steps)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_finds_it_while_slots_and_texts_move(slow_work, steps):
    does_as_a_dictionary(steps)


@pytest.mark.parametrize("share", [0.3, 0.55])
def test_long_use_while_slots_and_texts_move(slow_work, share):
    rng, urls, known = np.random.default_rng(4), UrlTable(), {}
    moving = closing = 0
    for step in range(1500):
        gone = [text for text in known if rng.random() < share * 0.02]
        urls.remove([known.pop(text) for text in gone])
        taken = set(known.values())
        ids = [i for i in range(len(known) + 12) if i not in taken][: int(rng.integers(0, 9))]
        new = [f"https://{'x' * int(rng.integers(0, 40))}.example/{step}/{i}" for i in ids]
        urls.add(ids, new)
        known |= dict(zip(new, ids, strict=True))
        moving, closing = moving + (len(urls._table.old) > 0), closing + (urls._read > 0)
        asked = [*known, *gone]
        assert urls.find(asked).tolist() == [known.get(text, -1) for text in asked], step
    assert moving > 20
    assert closing > 20
    assert urls.texts(list(known.values())) == list(known)
    assert urls.nbytes - urls.text_bytes < 80 * len(urls) + 10_000


def test_many_texts_grow_and_gaps_close():
    urls, n = UrlTable(), 30_000
    texts = [f"https://example.org/{i}" for i in range(n)]
    urls.add(np.arange(n), texts)
    urls.remove(np.arange(0, n, 2))
    held = urls.nbytes
    for turn in range(4):  # ids and room of removed texts are used again
        again = [f"https://example.net/{turn}/{i}" for i in range(0, n, 2)]
        urls.add(np.arange(0, n, 2), again)
        assert urls.find(again).tolist() == list(range(0, n, 2))
        assert urls.find(texts[1::2]).tolist() == list(range(1, n, 2))
        urls.remove(np.arange(0, n, 2))
    assert urls.nbytes < 1.6 * held
    assert urls.texts([1, 29_999]) == [texts[1], texts[29_999]]


def test_a_hundred_at_a_time_are_found_at_every_size():
    urls, n = UrlTable(), 60_000
    texts = [f"https://example.org/{i}" for i in range(n)]
    for start in range(0, n, 100):
        urls.add(np.arange(start, start + 100), texts[start : start + 100])
        some = np.arange(0, start + 100, start // 50 + 1)
        assert urls.find([texts[i] for i in some]).tolist() == some.tolist()
    assert urls.find(texts).tolist() == list(range(n))
    assert urls.nbytes - urls.text_bytes < 44 * n


def test_texts_with_one_hash_tag_are_told_apart_by_their_bytes():
    urls = UrlTable()
    texts = ["", "\0", "\0\0", "a\0", "ab", "ba", "a" * 8, "a" * 16, "a" * 17]
    urls.add(np.arange(len(texts)), texts)
    assert urls.find(texts).tolist() == list(range(len(texts)))


def test_texts_in_bytes_are_found_by_where_they_end():
    urls = UrlTable()
    urls.add([3, 5], ["https://a.example/\n", "https://ß.example/"])
    encoded = ["https://ß.example/".encode(), b"", b"https://a.example/\n"]
    got = urls.find_bytes(b"".join(encoded), np.cumsum([len(text) for text in encoded]))
    assert got.tolist() == [5, -1, 3]


def columns_in_slices(urls, stop, step):
    return [(start, *urls.columns(start, min(start + step, stop))) for start in range(0, stop, step)]


def test_columns_make_the_same_table():
    urls, n = UrlTable(), 5000
    texts = [f"https://example.org/{i}/ß" if i % 3 else f"http://{i}\n" for i in range(n)]
    urls.add(np.arange(n), texts)
    urls.remove(np.arange(100, n, 7))
    urls.add([107], [""])
    again = UrlTable()
    for start, sizes, joined in columns_in_slices(urls, n + 50, 700):
        again.extend(start, sizes, joined.tobytes())
    live = np.flatnonzero(urls.find(texts) >= 0)
    assert len(again) == len(urls) == len(live) + 1
    assert again.find(texts).tolist() == urls.find(texts).tolist()
    assert again.texts([*live, 107]) == [*(texts[i] for i in live), ""]


def test_columns_say_where_there_is_none():
    urls = UrlTable()
    urls.add([1, 4], ["abc", "de"])
    sizes, joined = urls.columns(0, 6)
    assert (sizes.tolist(), joined.tobytes()) == ([-1, 3, -1, -1, 2, -1], b"abcde")
    sizes, joined = urls.columns(10**9, 10**9 + 2)
    assert (sizes.tolist(), joined.tobytes()) == ([-1, -1], b"")


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda urls: urls.add([1], ["b"]), "ids"),
        (lambda urls: urls.add([-1], ["b"]), "ids"),
        (lambda urls: urls.add([2**40], ["b"]), "ids"),
        (lambda urls: urls.add([2, 3], ["b"]), "texts"),
        (lambda urls: urls.add([2], ["b" * (1 << 24)]), "texts"),
        (lambda urls: urls.remove([0]), "ids"),
        (lambda urls: urls.remove([7]), "ids"),
        (lambda urls: urls.texts([-1]), "ids"),
        (lambda urls: urls.extend(2, [3], b"ab"), "sizes"),
        (lambda urls: urls.find_bytes(b"ab", [1, 3]), "ends"),
        (lambda urls: urls.find_bytes(b"ab", [2, 1]), "ends"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(call, argument):
    urls = UrlTable()
    urls.add([1], ["a"])
    with pytest.raises(InputError) as error:
        call(urls)
    assert error.value.argument == argument
    assert (len(urls), urls.find(["a", "b"]).tolist()) == (1, [1, -1])


def test_nothing_is_asked_added_and_removed():
    urls = UrlTable()
    urls.add([], [])
    urls.remove([])
    urls.extend(0, [-1, -1], b"")
    assert (urls.find([]).tolist(), urls.texts([]), len(urls)) == ([], [], 0)
