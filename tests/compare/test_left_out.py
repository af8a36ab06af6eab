"""Selectors that cannot match are not tried: what is left must be the same as if all of them were."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.compare import main_text as module

ALL = module._Source(frozenset(module._THAT_MATTER | {"title", "main", "article"}), frozenset(module._HINTS))


def with_all(html: str) -> str:
    """The main text when every selector is tried; the elements that are unwrapped stay those of the page."""
    found = module._source(html)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_source", lambda _: ALL._replace(tags=ALL.tags | found.tags))
        return module.main_text(html)


@pytest.mark.parametrize(
    "html",
    [
        "<header>top</header><p>text",  # the body is the parser's own
        "<body><header>top</header><p>text</p><footer>end</footer>",
        "<p>text</p><div class=ad>buy</div>",
        "<p>text</p><DIV CLASS='Sponsored x'>buy</DIV>",
        "<p>text</p><div class='&#97;d'>buy</div>",
        "<p>text</p><div title='a > b' class=ad>buy</div>",
        '<p>text</p><div title="<b>" id="ads">buy</div>',
        '<p>text</p><div title=\'"\' alt="x > y" class=advert>buy</div>',
        "<p>text</p><div hidden>none</div><div aria-hidden=true>none</div>",
        "<aside role=main>inside</aside><nav>n</nav>",
        "<nav><div role=main>inside</div></nav><p>out</p>",
        "<nav role=main hidden>inside</nav><aside><nav role=main>x</nav>y</aside><p>out</p>",
        "<nav><main>inside</main></nav><aside><article>a</article></aside><nav>n</nav>",
        "<article>one</article><nav>n</nav>",
        "<article>one</article><article>two</article><aside>x</aside>",
        "<svg><title>drawn</title></svg><p>text",
        "<title>first</title><p>text<title>second</title>",
        "<p>text</p><ins class=adsbygoogle>buy</ins><ins>put in</ins>",
        "<p>text</p><div id=onetrust-x>consent</div><div class=cookie-banner>consent</div><i data-ad-slot=1>x</i>",
        "<p>soft\u00adhyphen  and\tspaces\x0b of \x1c all\u00a0kinds \n</p>",
        "",
    ],
)
def test_the_same_as_with_all_of_them(html):
    assert module.main_text(html) == with_all(html)


PIECES = (
    "<nav>", "</nav>", "<main>", "</main>", "<article>", "<aside role=main>", "</aside>", "<div class=ad>", "</div>",
    "<div title='>' id=ad>", "<header>", "</header>", "<p hidden>", "<b>", "</b>", " x ", "y\n", "<title>t</title>",
    "<div role=navigation>", "<span class='&#97;ds'>", "</span>", "<footer>", "<script>s</script>",
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_the_same_for_any_page(html):
    assert module.main_text(html) == with_all(html)


@given(st.text(alphabet=" ab\n\t\r\x0b\x0c\x1c\x1d\x1e\x1f\u00a0\u00ad\u2003é", max_size=12))
def test_one_line(text):
    assert module._one_line(text) == " ".join(text.replace("\u00ad", "").split())
