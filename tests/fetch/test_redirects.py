"""Which redirects are followed."""

import pytest

from recrawl.errors import InputError
from recrawl.fetch import Hop
from recrawl.fetch.faults import FaultError
from recrawl.fetch.redirects import Chain

START = "https://example.org/a"


def fault(chain, status, locations):
    with pytest.raises(FaultError) as caught:
        chain.after(status, locations)
    return caught.value.name


@pytest.mark.parametrize("status", [200, 204, 300, 304, 305, 306, 404, 410, 503])
def test_other_answers_are_the_last(status):
    chain = Chain(START, "all", 5)
    assert chain.after(status, ["/b"]) is None
    assert chain.moved_to is None


@pytest.mark.parametrize("status", [301, 308])
@pytest.mark.parametrize("follow", ["temporary", "none"])
def test_a_page_that_moved_for_good_says_where_to(status, follow):
    chain = Chain(START, follow, 5)
    assert chain.after(status, ["//other.example/b#x"]) is None
    assert chain.moved_to == "https://other.example/b"
    assert chain.url == START


@pytest.mark.parametrize("status", [302, 303, 307])
def test_temporary_ones_are_followed(status):
    chain = Chain(START, "temporary", 5)
    assert chain.after(status, ["b?c"]) == "https://example.org/b?c"
    assert chain.hops == [Hop(START, status, "https://example.org/b?c")]


def test_after_a_temporary_one_all_are_followed():
    """The page keeps its name, wherever the rest of the chain leads."""
    chain = Chain(START, "temporary", 5)
    chain.after(302, ["/b"])
    assert chain.after(301, ["/c"]) == "https://example.org/c"
    assert chain.moved_to is None


@pytest.mark.parametrize("status", [302, 303, 307])
def test_none_are_followed_when_asked_so(status):
    chain = Chain(START, "none", 5)
    assert chain.after(status, ["/b"]) is None
    assert chain.moved_to is None


def test_all_are_followed_when_asked_so():
    chain = Chain(START, "all", 5)
    assert chain.after(301, ["/b"]) == "https://example.org/b"
    assert chain.moved_to is None


@pytest.mark.parametrize("place", ["/a", "#top", "", "https://EXAMPLE.org:443/x/../a"])
@pytest.mark.parametrize("status", [301, 302])
def test_a_redirect_to_itself_is_a_loop(place, status):
    assert fault(Chain(START, "temporary", 5), status, [place]) == "redirect-loop"


def test_a_circle_is_a_loop():
    chain = Chain(START, "all", 5)
    chain.after(302, ["/b"])
    assert fault(chain, 301, ["/a"]) == "redirect-loop"


def test_too_many():
    chain = Chain(START, "all", 2)
    chain.after(302, ["/1"])
    chain.after(302, ["/2"])
    assert fault(chain, 302, ["/3"]) == "too-many-redirects"


@pytest.mark.parametrize(
    "locations", [[], ["/a", "/b"], ["javascript:alert(1)"], ["mailto:a@b.c"], ["file:///etc/passwd"], ["ftp://a.b/"],
                  ["http://"], ["http://u:p@example.org/"], ["http://a\udc80.example/%"], ["\ud800"], ["http://a b/"],
                  ["x" * 100_000]]
)  # fmt: skip
@pytest.mark.parametrize("status", [301, 302])
def test_places_that_are_none(locations, status):
    assert fault(Chain(START, "temporary", 5), status, locations) == "bad-redirect"


def test_places_in_other_encodings_keep_their_bytes():
    chain = Chain(START, "temporary", 5)
    assert chain.after(302, ["/caf\udce9"]) == "https://example.org/caf%E9"
    assert chain.after(302, ["/café"]) == "https://example.org/caf%C3%A9"


def test_the_same_place_said_twice_is_one():
    assert Chain(START, "temporary", 5).after(302, ["/b", "/b"]) == "https://example.org/b"


@pytest.mark.parametrize(
    ("status", "place"), [(307, "https://example.org/b"), (308, "https://example.org/b"), (302, None)]
)
def test_a_post_is_repeated_only_where_that_is_asked_for(status, place):
    assert Chain(START, "all", 5, post=True).after(status, ["/b"]) == place


def test_follow_is_checked():
    with pytest.raises(InputError, match="follow must be"):
        Chain(START, "permanent", 5)
