"""The calls of the service, over real sockets."""

import json
import threading
import time

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, warm_up
from tests.server.live import ask, get, post, serving

A, B, NEWS = "https://a.example/", "https://b.example/", "https://a.example/news"


@pytest.fixture(scope="module", autouse=True)
def _kernels():
    warm_up()


def test_a_page_is_added_leased_and_completed():
    with serving() as url:
        assert post(url, "/v1/pages", {"urls": [A, NEWS], "importance": [2.0, None]}) == {
            "new": 2, "known": 0, "refused": [],
        }  # fmt: skip
        leased = post(url, "/v1/lease", {"n": 10})
        assert {page["url"]: page["first"] for page in leased["pages"]} == {A: True, NEWS: True}
        tokens = [page["token"] for page in leased["pages"]]
        done = post(url, "/v1/complete", {"tokens": tokens, "digest": ["1", "2"], "validators": {"etag": '"x"'}})
        assert (done["unknown"], done["each"]) == (2, ["unknown", "unknown"])
        page = get(url, f"/v1/page?url={A}")["page"]
        assert (page["state"], page["fetches"], page["importance"], page["etag"]) == ("copy", 1, 2.0, '"x"')
        heard = post(url, "/v1/signals", {"urls": [A, A, B], "source": "sitemap"})
        assert (heard["heard"], heard["unknown"], heard["each"]) == (2, [B], ["heard", "heard", "unknown"])
        again = post(url, "/v1/lease", {"n": 1})["pages"]
        assert again[0]["etag"] == '"x"'
        assert "first" not in again[0]
        assert post(url, "/v1/give-back", {"tokens": [again[0]["token"]]}) == {"given_back": 1}


def test_rate_hosts_sources_and_statistics():
    with serving() as url:
        post(url, "/v1/pages", {"urls": [A, B]})
        assert ask(url, "PUT", "/v1/rate", {"rate": 5.0})[2] == get(url, "/v1/rate") == {"rate": 5.0}
        assert ask(url, "PUT", "/v1/rate", {"rate": None})[2] == {"rate": None}
        assert ask(url, "PUT", "/v1/hosts", {"host": "a.example", "gap": 2.0, "pause": 100.0})[0] == 200
        first = get(url, "/v1/hosts?limit=1")
        assert (first["hosts"][0]["gap"], first["hosts"][0]["paused_until"] is not None) == (2.0, True)
        rest = get(url, f"/v1/hosts?after={first['after']}")
        assert [host["name"] for host in rest["hosts"]] == ["b.example"]
        assert ask(url, "PUT", "/v1/hosts", {"host": "a.example", "gap": None})[0] == 200
        assert get(url, "/v1/hosts")["hosts"][0]["gap"] == 0.0
        post(url, "/v1/signals", {"urls": [A], "source": "feed"})
        assert [source["name"] for source in get(url, "/v1/sources")["sources"]] == ["feed"]
        found = get(url, "/v1/statistics")
        assert (found["counts"]["pages"], found["freshness"]["new"]) == (2, 2)
        assert post(url, "/v1/pages/forget", {"urls": [B]}) == {"forgotten": 1}
        assert get(url, f"/v1/page?url={B}") == {"page": None}
        assert post(url, "/v1/requests", {"urls": [A], "counts": 3})["counted"] == 1


def test_a_repeated_key_is_done_once():
    with serving() as url:
        first = post(url, "/v1/pages", {"urls": [A]}, idempotency_key="k")
        assert post(url, "/v1/pages", {"urls": [A]}, idempotency_key="k") == first
        assert post(url, "/v1/pages", {"urls": [A]})["known"] == 1
        leased = post(url, "/v1/lease", {"n": 1}, idempotency_key="l")
        assert post(url, "/v1/lease", {"n": 1}, idempotency_key="l")["pages"] == leased["pages"]
        status, _, got = ask(url, "POST", "/v1/signals", {"urls": [A]}, {"Idempotency-Key": "k"})
        assert (status, got["outcome"], got["argument"]) == (422, "rejected", "Idempotency-Key")


@pytest.mark.parametrize(
    ("path", "one", "another"),
    [
        ("/v1/pages", {"urls": [A]}, {"urls": [B]}),
        ("/v1/pages", {"urls": [A]}, {"urls": ["nope"]}),
        ("/v1/pages/forget", {"urls": [A]}, {"urls": [NEWS]}),
        ("/v1/signals", {"urls": [NEWS]}, {"urls": [NEWS], "source": "feed"}),
        ("/v1/requests", {"urls": [NEWS]}, {"urls": [NEWS], "counts": 2}),
        ("/v1/lease", {"n": 1, "wait": 1}, {"n": 2}),
        ("/v1/complete", {"tokens": [1]}, {"tokens": [2]}),
    ],
)
def test_a_key_that_came_with_something_else_is_refused(path, one, another):
    frontier = Frontier()
    frontier.add([NEWS, "https://a.example/other"])
    frontier.lease(1)
    with serving(frontier) as url:
        post(url, path, one, idempotency_key="k")
        before = get(url, "/v1/statistics")["counts"]
        status, _, got = ask(url, "POST", path, another, {"Idempotency-Key": "k"})
        assert (status, got["outcome"], got["argument"]) == (422, "rejected", "Idempotency-Key")
        post(url, path, one, idempotency_key="k")
        assert get(url, "/v1/statistics")["counts"] == before


def test_of_lines_the_query_belongs_to_what_a_key_came_with():
    lines, body = "application/x-ndjson", json.dumps({"url": A}).encode()
    with serving() as url:
        post(url, "/v1/pages", {"urls": [A]})
        post(url, "/v1/signals?source=feed", body, content_type=lines, idempotency_key="k")
        post(url, "/v1/signals?source=feed", body, content_type=lines, idempotency_key="k")
        given = {"Content-Type": lines, "Idempotency-Key": "k"}
        assert ask(url, "POST", "/v1/signals?source=sitemap", body, given)[0] == 422


def test_a_lease_repeated_with_less_patience_is_the_same():
    with serving() as url:
        post(url, "/v1/pages", {"urls": [A]})
        leased = post(url, "/v1/lease", {"n": 1, "wait": 5}, idempotency_key="k")
        assert post(url, "/v1/lease", {"n": 1}, idempotency_key="k")["pages"] == leased["pages"]


def test_a_problem_says_which_part_of_the_query_or_which_header_is_wrong():
    with serving() as url:
        assert ask(url, "GET", "/v1/pages?limit=0")[2]["argument"] == "limit"
        assert ask(url, "GET", f"/v1/sources?host={300 * 'h'}")[2]["argument"] == "host"
        long = {"Idempotency-Key": 201 * "k"}
        assert ask(url, "POST", "/v1/pages", {"urls": []}, long)[2]["argument"] == "Idempotency-Key"
        assert "argument" not in ask(url, "GET", "/v1/pages?limit=0&after=-2")[2]  # it may be several
        assert "argument" not in ask(url, "GET", "/v1/nothing")[2]


def test_lines_are_taken_and_given():
    lines = "application/x-ndjson"
    with serving() as url:
        rows = [{"url": A, "importance": 3}, {"url": B}]
        body = "\n".join(map(json.dumps, rows)).encode()
        assert post(url, "/v1/pages", body, content_type=lines)["new"] == 2
        text = ask(url, "GET", "/v1/pages", headers={"Accept": lines})[2]
        assert [json.loads(line)["url"] for line in text.splitlines()] == [A, B]
        for accept in (
            "Application/X-NDJSON",
            f"{lines}, */*",
            f"application/json;q=0.5, {lines}",
            "application/jsonl",
        ):
            assert ask(url, "GET", "/v1/pages", headers={"Accept": accept})[1]["content-type"] == lines
        assert get(url, "/v1/pages", accept="application/json, */*;q=0.5")["after"] == 1
        assert get(url, f"/v1/page?url={A}")["page"]["importance"] == 3.0
        body = b'{"url": "https://a.example/"}\n\n{"url": "https://b.example/", "happened": "2020-01-01"}\n'
        assert post(url, "/v1/signals?source=feed", body, content_type=lines)["heard"] == 2
        tokens = [page["token"] for page in post(url, "/v1/lease", {"n": 2})["pages"]]
        body = f'{{"token": {tokens[0]}, "digest": "x", "etag": "e"}}\n{{"token": {tokens[1]}, "error": "timeout"}}'
        assert post(url, "/v1/complete", body.encode(), content_type=lines)["each"] == ["unknown", "failed"]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/v1/pages", b'{"url": "https://a.example/"}\n{"url": 7}', "line 2: Expected `str`, got `int`"),
        ("/v1/pages", b'{"url": "https://a.example/"}\n{"url": ', "line 2: Input data was truncated"),
        ("/v1/pages", b'{"url": "https://a.example/", "every": 1, "evry": 1}', "unknown field `evry`"),
        ("/v1/pages?sorce=x", b'{"url": "https://a.example/"}', "the query must have none but skip_bad, got 'sorce'"),
        ("/v1/complete", b'{"token": -1}', "line 1: Expected `int` >= 0"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_done(path, body, words):
    with serving() as url:
        status, headers, got = ask(url, "POST", path, body, {"Content-Type": "application/x-ndjson"})
        assert (status, headers["content-type"], got["outcome"]) == (400, "application/problem+json", "rejected")
        assert words in got["detail"]
        assert get(url, "/v1/pages")["pages"] == []


def test_who_waits_gets_pages_as_soon_as_there_are_some():
    with serving() as url:
        got = {}
        waiting = threading.Thread(target=lambda: got.update(post(url, "/v1/lease", {"n": 5, "wait": 30})))
        waiting.start()
        deadline = time.monotonic() + 30.0
        while get(url, "/v1/statistics")["counts"]["leased"] == 0 and time.monotonic() < deadline:
            post(url, "/v1/pages", {"urls": [A]})  # also before anybody waits, and then there is nothing to wait for
        waiting.join(30.0)
        assert [page["url"] for page in got["pages"]] == [A]


def test_who_waits_while_the_rate_is_0_gets_pages_as_soon_as_it_is_raised():
    with serving() as url:
        assert ask(url, "PUT", "/v1/rate", {"rate": 0})[2] == {"rate": 0.0}
        post(url, "/v1/pages", {"urls": [A]})
        assert post(url, "/v1/lease", {"n": 5}) == {"pages": [], "expires": 0.0, "wait": 3600.0}
        got = {}
        waiting = threading.Thread(target=lambda: got.update(post(url, "/v1/lease", {"n": 5, "wait": 60})))
        waiting.start()
        for _ in range(20):  # some answers, so that it has come by then
            get(url, "/readyz")
        begun = time.monotonic()
        ask(url, "PUT", "/v1/rate", {"rate": 1.0})
        waiting.join(60.0)
        assert [page["url"] for page in got["pages"]] == [A]
        assert time.monotonic() - begun < 30.0


def test_a_spent_key_waits_for_nothing():
    with serving() as url:
        post(url, "/v1/pages", {"urls": [A]})
        leased = post(url, "/v1/lease", {"n": 1}, idempotency_key="k")
        post(url, "/v1/complete", {"tokens": [leased["pages"][0]["token"]], "digest": "1"})
        begun = time.monotonic()
        assert post(url, "/v1/lease", {"n": 1, "wait": 60}, idempotency_key="k")["pages"] == []
        assert time.monotonic() - begun < 30.0


def test_who_waits_is_told_when_the_service_stops():
    got = {}
    frontier = Frontier(clock=ManualClock(1e9))
    with serving(frontier) as url:
        waiting = threading.Thread(target=lambda: got.update(post(url, "/v1/lease", {"n": 5, "wait": 60})))
        waiting.start()
        for _ in range(20):  # some answers, so that it has come by then
            get(url, "/readyz")
        begun = time.monotonic()
    waiting.join(30.0)
    assert got["pages"] == []
    assert time.monotonic() - begun < 30.0


def test_who_waits_in_vain_is_told_so():
    with serving() as url:
        begun = time.monotonic()
        got = post(url, "/v1/lease", {"n": 5, "wait": 0.3})
        assert got["pages"] == []
        assert time.monotonic() - begun >= 0.3


def test_pages_are_dealt_in_the_order_of_asking_and_no_page_twice():
    clock = ManualClock(1e9)
    with serving(Frontier(clock=clock)) as url:
        post(url, "/v1/pages", {"urls": [f"https://a.example/{k}" for k in range(100)]})
        got = []
        threads = [
            threading.Thread(target=lambda: got.append(post(url, "/v1/lease", {"n": 7, "wait": 10}))) for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads[:-1]:
            thread.join(1.0)
        tokens = [page["token"] for one in got for page in one["pages"]]
        assert len(tokens) == len(set(tokens)) == 100
        post(url, "/v1/give-back", {"tokens": tokens})  # for who still waits
        for thread in threads:
            thread.join(30.0)
        assert len(got) == 16


def test_signals_of_many_at_once_are_each_told_what_became_of_theirs():
    with serving() as url:
        post(url, "/v1/pages", {"urls": [f"https://a.example/{k}" for k in range(50)]})
        got = {}

        def tell(k):
            urls = [f"https://a.example/{k}", f"https://unknown.example/{k}"] * (k % 3 + 1)
            got[k] = post(url, "/v1/signals", {"urls": urls, "source": "s"})

        def tell_badly(k):
            got[-k] = ask(url, "POST", "/v1/signals", {"urls": [A, "not a url"], "source": "s"})[0]

        threads = [threading.Thread(target=tell, args=(k,)) for k in range(50)]
        threads += [threading.Thread(target=tell_badly, args=(k,)) for k in range(1, 6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30.0)
        for k in range(50):
            many = k % 3 + 1
            assert (got[k]["heard"], got[k]["unknown"]) == (many, [f"https://unknown.example/{k}"] * many)
        assert all(got[-k] == 400 for k in range(1, 6))
        signals = {source["name"]: source["signals"] for source in get(url, "/v1/sources")["sources"]}
        assert signals["s"] == sum(k % 3 + 1 for k in range(50))


def test_metrics_are_as_prometheus_reads_them():
    with serving() as url:
        post(url, "/v1/pages", {"urls": [A, B]})
        post(url, "/v1/signals", {"urls": [A], "source": 'odd "name"\n'})
        status, headers, text = ask(url, "GET", "/metrics")
        assert (status, headers["content-type"].partition(";")[0]) == (200, "text/plain")
        lines = text.decode().splitlines()
        assert "recrawl_pages 2.0" in lines
        assert "recrawl_failed_total 0.0" in lines  # what never happened has a counter, for who looks at its growth
        assert "# HELP recrawl_leases_total pages leased, since the beginning" in lines
        assert 'recrawl_source_signals_total{source="odd \\"name\\"\\n"} 1.0' in lines
        values = [line for line in lines if not line.startswith("#")]
        assert all(float(line.rpartition(" ")[2]) is not None for line in values)
        named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
        assert {"recrawl_freshness", "recrawl_level", "recrawl_waste", "recrawl_lag_seconds"} <= named


def test_head_is_get_without_the_body():
    paths = ("/", "/docs", "/static/app.js", "/healthz", "/readyz", "/metrics", "/openapi/openapi.json", "/v1/rate")
    with serving() as url:
        for path in (*paths, "/v1/page", "/v1/nothing"):  # the last two are problems
            got, expected = ask(url, "HEAD", path, None), ask(url, "GET", path)
            assert got[0] == expected[0], path
            assert got[1]["content-type"] == expected[1]["content-type"]
            assert got[1]["content-length"] == expected[1]["content-length"] or path == "/metrics"
            assert not got[2]
        assert ask(url, "HEAD", "/v1/lease")[0] == 405


def test_dashboard_and_description_are_served():
    with serving() as url:
        status, headers, text = ask(url, "GET", "/")
        assert (status, headers["content-type"].partition(";")[0]) == (200, "text/html")
        assert b"<html" in text
        assert "default-src" in headers["content-security-policy"]
        status, headers, text = ask(url, "GET", "/static/uplot/uPlot.min.css")
        assert (status, headers["content-type"].partition(";")[0]) == (200, "text/css")
        assert b".uplot" in text
        assert "default-src" in headers["content-security-policy"]
        assert ask(url, "GET", "/static/../app.py")[0] in (400, 404)
        assert get(url, "/v1/dashboard/overview")["pages"]["all"] == 0
        assert ask(url, "GET", "/v1/dashboard/nothing")[0] == 404
        described = get(url, "/openapi/openapi.json")
        assert described["openapi"].startswith("3.1")
        assert {"/v1/pages", "/v1/lease", "/v1/complete", "/v1/signals"} <= set(described["paths"])
        assert get(url, "/healthz") == get(url, "/readyz") == {"status": "ok"}
