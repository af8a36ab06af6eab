"""What is asked for when the settings of a run are not those of the run before."""

from recrawl.crawler import Settings
from recrawl.crawler.reach import Reach
from recrawl.crawler.scope import Scope
from recrawl.store import MemoryShelf

A, B, WWW = "https://a.example/", "https://b.example/docs/", "https://www.a.example/"


def run(shelf, *sites, moved=(), **more):
    """A run with these sites, of which some turn out to have moved."""
    reach = Reach(Settings(sites=sites, **more), Scope(sites), shelf)
    for site, to in moved:
        reach.moved(site, to)
    shelf.put([reach.item()])
    return reach


def test_pages_of_a_site_that_is_not_named_any_more_are_left_out_until_it_is_again():
    shelf = MemoryShelf()
    assert run(shelf, A, B).wants(f"{B}page", False)
    then = run(shelf, A)
    urls = f"{A}page", f"{B}page", "https://b.example/else", "https://c.example/"
    assert [then.wants(url, False) for url in urls] == [True, False, True, True]
    assert not run(shelf, A).wants(f"{B}page", False), "nor in the runs after that"
    assert run(shelf, A, B).wants(f"{B}page", False)


def test_its_sitemaps_are_left_out_too_wherever_they_stand_on_its_host():
    shelf = MemoryShelf()
    run(shelf, A, B)
    assert [run(shelf, A).wants(f"{site}sitemap.xml", True) for site in ("https://b.example/", A)] == [False, True]


def test_pages_that_are_named_one_by_one_are_not_left_out(tmp_path):
    (tmp_path / "urls.txt").write_text(f"{B}page\n")
    shelf = MemoryShelf()
    run(shelf, A, B)
    then = run(shelf, A, urls=str(tmp_path / "urls.txt"))
    assert [then.wants(f"{B}{name}", False) for name in ("page", "other")] == [True, False]


def test_a_site_that_had_moved_is_left_out_where_it_lives():
    shelf = MemoryShelf()
    run(shelf, A, B, moved=[(A, WWW)])
    scope = Scope([A, B])
    again = Reach(Settings(sites=(A, B)), scope, shelf)
    assert scope.covers(f"{WWW}page"), "known from the run before"
    assert again.wants(f"{WWW}page", False)
    assert not run(shelf, B).wants(f"{WWW}page", False)


def test_when_more_is_wanted_than_before():
    shelf = MemoryShelf()
    wider = [run(shelf, *sites, **more).is_wider for sites, more in (
        ([A], {}), ([A], {}), ([A, B], {}), ([B], {}), ([B], {"most_pages": 2_000_000}), ([B], {"most_pages": 5}),
    )]  # fmt: skip
    assert wider == [False, False, True, False, True, False]
