"""What is shown while a crawl runs."""

import io

from recrawl.crawler.status import Status
from recrawl.crawler.view import LiveView


def shown(**known):
    stream = io.StringIO()
    with LiveView(stream) as view:
        view.show(Status("running", **known))
    return stream.getvalue()


def test_what_hooks_say_is_shown_as_it_is():
    said = "failed: [error] no [/tmp/index]"
    assert said in shown(counts={"hooks": {said: 1}})


def test_addresses_in_brackets_are_shown():
    assert "[fd12::1]:8080" in shown(failing=[{"host": "[fd12::1]:8080"}], failing_hosts=1)


def test_what_hooks_say_moves_no_cursor():
    text = shown(counts={"hooks": {"a\x1b[2Jb\nc": 1}})
    assert "a [2Jb c" in text
