"""The table of URLs against a plain dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.urls import UrlTable

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "remove", "find"]), st.lists(st.text("abß/\n", max_size=20), max_size=30)),
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_finds_what_a_dictionary_would(steps):
    table, known, free, following = UrlTable(), {}, [], 0
    for kind, texts in steps:
        if kind == "add":
            new = [text for text in dict.fromkeys(texts) if text not in known]
            ids = []
            for text in new:
                ids.append(free.pop() if free else following)
                following = max(following, ids[-1] + 1)
                known[text] = ids[-1]
            table.add(ids, new)
        elif kind == "remove":
            gone = [text for text in dict.fromkeys(texts) if text in known]
            ids = [known.pop(text) for text in gone]
            table.remove(ids)
            free += ids
        assert table.find(texts).tolist() == [known.get(text, -1) for text in texts]
        assert len(table) == len(known)
    assert table.texts(list(known.values())) == list(known)


def test_many_texts_grow_and_gaps_close():
    table, n = UrlTable(), 30_000
    texts = [f"https://example.org/{i}" for i in range(n)]
    table.add(np.arange(n), texts)
    table.remove(np.arange(0, n, 2))
    held = table.nbytes
    for turn in range(4):  # ids and room of removed texts are used again
        again = [f"https://example.net/{turn}/{i}" for i in range(0, n, 2)]
        table.add(np.arange(0, n, 2), again)
        assert table.find(again).tolist() == list(range(0, n, 2))
        assert table.find(texts[1::2]).tolist() == list(range(1, n, 2))
        table.remove(np.arange(0, n, 2))
    assert table.nbytes < 1.6 * held
    assert table.texts([1, 29_999]) == [texts[1], texts[29_999]]


def test_texts_with_one_hash_tag_are_told_apart_by_their_bytes():
    table = UrlTable()
    texts = ["", "\0", "\0\0", "a\0", "ab", "ba", "a" * 8, "a" * 16, "a" * 17]
    table.add(np.arange(len(texts)), texts)
    assert table.find(texts).tolist() == list(range(len(texts)))
