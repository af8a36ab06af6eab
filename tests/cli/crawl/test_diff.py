"""recrawl diff."""

import pytest

from recrawl.cli.main import main
from recrawl.compare import kept_rules, versions
from recrawl.store import Shelf

URL = "https://a.example/news"
PAGE = """<html><head><title>News</title></head><body><nav>Home</nav>
<main><h1>Storm over the north</h1><p>Ships stay in port.</p><p class="seen">{views} views</p></main>
<div class="ad">{ad}</div></body></html>"""


def page(views, ad):
    return PAGE.format(views=views, ad=ad).encode()


@pytest.fixture
def folder(tmp_path):
    with Shelf(tmp_path / "shelf") as shelf:
        versions.put(shelf, URL, page(17, "Buy a boat"), "text/html", 1_700_000_000.0)
        versions.put(shelf, URL, page(18, "Buy \x1b[2Ja car"), "text/html", 1_700_003_600.0)
        versions.put(shelf, "https://a.example/once", b"x", "text/plain", 0.0)
        kept_rules.keep(shelf, [{"match": "https://a.example/*", "compare": "css:h1"}])
    return tmp_path


def run(capsys, *arguments):
    status = main(["diff", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_each_choice_is_shown(folder, capsys):
    status, out, _ = run(capsys, URL, "--data", folder)
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == URL
    assert lines[1].split() == [
        "older",
        "2023-11-14",
        "22:13:20",
        "UTC",
        str(len(page(17, "Buy a boat"))),
        "bytes",
        "text/html",
    ]
    table = {line.split("  ")[0]: line.split()[-2:] for line in lines[5:8]}
    assert [line.split()[-1] for line in lines[5:7]] == ["changed", "changed"]
    assert lines[7].startswith("css:h1 (configured)")
    assert lines[7].endswith("the same")
    assert table
    assert "  -17 views" in lines
    assert "  +18 views" in lines
    assert "css:h1 (configured): no difference" in lines


def test_another_rule_is_tried(folder, capsys):
    status, out, _ = run(capsys, URL, "--data", folder, "--compare", "text", "--ignore", r"\d+ views")
    assert status == 0
    (line,) = [line for line in out.splitlines() if line.startswith("text (tried)  ")]
    assert line.endswith("the same")


def test_tolerance_is_tried_with_the_configured_rule(folder, capsys):
    _, out, _ = run(capsys, URL, "--data", folder, "--compare", "text", "--tolerance", "0.5")
    (line,) = [line for line in out.splitlines() if line.startswith("text (tried)  ")]
    assert line.endswith("the same")


def test_nothing_of_a_page_moves_the_cursor(folder, capsys):
    _, out, _ = run(capsys, URL, "--data", folder)
    assert "\x1b" not in out
    assert r"\x1b[2Ja car" in out


def test_long_differences_are_cut(folder, capsys):
    with Shelf(folder / "shelf") as shelf:
        for word in ("a", "b"):
            body = "\n".join(f"{word} {n}" for n in range(100)).encode()
            versions.put(shelf, "https://a.example/long", body, "text/plain", 0.0)
    _, out, _ = run(capsys, "https://a.example/long", "--data", folder, "--lines", "10")
    assert "more lines; --lines 201 shows them)" in out


def test_it_works_while_the_crawl_has_the_shelf_open(folder, capsys):
    with Shelf(folder / "shelf"):
        assert run(capsys, URL, "--data", folder)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["https://a.example/once"], "of which there are two versions, got https://a.example/once, which has been"),
        (["https://a.example/none"], "which was never kept"),
        (["nonsense"], "url must"),
        ([URL, "--compare", "css:p["], "compare must have a CSS selector after css:, got 'p['"),
        ([URL, "--compare", "xpath:p"], "compare must be bytes, text, css:SELECTOR"),
        ([URL, "--ignore", "("], "ignore must have regular expressions as Python reads them, got '('"),
        ([URL, "--tolerance", "7"], r"tolerance must be in [0, 1), got 7"),
    ],
)
def test_what_is_wrong_is_said(folder, arguments, said, capsys):
    status, _, err = run(capsys, *arguments, "--data", folder)
    assert status == 2
    assert said in err


def test_a_folder_without_a_shelf_is_refused(tmp_path, capsys):
    assert run(capsys, URL, "--data", tmp_path / "no")[0] == 2
    status, _, err = run(capsys, URL, "--data", tmp_path)
    assert (status, "holds no crawl; start one with recrawl run --data" in err) == (2, True)
