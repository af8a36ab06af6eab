"""Links between documents lead to files and headings that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def prose(document):
    """Its text without fenced blocks."""
    return re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(document):
    """What links to its headings may end with: lower case, no punctuation, dashes for spaces."""
    headings = re.findall(r"^#+ (.*)", prose(document), re.MULTILINE)
    bare = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in bare}


def broken(document):
    """Its links that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        path, _, anchor = target.partition("#")
        there = (document.parent / path).resolve() if path else document
        if "://" in target or target.startswith("mailto:"):
            continue
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            yield target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(document):
    assert list(broken(document)) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a.md").write_text(
        "# One: two\n[b](b.md) [here](#one-two) [there](#three) [out](https://example.org/)\n"
    )
    assert list(broken(tmp_path / "a.md")) == ["b.md", "#three"]
