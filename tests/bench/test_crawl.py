"""The benchmark of the whole crawler, on a small web."""

from recrawl.bench import crawl


def test_the_bare_loop_and_the_crawler_fetch_the_same_pages(monkeypatch):
    monkeypatch.setattr(crawl, "TURNS", 1)
    rows = crawl.run(40)
    assert [row["what"] for row in rows] == ["bare loop", "first copies", "again"]
    assert [row["pages"] for row in rows[:2]] == [40, 40]
    assert rows[2]["pages"] >= 40
    assert (rows[0]["share"], rows[0]["share_by_cpu"]) == (1.0, 1.0)
    assert all(row["cpu_us_a_page"] > 0.0 for row in rows)
