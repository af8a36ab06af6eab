"""The dashboard in a real browser, where there is one: Debian's chromium, driven by playwright."""

import importlib.util
import shutil

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.server import tokens
from recrawl.server.tokens import Tokens
from tests.server.live import serving
from tests.server.lively import NASTY, NOW

CHROMIUM = shutil.which("chromium")
HERE = CHROMIUM is not None and importlib.util.find_spec("playwright") is not None
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WAIT = 20_000.0
"""Milliseconds after which something that should show never will."""


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def tab(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("console", lambda said: page.troubles.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: page.troubles.append(dialog.message) or dialog.dismiss())
    yield page
    context.close()


@pytest.fixture(scope="module")
def url(past):
    with serving(past[0]) as found:
        yield found


if HERE:

    def test_it_shows_freshness_and_nothing_complains(tab, url):
        tab.goto(url)
        tab.wait_for_selector("#plot-fresh canvas")
        tab.wait_for_selector("#hosts td")
        assert tab.inner_text("#fresh").endswith("%")
        assert tab.troubles == []

    @pytest.mark.parametrize("width", [375, 768, 1280])
    def test_nothing_sticks_out(tab, url, width):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.goto(url)
        tab.wait_for_selector("#hosts td")
        assert tab.evaluate("document.documentElement.scrollWidth") == width

    def test_every_plot_has_a_sentence_and_a_table(tab, url):
        tab.goto(url)
        tab.wait_for_selector("#plot-calibration canvas")
        for name in ("fresh", "used", "waste", "curve", "calibration"):
            tab.wait_for_selector(f"#plot-{name} canvas")
            assert "%" in tab.inner_text(f"#plot-{name} .sum") or name == "used"
            tab.click(f"#plot-{name} summary")
            tab.wait_for_selector(f"#plot-{name} tbody tr:nth-child(2)")

    def test_it_follows_the_keyboard(tab, url):
        tab.goto(url)
        tab.wait_for_selector("#hosts td")
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "main"
        tab.focus("#q")
        tab.keyboard.type("news0")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#found a")
        tab.focus("#found a")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#page canvas")
        assert "news0.example" in tab.inner_text("#page-title")
        assert tab.locator("#page .why li").count() > 0

    @pytest.mark.parametrize("where", ["#spans button:nth-child(1)", "#orders button:nth-child(2)", "#hosts .scroll"])
    def test_what_has_the_focus_keeps_it(tab, url, where):
        answers = []
        tab.on("response", lambda answer: answers.append(answer.url) if "/hosts?" in answer.url else None)
        tab.clock.install()
        tab.goto(url)
        tab.wait_for_selector("#hosts td")
        tab.focus(where)
        tab.evaluate("window.before = document.activeElement")
        before = len(answers)
        for _ in range(8):  # hosts are asked for with every sixth round
            with tab.expect_response("**/v1/dashboard/curve"):
                tab.clock.run_for(5_000)
        assert len(answers) > before
        assert tab.evaluate("document.activeElement === window.before && document.body.contains(window.before)")

    def test_the_button_that_was_chosen_is_pressed_and_has_the_focus(tab, url):
        tab.goto(url)
        tab.wait_for_selector("#spans button")
        tab.focus("#spans button:nth-child(1)")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#spans button:nth-child(1)[aria-pressed=true]")
        assert tab.locator("#spans [aria-pressed=true]").count() == 1
        assert tab.evaluate("document.activeElement.textContent") == "Hour"

    def test_a_url_is_never_markup(tab, url, past):
        tab.goto(url)
        tab.fill("#q", "<img src=x onerror=alert(1)>")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#found p")
        tab.fill("#q", NASTY)
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#found a")
        tab.click("#found a")
        tab.wait_for_selector("#page .facts")
        assert tab.locator("main img").count() == 0
        assert tab.troubles == []

    def test_a_server_that_is_gone_is_told_and_what_was_shown_stays(tab, url):
        tab.goto(url)
        tab.wait_for_selector("#hosts td")
        tab.route("**/v1/**", lambda route: route.abort())
        tab.wait_for_selector("#alert:not([hidden])")
        assert "does not answer" in tab.inner_text("#alert")
        assert tab.inner_text("#fresh").endswith("%")

    def test_an_empty_frontier_says_what_to_do(tab):
        with serving(Frontier(rate=1.0, clock=ManualClock(NOW))) as empty:
            tab.goto(empty)
            tab.wait_for_selector("#welcome:not([hidden])")
            assert "No pages yet" in tab.inner_text("#welcome")

    def test_what_cannot_be_told_yet_is_not_promised_for_the_next_moment(tab):
        frontier = Frontier(rate=0.0, clock=ManualClock(NOW))
        frontier.add("https://a.example/")
        with serving(frontier) as idle:
            tab.goto(idle)
            tab.wait_for_selector("#compare .note")
            assert tab.inner_text("#compare .note").startswith("What is possible shows once a rate is set")
            assert tab.inner_text("#signals-note") == "0 ever."

    def test_dark_is_dark(browser, url):
        context = browser.new_context(color_scheme="dark")
        page = context.new_page()
        page.goto(url)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
        context.close()

    def test_a_token_is_asked_for_and_enough(tab, past, tmp_path):
        token = tokens.made(tmp_path, "looker", "read")
        with serving(past[0], tokens=Tokens(tmp_path)) as guarded:
            tab.goto(guarded)
            tab.wait_for_selector("#token:not([hidden])")
            assert tab.inner_text("#wrong") == ""
            tab.fill("#secret", "rc_wrong")
            tab.keyboard.press("Enter")
            tab.wait_for_selector("#wrong:has-text('not one of this server')")
            assert tab.evaluate("document.activeElement.id") == "secret"
            tab.fill("#secret", token)
            tab.keyboard.press("Enter")
            tab.wait_for_selector("#hosts td")

    def test_all_calls_are_described_without_help_from_elsewhere(tab, url):
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(f"{url}/docs")
        tab.wait_for_selector("#calls section h2")
        text = tab.inner_text("#calls")
        assert "/v1/lease" in text
        assert "seconds to wait for the first page" in text
        assert all(each.startswith(url) for each in asked)
        assert tab.troubles == []
