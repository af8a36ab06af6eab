"""The page is served as it is: what it refers to is there, nothing is from elsewhere, a strict policy lets it run."""

import re

import pytest

from recrawl.server.dashboard import CALLS, CONTENT_SECURITY_POLICY, INDEX, STATIC

OURS = sorted(path for path in STATIC.iterdir() if path.is_file())
HTML = INDEX.read_text(encoding="utf-8")
SVG_NAME = "http://www.w3.org/2000/svg"


REFERENCES = re.findall(r'(?:src|href)="(/static/[^"#]+)"', HTML + CALLS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("reference", sorted(set(REFERENCES)))
def test_what_the_pages_refer_to_is_there(reference):
    assert (STATIC / reference.removeprefix("/static/")).is_file()


@pytest.mark.parametrize("path", [path for path in OURS if path.suffix == ".js"], ids=lambda path: path.name)
def test_modules_import_modules_that_are_there(path):
    for name in re.findall(r'from "\./([^"]+)"', path.read_text(encoding="utf-8")):
        assert (STATIC / name).is_file()


@pytest.mark.parametrize("path", [*OURS, *(STATIC / "uplot").glob("*.*")], ids=lambda path: path.name)
def test_nothing_is_from_elsewhere(path):
    text = path.read_text(encoding="utf-8").replace(SVG_NAME, "")
    text = re.sub(r"/\*!.*?\*/", "", text, flags=re.DOTALL)  # the licence of uPlot has its address
    assert re.findall(r"(?:https?:)?//[\w-]+\.\w+", text) == []


def test_the_page_has_no_script_or_style_of_its_own():
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", HTML) == []
    assert "unsafe" not in CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("path", [path for path in OURS if path.suffix == ".js"], ids=lambda path: path.name)
def test_data_never_becomes_html(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text) == []


def test_every_element_that_scripts_look_for_is_in_the_page():
    ids = set(re.findall(r'\bid="([^"]+)"', HTML + CALLS.read_text(encoding="utf-8")))
    wanted = set()
    for path in OURS:
        if path.suffix == ".js":
            wanted |= set(re.findall(r'\bat\("([^"]+)"\)', path.read_text(encoding="utf-8")))
    assert wanted <= ids


def test_uplot_has_its_licence_beside_it():
    assert "MIT" in (STATIC / "uplot" / "LICENSE").read_text(encoding="utf-8")
