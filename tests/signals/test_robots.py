"""What robots.txt files mean, by RFC 9309 and by Google's open parser where the RFC leaves room."""

import pytest

from recrawl.signals import robots

SITE = "https://example.org"


def allowed(text, path, agent="FooBot"):
    data = text if isinstance(text, bytes) else text.encode()
    return robots.parse(data).allowed(agent, path if "//" in path else SITE + path)


def permitted(text, paths, agent="FooBot"):
    """Those of the paths that may be fetched."""
    return [path for path in paths.split() if allowed(text, path, agent)]


def test_an_empty_file_allows_everything():
    assert allowed("", "/a")


def test_a_group_without_rules_allows_everything():
    assert allowed("user-agent: *\ndisallow: /\nuser-agent: FooBot", "/a")


def test_an_empty_disallow_forbids_nothing():
    assert allowed("user-agent: FooBot\ndisallow:\n", "/a")


def test_rules_before_the_first_group_count_for_no_one():
    assert allowed("disallow: /\nuser-agent: FooBot\ndisallow: /b", "/a")


def test_groups_of_one_agent_are_one():
    text = "user-agent: FooBot\ndisallow: /a\nuser-agent: Other\ndisallow: /\nuser-agent: foobot\ndisallow: /b"
    assert permitted(text, "/a /b /c") == ["/c"]


def test_several_agents_share_a_group():
    text = "user-agent: One\n\nuser-agent: Two\ndisallow: /a"
    assert [allowed(text, "/a", agent) for agent in ("One", "Two", "Three")] == [False, False, True]


@pytest.mark.parametrize(
    "line", ["Sitemap: /s.xml", "Noindex: /x", "Harry: Potter", "Harry Potter", "# note", "Host: a"]
)
def test_other_lines_between_user_agents_do_not_part_them(line):
    text = f"user-agent: FooBot\n{line}\nuser-agent: BarBot\ndisallow: /"
    assert not allowed(text, "/a", "FooBot")


@pytest.mark.parametrize("line", ["Sitemap: /s.xml", "Noindex: /x"])
def test_other_lines_between_rules_do_not_end_a_group(line):
    assert permitted(f"user-agent: FooBot\ndisallow: /a\n{line}\ndisallow: /b", "/a /b") == []


def test_a_named_agent_is_not_bound_by_the_star():
    text = "user-agent: *\ndisallow: /a\nuser-agent: FooBot\ndisallow: /b"
    assert permitted(text, "/a /b") == ["/a"]
    assert permitted(text, "/a /b", "Other") == ["/b"]


def test_a_star_may_be_followed_by_a_note():
    assert not allowed("user-agent: * everyone\ndisallow: /", "/a")
    assert allowed("user-agent: *bot\ndisallow: /", "/a")


@pytest.mark.parametrize(
    "named", ["FooBot", "foobot", "FOOBOT/2.1", "FooBot 2", "FooBot*", "FooBot,", "FooBot/1.0 (+http://a.b)", "foobot2"]
)
def test_the_product_token_of_a_user_agent_line_counts(named):
    assert not allowed(f"user-agent: {named}\ndisallow: /", "/a")


@pytest.mark.parametrize("named", ["Foo", "FooBots", "Foo-Bot", "Mozilla FooBot", "/FooBot", "ツ", ""])
def test_other_user_agent_lines_do_not(named):
    assert allowed(f"user-agent: {named}\ndisallow: /", "/a")


@pytest.mark.parametrize("agent", ["FooBot", "foobot", "FooBot/1.0", "FooBot/1.0 (+https://example.org/bot)"])
def test_an_agent_may_be_a_whole_header(agent):
    assert not allowed("user-agent: FooBot\ndisallow: /", "/a", agent)


def test_an_agent_of_two_words_is_none_of_them():
    text = "user-agent: *\ndisallow: /\nuser-agent: Foo Bar\nallow: /x/\ndisallow: /"
    assert [allowed(text, "/x/y", agent) for agent in ("Foo", "Foo Bar")] == [True, False]


def test_agents_with_digits_are_found():
    assert not allowed("user-agent: 12bot\ndisallow: /", "/a", "12bot")


def test_no_agent_is_bound_by_no_named_group():
    assert allowed("user-agent: FooBot\ndisallow: /", "/a", "")


@pytest.mark.parametrize("key", ["disallow", "DISALLOW", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"])
def test_misspelled_disallow(key):
    assert not allowed(f"user-agent: FooBot\n{key}: /", "/a")


@pytest.mark.parametrize(
    "key", ["user-agent", "User-Agent", "useragent", "user agent", "  user-agent  ", "User-agents"]
)
def test_misspelled_user_agent(key):
    assert not allowed(f"{key}: FooBot\ndisallow: /", "/a")


def test_a_colon_may_be_forgotten_where_there_are_two_words():
    assert not allowed("user-agent FooBot\ndisallow /", "/a")
    assert allowed("user-agent FooBot\ndisallow / now", "/a")
    assert allowed("user-agent FooBot\ndisallow\v/", "/a")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends(end):
    text = end.join(("user-agent: FooBot", "", "disallow: /a", "disallow: /b"))
    assert permitted(text, "/a /b /c") == ["/c"]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_byte_order_marks_and_parts_of_them_are_passed_over(mark):
    assert not allowed(mark + b"user-agent: FooBot\ndisallow: /", "/a")


def test_a_broken_mark_breaks_its_line():
    assert allowed(b"\xef\x11\xbfuser-agent: FooBot\ndisallow: /", "/a")


def test_utf_16_is_read_where_it_is_marked():
    assert not allowed("user-agent: FooBot\ndisallow: /".encode("utf-16"), "/a")


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_mark_of_utf_16_before_other_text_is_passed_over(mark):
    assert not allowed(mark + b"user-agent: FooBot\ndisallow: /", "/a")


def test_bytes_that_are_no_text_spoil_their_line_only():
    assert permitted(b"user-agent: FooBot\n\xff\xfe\x00\ndisallow: /a\xff\ndisallow: /b", "/a /b") == ["/a"]


def test_comments():
    text = "user-agent: FooBot # ours\n# disallow: /\ndisallow: /a#b"
    assert permitted(text, "/a /b") == ["/b"]


@pytest.mark.parametrize(
    ("rules", "path", "got"),
    [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
        ("allow: /x/page.html\ndisallow: /x/", "/x/", False),
        ("disallow: /\nallow: /", "/a", True),
        ("disallow: /x\nallow: /x/", "/x", False),
        ("disallow: /x\nallow: /x/", "/x/", True),
        ("allow: /page\ndisallow: /*.html", "/page.html", False),
        ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", True),
        ("allow: /$\ndisallow: /", "/", True),
        ("allow: /$\ndisallow: /", "/a", False),
        ("disallow: *\nallow: /a", "/b", False),
    ],
)
def test_the_longest_rule_decides_and_allow_wins_ties(rules, path, got):
    assert allowed("user-agent: FooBot\n" + rules, path) == got


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("/fish", "/fish /fish.html /fish/salmon /fishheads /fish?id=1", "/Fish /catfish /?id=fish"),
        ("/fish*", "/fish /fish.html /fishheads/yummy", "/Fish /catfish"),
        ("/fish/", "/fish/ /fish/a /fish/?a", "/fish /fish.html"),
        ("/*.php", "/a.php /b/a.php?c /a.php/ /i?f=a.php", "/php/ /i?php /a.PHP"),
        ("/*.php$", "/a.php /b/a.php /a.php.php", "/a.php?b /a.php/ /a.php5"),
        ("/fish*.php", "/fish.php /fishheads/catfish.php?a", "/Fish.PHP /fish"),
        ("/a$b", "/a$b /a$bc", "/a /ab"),
        ("/a*b*c$", "/abc /axbxc /abcbc", "/abcd /acb"),
        ("/**a$", "/a /ba", "/ab"),
        ("/*a$", "/a /xa", "/ax"),
        ("*m", "/m /am", "/a"),
        ("$", "", "/ /a"),
        ("/$", "/", "/a"),
        ("/ab*ba$", "/abba /abxba", "/aba"),
    ],
)
def test_patterns(pattern, matching, others):
    text = f"user-agent: FooBot\ndisallow: {pattern}"
    assert permitted(text, f"{matching} {others}") == others.split()


def test_allowing_an_index_page_allows_its_folder():
    text = "user-agent: *\nallow: /a/index.html\ndisallow: /"
    assert permitted(text, "/a/ /a/index.html /a/index.htm /b") == ["/a/", "/a/index.html"]


def test_forbidding_an_index_page_does_not_forbid_its_folder():
    assert permitted("user-agent: *\ndisallow: /a/index.html", "/a/ /a/index.html") == ["/a/"]


@pytest.mark.parametrize("rule", ["/a/ツ", "/a/%E3%83%84", "/a/%e3%83%84"])
def test_escapes_have_one_spelling(rule):
    text = f"user-agent: FooBot\ndisallow: {rule}"
    assert permitted(text, "/a/%E3%83%84 /a/%e3%83%84 /a/ツ /a/b") == ["/a/b"]


def test_a_url_that_is_not_normalised_must_be_allowed_in_both_spellings():
    assert permitted("user-agent: FooBot\ndisallow: /\nallow: /ツ", "/%E3%83%84 /ツ") == ["/%E3%83%84"]


def test_letters_and_their_escapes_differ():
    text = "user-agent: FooBot\ndisallow: /\nallow: /%62%61%7A"
    assert permitted(text, "/baz /%62%61%7A") == ["/%62%61%7A"]


def test_a_tilde_may_be_escaped():
    assert permitted("user-agent: FooBot\ndisallow: /~a\ndisallow: /%7eb", "/%7Ea /~b /~c") == ["/~c"]


def test_a_slash_may_not():
    assert permitted("user-agent: FooBot\ndisallow: /a%2fb", "/a/b /a%2Fb") == ["/a/b"]


def test_paths_are_case_sensitive():
    assert permitted("user-agent: FooBot\ndisallow: /X/", "/x/ /X/") == ["/x/"]


@pytest.mark.parametrize(
    ("url", "got"),
    [
        ("", False),
        ("https://example.org", False),
        ("example.org", False),
        ("https://example.org?a", True),
        ("//example.org/a", True),
        ("example.org/a#b", True),
        ("https://example.org#/a", False),
        ("https://example.org/#a", False),
        ("/a?b=http://c/", True),
    ],
)
def test_what_the_path_of_a_url_is(url, got):
    found = robots.parse(b"user-agent: *\ndisallow: /$").allowed("FooBot", url)
    assert found == got


def test_robots_txt_itself_is_always_allowed():
    assert permitted("user-agent: *\ndisallow: /", "/robots.txt /robots.txt.gz") == ["/robots.txt"]
    assert robots.FORBID_ALL.allowed("FooBot", SITE + "/robots.txt")


def test_long_lines_are_cut():
    line = "/x/" + "a" * 16649
    assert len("disallow: " + line) == 16662
    assert not allowed(f"user-agent: FooBot\ndisallow: {line}/qux", f"{line}/fux")


def test_what_comes_after_the_limit_is_not_read_and_a_cut_line_is_none():
    data = (
        b"user-agent: FooBot\ndisallow: /a\n"
        + b"#" * (robots.MOST_BYTES - 60)
        + b"\ndisallow: /bbbbbbbbbbbbbbbbbbbbb\n"
    )
    assert len(data) > robots.MOST_BYTES
    assert permitted(data, "/a /b /bbbbbbbbbbbbbbbbbbbbb") == ["/b", "/bbbbbbbbbbbbbbbbbbbbb"]


def test_many_stars_take_no_time():
    text = "user-agent: FooBot\n" + "disallow: /" + "*a" * 8000 + "b$\n"
    assert allowed(text * 3, "/" + "a" * 8000)


def test_crawl_delay_of_the_group_that_matches():
    got = robots.parse(
        b"user-agent: *\ncrawl-delay: 10\ndisallow: /a\n\nuser-agent: FooBot\ndisallow:\nCrawl-Delay: 1.5 s"
    )
    assert [got.crawl_delay(agent) for agent in ("FooBot/1", "Other", "*")] == [1.5, 10.0, 10.0]


def test_an_agent_with_a_group_of_its_own_has_no_delay_of_others():
    assert (
        robots.parse(b"user-agent: *\ncrawl-delay: 10\nallow: /\nuser-agent: FooBot\nallow: /").crawl_delay("FooBot")
        is None
    )


@pytest.mark.parametrize("value", ["", "soon", "-1", "nan", "inf", "ten"])
def test_delays_that_are_none(value):
    assert robots.parse(f"user-agent: *\ncrawl-delay: {value}".encode()).crawl_delay("FooBot") is None


def test_of_several_delays_the_longest():
    assert robots.parse(b"user-agent: *\ncrawl-delay: 3\ncrawl-delay: 2").crawl_delay("FooBot") == 3.0


def test_a_delay_holds_for_the_agents_before_it():
    got = robots.parse(b"user-agent: Slow\ncrawl-delay: 9\nuser-agent: *\ndisallow: /x")
    assert [got.crawl_delay(agent) for agent in ("Slow", "Other")] == [9.0, None]


def test_a_delay_is_not_handed_on_to_agents_named_before_another():
    got = robots.parse(
        b"User-agent: *\nCrawl-delay: 1\n\nUser-agent: Slow\nCrawl-delay: 2000\n\nUser-agent: Other\nDisallow: /x"
    )
    assert [got.crawl_delay(agent) for agent in ("recrawl", "Slow", "Other")] == [1.0, 2000.0, None]
    assert [got.allowed(agent, "/x") for agent in ("recrawl", "Slow", "Other")] == [False] * 3


def test_each_list_of_agents_has_its_own_delay():
    text = "User-agent: bixo\nCrawl-delay: 10\nUser-agent: foo\nUser-agent: bar\nCrawl-delay: 20\nDisallow: /\n"
    got = robots.parse(f"{text}User-agent: *\nCrawl-delay: 30\n".encode())
    assert [got.crawl_delay(agent) for agent in ("bixo", "foo", "bar", "any")] == [10.0, 20.0, 20.0, 30.0]


def test_rules_and_delays_of_one_list_in_any_order():
    got = robots.parse(b"User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 2\nUser-agent: c\nCrawl-delay: 3")
    assert [got.crawl_delay(agent) for agent in "abc"] == [2.0, 2.0, 3.0]


@pytest.mark.parametrize(("value", "seconds"), [("1,5", 1.5), ("1.", 1.0), (".5", 0.5), (",5", 0.5), ("2, 3", 2.0)])
def test_how_delays_are_written(value, seconds):
    assert robots.parse(f"user-agent: *\ncrawl-delay: {value}".encode()).crawl_delay("FooBot") == seconds


def test_sitemaps_stand_anywhere():
    text = "Sitemap: https://a.org/1.xml\nuser-agent: *\nSite-map: https://b.org/2.xml # two\nSitemap:\nSITEMAP:https://a.org/1.xml"
    got = robots.parse(text.encode()).sitemaps
    assert got == ("https://a.org/1.xml", "https://b.org/2.xml")


def test_half_a_url_after_a_forgotten_colon_is_what_google_reads():
    # The first colon parts key and value, even when it is that of https:
    assert robots.parse(b"sitemap https://c.org/3").sitemaps == ("//c.org/3",)


@pytest.mark.parametrize(
    ("status", "got"),
    [
        (200, False),
        (204, True),
        (301, True),
        (401, True),
        (403, True),
        (404, True),
        (410, True),
        (429, False),
        (500, False),
        (503, False),
        (None, False),
    ],
)
def test_what_holds_after_asking(status, got):
    data = b"user-agent: *\ndisallow: /" if status == 200 else b""
    assert robots.policy(status, data).allowed("FooBot", SITE + "/a") == got


@pytest.mark.parametrize("status", [429, 500, 503, None])
def test_a_copy_serves_for_a_day(status):
    kept = robots.parse(b"user-agent: *\ndisallow: /b")
    got = [
        robots.policy(status, b"", kept, age).allowed("FooBot", SITE + "/a")
        for age in (0.0, robots.DAY, robots.DAY + 1)
    ]
    assert got == [True, True, False]


def test_a_copy_does_not_outlive_an_answer():
    kept = robots.parse(b"user-agent: *\ndisallow: /")
    assert robots.policy(404, b"", kept, 5.0).allowed("FooBot", SITE + "/a")


@pytest.mark.parametrize("path", ["/", "/a/b.html?q=1&r=a,b", "/~joe/", "/robots.txt", "//a", "/a:b@c+d", "/private/x"])
def test_paths_of_one_spelling_are_read_as_all_others(path):
    rules = robots.parse(
        b"User-agent: *\nDisallow: /private/\nDisallow: /~joe\nDisallow: /*?q=\nAllow: /a/\nDisallow: //"
    )
    url = f"https://example.org:8443{path}"
    assert robots._PLAIN.fullmatch(url)
    assert rules.allowed("recrawl", url) == rules._allowed("recrawl", robots.path_of(url))


@pytest.mark.parametrize(
    "url", ["https://a/%7ejoe", "https://a;b/c", "https://a/b;c", "https://a?b", "/a", "https://a/ä"]
)
def test_other_urls_have_no_short_way(url):
    assert not robots._PLAIN.fullmatch(url)
