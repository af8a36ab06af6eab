"""Pages as they are out there: what changed for a reader, and what changed for nobody."""

import pytest

from recrawl.compare import Rule, alike, digest, extract

ARTICLE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Storm closes northern ports | The Post</title>
<script>window.__BUILD__ = "{build}"; var t = {stamp};</script><meta name="csrf" content="{token}">
<link rel="stylesheet" href="/app.{build}.css"></head>
<body class="page ads-enabled">
<div id="cookie-banner-7">We value your privacy {token}</div>
<header class="top"><a href="/">The Post</a> <span>{clock}</span></header>
<nav><ul><li><a href="/news">News</a></li><li>{nav}</li></ul></nav>
<main>
 <article>
  <header><h1>Storm closes northern ports</h1>
  <p class="byline">By A. Writer, <time datetime="2026-11-17">17 November 2026</time></p></header>
  <p>Ships stayed in port on Tuesday as a storm crossed the coast, and ferries were cancelled until Thursday.</p>
  <div class="ad-slot" id="div-gpt-ad-1">{ad}</div>
  <p>{paragraph}</p>
  <ins class="adsbygoogle" data-ad-slot="5">{ad}</ins>
  <iframe src="https://ads.example/{token}"></iframe>
  <aside><h2>Most read</h2><ol><li>{popular}</li></ol></aside>
  <p class="seen">{views} views &middot; updated {ago}</p>
 </article>
</main>
<footer>&copy; The Post. Rendered in {stamp} ms by {build}</footer>
<noscript><img src="https://count.example/{token}.gif"></noscript>
</body></html>"""  # fmt: skip

FIRST = {
    "build": "a81f",
    "stamp": "1700000000",
    "token": "9f3c",
    "clock": "10:15",
    "nav": "Sports",
    "ad": "Buy a boat",
    "paragraph": "The coast guard said that no one had been hurt, and that ships would sail when the wind fell.",
    "popular": "A cat in a tree",
    "views": "1,204",
    "ago": "3 minutes ago",
}
NOISE = {
    "build": "b77c",
    "stamp": "1700000777",
    "token": "11aa",
    "clock": "10:28",
    "nav": "Live: football",
    "ad": "Fly to Rome from 19",
    "popular": "Ten recipes",
}


def page(**changes):
    return ARTICLE.format(**{**FIRST, **changes}).encode()


def same(rule, **changes):
    old, new = (extract(rule, body, "text/html; charset=utf-8") for body in (page(), page(**changes)))
    assert (digest(old) == digest(new)) == (old == new)
    return alike(old, new, rule.tolerance)


@pytest.mark.parametrize("name", list(NOISE))
def test_what_changes_for_nobody_is_no_change_of_the_main_text(name):
    assert same(Rule.parse("text"), **{name: NOISE[name]})
    assert not same(Rule.parse("bytes"), **{name: NOISE[name]})


def test_all_of_it_at_once_is_no_change():
    assert same(Rule.parse("text"), **NOISE)
    assert same(Rule(), **NOISE)


@pytest.mark.parametrize("rule", ["bytes", "text", "css:main", "css:article > p", "auto"])
def test_a_word_that_a_reader_sees_is_a_change(rule):
    paragraph = FIRST["paragraph"].replace("no one", "one sailor")
    assert not same(Rule.parse(rule), paragraph=paragraph)


def test_a_count_and_an_age_count_unless_they_are_ignored():
    seen = {"views": "1,377", "ago": "16 minutes ago"}
    assert not same(Rule.parse("text"), **seen)
    assert same(Rule.parse("text", ignore=["@counts", "@ago"]), **seen)
    assert same(Rule.parse("text", ignore=[r"[\d,]+ views", r"updated .* ago"]), **seen)
    assert same(Rule.parse("text", tolerance=0.2), **seen)
    assert same(Rule.parse("css:h1, article > p:not(.seen)"), **seen)


def test_tolerance_lets_a_counter_pass_and_not_a_new_paragraph():
    rule = Rule.parse("text", tolerance=0.1)
    assert same(rule, views="1,205")
    more = FIRST["paragraph"] + " Late in the evening the harbour of Nordby was flooded, and two hundred people left."
    assert not same(rule, paragraph=more)


def test_the_text_is_what_a_reader_reads():
    assert extract(Rule.parse("text"), page(), "text/html").splitlines() == [
        "Storm closes northern ports | The Post",
        "Storm closes northern ports",
        "By A. Writer, 17 November 2026",
        "Ships stayed in port on Tuesday as a storm crossed the coast, and ferries were cancelled until Thursday.",
        FIRST["paragraph"],
        "1,204 views · updated 3 minutes ago",
    ]


def test_markup_alone_is_no_change_of_text():
    old = b"<main><p>Ships <b>stay</b> in port.</p></main>"
    new = b"<main>\n <div class=x><p>Ships stay\n in <i>po</i>rt.</p></div></main>"
    assert extract(Rule.parse("text"), old, "text/html") == extract(Rule.parse("text"), new, "text/html")


@pytest.mark.parametrize(
    "html",
    [
        b"<body><nav>only</nav></body>",
        b"<body><main></main><div>filled in later</div></body>",
        b"<div class=ad>all of it</div>",
        b"just words",
        b"<aside>a note</aside>",
    ],
)
def test_a_page_of_surroundings_alone_still_has_text(html):
    assert extract(Rule.parse("text"), html, "text/html").strip()


def test_a_wrapper_that_looks_like_an_ad_does_not_hide_the_page():
    html = b"<body><div class='ad-layout'><main><p>words</p></main></div></body>"
    assert extract(Rule.parse("text"), html, "text/html") == "words"


JSON = b'{"updated": 17, "items": [{"price": 3, "name": "a/b"}, {"price": 4}]}'


def test_a_pointer_sees_its_part_alone():
    other = JSON.replace(b"17", b"18").replace(b'"price": 4', b'"price": 5')
    for pointer, is_same in [("/items/0", True), ("/items/1", False), ("", False), ("/items", False)]:
        rule = Rule.parse(f"json:{pointer}")
        got = extract(rule, JSON, "application/json") == extract(rule, other, "application/json")
        assert got == is_same, pointer


def test_the_order_of_names_in_json_is_no_change():
    rule = Rule.parse("json:")
    assert extract(rule, b'{"a":1,"b":[1,2]}', "") == extract(rule, b'{ "b" : [1, 2], "a": 1 }', "")
    assert extract(rule, b'{"b":[1,2]}', "") != extract(rule, b'{"b":[2,1]}', "")
