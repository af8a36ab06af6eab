"""A frontier that cannot write: the service says so while that may pass, and ends where it will not."""

import resource
import signal
import time

from tests.server.live import ask, get, post
from tests.server.service import Service

PATIENCE_S = 60.0
MISTAKE = """owner
def wrong(jobs):
    assert not jobs, "a mistake"
    return ()
owner.handfuls = wrong
"""


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
    assert "is in use by process" in words
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
