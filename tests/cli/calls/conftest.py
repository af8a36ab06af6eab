"""A service or a folder, for commands that take either."""

import io
import sys

import pytest

from recrawl.cli.main import main
from recrawl.frontier import Frontier
from tests.client.served import Served


@pytest.fixture(params=["server", "data"])
def whom(request, tmp_path):
    """The options that say whom to call."""
    if request.param == "data":
        with Frontier.open(tmp_path / "data"):
            pass
        yield ["--data", str(tmp_path / "data")]
        return
    with Served(Frontier()) as served:
        yield ["--server", served.url]


@pytest.fixture
def call(whom, monkeypatch, capsys):
    """Runs a command with these lines as stdin; what it printed, what it complained of, and its exit status."""

    def called(*argv, lines=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode()), encoding="utf-8"))
        status = main([*argv, *whom])
        out, err = capsys.readouterr()
        return out, err, status

    return called
