"""What the tests of the commands share."""

import pytest


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """So that no line is broken within what a test looks for; test_width.py asks for narrow ones."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture
def small_text():
    """A pages file of twenty pages."""
    return "url,change_rate,importance,recall,false_signal_rate\n" + "".join(
        f"https://example.org/{i},{0.1 + 0.2 * i:.1f},{1 + i % 3},{(i % 5) / 5},{0.1 + 0.05 * (i % 4):.2f}\n"
        for i in range(20)
    )


@pytest.fixture
def small(small_text, tmp_path):
    path = tmp_path / "pages.csv"
    path.write_text(small_text, encoding="utf-8")
    return str(path)
