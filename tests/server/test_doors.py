"""Who is let in: tokens, scopes, and no page of another site."""

import threading
import time

import pytest

from recrawl.cli.main import main
from recrawl.errors import DataError, InputError
from recrawl.frontier import Frontier
from recrawl.server import tokens
from recrawl.server.doors import check_tokens, listen_address, needed
from recrawl.server.tokens import SCOPES, Tokens
from tests.server.live import ask, serving

PAGES = {"urls": ["https://a.example/"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8700"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:8700"},
        {"Origin": "https://127.0.0.1:8700", "Host": "127.0.0.1:8700"},
        {"Origin": "http://localhost:8700", "Host": "127.0.0.1:8700"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_may_not_ask(headers):
    frontier = Frontier()
    with serving(frontier) as url:
        status, _, got = ask(url, "POST", "/v1/pages", PAGES, headers)
        assert (status, got["outcome"]) == (403, "rejected")
        assert len(frontier) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "SAME"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Host": "localhost"},
        {"Origin": "http://localhost:8700", "Host": "localhost:8700"},
        {"Origin": "http://[::1]", "Host": "[::1]:80"},
        {"Origin": "https://localhost", "Host": "localhost", "X-Forwarded-Proto": "https"},
    ],
)
def test_our_own_page_and_programs_may(headers):
    with serving() as url:
        given = {name: url if value == "SAME" else value for name, value in headers.items()}
        assert ask(url, "POST", "/v1/pages", PAGES, given)[0] == 200


LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


def test_links_of_other_sites_lead_to_the_dashboard_and_to_nothing_with_data_in_it():
    with serving() as url:
        for path in ("/", "/docs", "/static/app.js"):
            assert ask(url, "GET", path, None, LINK)[0] == 200
            assert ask(url, "GET", path, None, {**LINK, "Sec-Fetch-Dest": "iframe"})[0] == 403
            assert ask(url, "GET", path, None, {**LINK, "Sec-Fetch-Mode": "no-cors"})[0] == 403
            assert ask(url, "GET", path, None, {**LINK, "Host": "evil.example"})[0] == 403
        for path in ("/v1/rate", "/metrics", "/v1/dashboard/overview", "/openapi/openapi.json"):
            assert ask(url, "GET", path, None, LINK)[0] == 403
        assert ask(url, "POST", "/", {}, LINK)[0] == 403


def test_with_tokens_each_call_needs_its_scope(tmp_path):
    made = {scope: tokens.made(tmp_path, scope, scope) for scope in SCOPES}
    calls = [
        ("GET", "/v1/rate", None, 0), ("GET", "/metrics", None, 0), ("GET", "/v1/dashboard/overview", None, 0),
        ("POST", "/v1/pages", PAGES, 1), ("POST", "/v1/lease", {}, 1), ("POST", "/v1/signals", PAGES, 1),
        ("PUT", "/v1/rate", {"rate": 1.0}, 2), ("POST", "/v1/pages/forget", PAGES, 2),
        ("PUT", "/v1/hosts", {"host": "a.example"}, 2),
    ]  # fmt: skip
    with serving(tokens=Tokens(tmp_path)) as url:
        for method, path, body, least in calls:
            status, headers, got = ask(url, method, path, body)
            assert (status, got["outcome"]) == (401, "rejected")
            assert headers["www-authenticate"].startswith("Bearer")
            assert ask(url, method, path, body, {"Authorization": "Bearer rc_wrong"})[0] == 401
            assert ask(url, method, path, body, {"Authorization": f"Basic {made['admin']}"})[0] == 401
            for level, scope in enumerate(SCOPES):
                status = ask(url, method, path, body, {"Authorization": f"Bearer {made[scope]}"})[0]
                assert status == (200 if level >= least else 403), (method, path, scope)
        for path in ("/", "/healthz", "/readyz", "/static/app.js"):
            assert ask(url, "GET", path)[0] == 200
        work = {"Authorization": f"Bearer {made['work']}"}
        for spelling in ("/v1/rate/", "//v1/rate", "/v1//rate", "/v1/rate%2f"):
            assert ask(url, "PUT", spelling, {"rate": 7.0}, work)[0] == 403, spelling
        admin = {"Authorization": f"Bearer {made['admin']}", "Host": "frontier.example:8443"}
        for origin, expected in (
            ("https://evil.example", 403),
            ("https://frontier.example", 403),
            ("https://frontier.example:8443", 200),  # a proxy that speaks TLS
        ):
            assert ask(url, "GET", "/v1/rate", None, {**admin, "Origin": origin})[0] == expected


def test_what_is_revoked_is_refused_within_a_second_or_so(tmp_path):
    token = tokens.made(tmp_path, "one", "read")
    given = {"Authorization": f"Bearer {token}"}
    with serving(tokens=Tokens(tmp_path)) as url:
        assert ask(url, "GET", "/v1/rate", None, given)[0] == 200
        tokens.revoked(tmp_path, "one")
        deadline = time.monotonic() + 10.0
        while ask(url, "GET", "/v1/rate", None, given)[0] == 200:
            assert time.monotonic() < deadline
        assert ask(url, "GET", "/v1/rate")[0] == 401  # the last one is gone, and the door stays shut


def test_who_waits_for_pages_with_a_token_that_is_revoked_gets_none(tmp_path):
    work, admin = tokens.made(tmp_path, "w", "work"), tokens.made(tmp_path, "a", "admin")
    frontier, got = Frontier(), {}

    def wait(name, token):
        got[name] = ask(url, "POST", "/v1/lease", {"wait": 20}, {"Authorization": f"Bearer {token}"})

    with serving(frontier, tokens=Tokens(tmp_path)) as url:
        waiting = [threading.Thread(target=wait, args=each) for each in (("revoked", work), ("other", admin))]
        for each in waiting:
            each.start()
        for _ in range(20):  # some answers, so that both wait by then
            ask(url, "GET", "/readyz")
        tokens.revoked(tmp_path, "w")
        waiting[0].join(10.0)
        status, headers, problem = got["revoked"]
        assert (status, problem["title"], headers["www-authenticate"]) == (401, "not a token", 'Bearer realm="recrawl"')
        assert not len(frontier)
        frontier.add("https://a.example/")
        waiting[1].join(20.0)
    assert [page["url"] for page in got["other"][2]["pages"]] == ["https://a.example/"]


def test_only_hashes_are_kept_and_nobody_else_may_read_them(tmp_path):
    token = tokens.made(tmp_path, "one", "work")
    file = tmp_path / tokens.FILE
    assert token not in file.read_text()
    assert token.removeprefix(tokens.PREFIX) not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert Tokens(tmp_path).scope(token) == "work"
    assert Tokens(tmp_path).scope(token + "x") is None


def test_a_file_that_cannot_be_read_lets_nobody_in(tmp_path):
    token = tokens.made(tmp_path, "one", "work")
    with serving(tokens=Tokens(tmp_path)) as url:
        (tmp_path / tokens.FILE).write_text("{")
        deadline = time.monotonic() + 10.0
        while (got := ask(url, "GET", "/v1/rate", None, {"Authorization": f"Bearer {token}"}))[0] == 200:
            assert time.monotonic() < deadline
        assert (got[0], got[2]["outcome"]) == (503, "failed")
        for _ in range(3):  # and so it stays
            assert ask(url, "GET", "/v1/rate", None, {"Authorization": f"Bearer {token}"})[0] == 503
        for path in ("/healthz", "/readyz", "/"):  # what needs no token is answered as before
            assert ask(url, "GET", path)[0] == 200
    with pytest.raises(DataError, match="no list of tokens"):
        Tokens(tmp_path)


@pytest.mark.parametrize(
    ("name", "scope", "words"), [("", "read", "name must be"), ("a", "all", "scope must be one of")]
)
def test_what_makes_no_token(tmp_path, name, scope, words):
    with pytest.raises(InputError, match=words):
        tokens.made(tmp_path, name, scope)


def test_a_name_is_used_once(tmp_path):
    tokens.made(tmp_path, "a", "read")
    with pytest.raises(InputError, match="revoke that one first"):
        tokens.made(tmp_path, "a", "read")
    with pytest.raises(InputError, match="there are: a"):
        tokens.revoked(tmp_path, "b")


def test_who_makes_and_revokes_tokens_at_the_same_time_loses_none(tmp_path):
    tokens.made(tmp_path, "old", "read")
    begins = threading.Barrier(9)

    def change(k):
        begins.wait()
        tokens.revoked(tmp_path, "old") if k == 0 else tokens.made(tmp_path, f"t{k}", "read")

    threads = [threading.Thread(target=change, args=(k,)) for k in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert {each.name for each in tokens.read(tmp_path)} == {f"t{k}" for k in range(1, 9)}


def test_tokens_of_a_folder_that_is_not_there(tmp_path, capsys):
    for command in (["list"], ["revoke", "a"]):
        assert main(["token", *command, "--data", str(tmp_path / "typo")]) == 2
        assert "DIR must be a folder that is there" in capsys.readouterr().err
    assert main(["token", "add", "a", "--data", str(tmp_path / "new")]) == 0
    assert main(["token", "list", "--data", str(tmp_path / "new")]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("a ")


def test_other_addresses_need_tokens(tmp_path):
    with pytest.raises(InputError, match="recrawl token makes one"):
        check_tokens("0.0.0.0", Tokens(tmp_path))
    tokens.made(tmp_path, "a", "read")
    check_tokens("0.0.0.0", Tokens(tmp_path))
    check_tokens("::1", None)


@pytest.mark.parametrize("text", ["", "8700", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "example.org:80"])
def test_what_is_no_address(text):
    with pytest.raises(InputError, match="listen must"):
        listen_address(text)


def test_every_call_that_changes_something_needs_more_than_read():
    with serving() as url:
        described = ask(url, "GET", "/openapi/openapi.json")[2]
    changing = [
        (method.upper(), path) for path, calls in described["paths"].items() for method in calls if method != "get"
    ]
    assert len(changing) >= 10
    assert all(needed(method, path) in ("work", "admin") for method, path in changing)
