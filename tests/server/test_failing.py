"""A frontier that cannot write: the service says so while that may pass, and ends where it will not."""

import asyncio
import resource
import signal
import sys
import time

import pytest

from recrawl.errors import DataError, InUseError
from recrawl.frontier import Frontier
from recrawl.server.hearing import Wanted
from recrawl.server.serving import Service as InThisProcess
from recrawl.server.serving import tell
from tests.processes import finished
from tests.server.live import ask, get, post
from tests.server.service import Service

PATIENCE_S = 60.0
MISTAKE = """owner
def wrong(jobs):
    assert not jobs, "a mistake"
    return ()
owner.handfuls = wrong
"""


SERVE = "from recrawl.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"


def limited(service, size):
    """Let files of the service grow to that size and no further, as a full disk would."""
    _, most = resource.prlimit(service.program.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(service.program.pid, resource.RLIMIT_FSIZE, (size, most))


def test_while_nothing_can_be_written_the_service_is_not_ready(tmp_path):
    with Service(tmp_path / "data") as service:
        post(service.url, "/v1/pages", {"urls": ["https://a.example/"]})
        assert get(service.url, "/readyz") == {"status": "ok"}
        limited(service, 0)
        status, _, got = ask(service.url, "POST", "/v1/pages", {"urls": ["https://b.example/"]})
        assert (status, got["outcome"]) == (507, "failed")
        for _ in range(3):
            status, headers, got = ask(service.url, "GET", "/readyz")
            assert (status, headers["content-type"]) == (503, "application/problem+json")
            assert (got["status"], got["outcome"]) == (503, "failed")
            assert "the disk is full" in got["detail"]
        assert get(service.url, "/healthz") == {"status": "ok"}
        limited(service, resource.RLIM_INFINITY)
        assert get(service.url, "/readyz") == {"status": "ok"}
        assert post(service.url, "/v1/pages", {"urls": ["https://b.example/"]})["new"] == 1
        service.program.send_signal(signal.SIGTERM)
        assert service.program.wait(PATIENCE_S) == 0


def test_a_full_disk_is_noticed_although_nobody_calls(tmp_path):
    soon = "serving; from recrawl.frontier import journaled; journaled.IDLE_S = 0.0"
    with Service(tmp_path / "data", patched=soon) as service:
        assert get(service.url, "/readyz") == {"status": "ok"}
        limited(service, 0)
        assert ask(service.url, "GET", "/readyz")[0] == 503
        limited(service, resource.RLIM_INFINITY)
        assert get(service.url, "/readyz") == {"status": "ok"}


def ended(service):
    """Status and last words of a service that ends by itself."""
    begun = time.monotonic()
    status = service.program.wait(PATIENCE_S)
    assert time.monotonic() - begun < 10.0
    return status, service.program.stderr.read()


def test_where_the_folder_is_lost_the_service_ends_and_says_why(tmp_path):
    with Service(tmp_path / "data") as service:
        post(service.url, "/v1/pages", {"urls": ["https://a.example/"]})
        (lock,) = (tmp_path / "data").glob("*lock*")
        lock.rename(tmp_path / "taken away")
        status, _, got = ask(service.url, "POST", "/v1/pages", {"urls": ["https://b.example/"]})
        assert (status, got["outcome"]) == (503, "failed")
        status, words = ended(service)
    assert status == 2
    assert "recrawl: error: the service has ended, for its frontier cannot go on" in words
    assert "is in use by another process" in words
    with Service(tmp_path / "data") as service:
        assert [page["url"] for page in get(service.url, "/v1/pages")["pages"]] == ["https://a.example/"]


def test_a_mistake_of_the_thread_that_owns_the_frontier_ends_the_service(tmp_path):
    with Service(tmp_path / "data", patched=MISTAKE) as service:
        post(service.url, "/v1/pages", {"urls": ["https://a.example/"]})
        (page,) = post(service.url, "/v1/lease", {"n": 1})["pages"]
        status, _, got = ask(service.url, "POST", "/v1/complete", {"tokens": [page["token"]]})
        assert (status, got["outcome"]) == (503, "failed")
        status, words = ended(service)
    assert status == 2
    assert "AssertionError: a mistake" in words
    assert "the thread that owns it has made a mistake" in words


def refusal_to_start(folder, **options):
    """Status and words of a service on a folder that it cannot open."""
    argv = [sys.executable, "-c", SERVE, "serve", "--data", str(folder), "--listen", "127.0.0.1:0"]
    done = finished(argv, **options)
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if "error" in line.lower()]
    assert "Traceback" not in done.stderr
    return done.returncode, line


def made(folder):
    """A folder with a page in it."""
    with Frontier.open(folder) as frontier:
        frontier.add("https://a.example/")
    return folder


def test_a_folder_in_use_is_refused_by_name(tmp_path):
    with Frontier.open(tmp_path / "data"):
        status, line = refusal_to_start(tmp_path / "data")
    assert status == 2
    assert line.startswith(f"recrawl: error: {tmp_path / 'data'} is in use by process ")


def test_a_damaged_folder_is_refused_by_name(tmp_path):
    for file in made(tmp_path / "data").glob("*-*"):
        file.write_bytes(b"nonsense")
    status, line = refusal_to_start(tmp_path / "data")
    assert status == 2
    assert line.startswith(f"recrawl: error: {tmp_path / 'data'}")
    assert "damaged" in line


@pytest.mark.parametrize("make", [made, lambda folder: folder], ids=["there", "new"])
def test_a_disk_without_room_is_named_at_the_start(tmp_path, make):
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # noqa: E731
    status, line = refusal_to_start(make(tmp_path / "data"), preexec_fn=full)
    assert status == 2
    assert "the disk is full" in line


def refusing(error):
    """What gives a frontier, and cannot."""

    def opened():
        raise error

    return opened


def test_what_was_wrong_at_the_start_is_raised_as_it_was():
    async def main():
        await InThisProcess(refusing(InUseError("data", "4711")), lambda _: None, "127.0.0.1:0").run()

    with pytest.raises(InUseError, match="data is in use by process 4711"):
        asyncio.run(main())


def test_what_was_wrong_at_the_end_is_raised_too():
    async def main():
        def closed(_):
            raise DataError("it is damaged", "facts.db")

        service = InThisProcess(Frontier, closed, "127.0.0.1:0")
        telling = asyncio.create_task(tell(service, lambda _: service.stop()))
        await service.run()
        await telling

    with pytest.raises(DataError, match="it is damaged"):
        asyncio.run(main())


def test_keys_that_cannot_be_read_are_named_and_the_frontier_is_closed(tmp_path):
    (tmp_path / "heard").mkdir()
    (tmp_path / "heard" / "facts.db").write_bytes(b"nonsense" * 100)
    given, back = Frontier(), []

    async def main():
        hears = Wanted(indexnow=True, contact="me@example.org")
        await InThisProcess(lambda: given, back.append, "127.0.0.1:0", hears=hears, folder=tmp_path).run()

    with pytest.raises(DataError, match=r"facts\.db: is damaged"):
        asyncio.run(main())
    assert back == [given]
