"""A door in front of a service that loses answers, breaks connections, says no or says nothing, as a test wants it."""

import json
import socket
import threading
from contextlib import suppress

LOSE, REFUSE, HANG = "lose", "refuse", "hang"
"""Hand the request on and close before the answer; close before the request is handed on; never answer."""


def document(status, detail="", outcome="rejected", **more):
    """An answer to be given instead of the service's."""
    body = json.dumps({"title": "no", "status": status, "detail": detail, "outcome": outcome, **more}).encode()
    return status, body


class Faulty:
    """What happens to each request is taken from `faults`, in their order; to all others, nothing."""

    def __init__(self, url, *faults):
        host, _, port = url.removeprefix("http://").rpartition(":")
        self._behind, self.faults, self.heads = (host, int(port)), list(faults), []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._gone = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def keys(self):
        """The idempotency keys of the requests that came."""
        return [_header(head, b"idempotency-key") for head in self.heads]

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *_):
        self._gone.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self):
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(60.0)
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection):
        with connection, suppress(OSError):
            watcher = threading.Thread(target=self._close, args=(connection,), daemon=True)
            watcher.start()
            while True:
                head, body = _message(connection)
                self.heads.append(head)
                fault = self.faults.pop(0) if self.faults else None
                if fault == HANG:
                    self._gone.wait()
                if fault in (REFUSE, HANG):
                    return
                if isinstance(fault, tuple):
                    said = b"HTTP/1.1 %d No\r\ncontent-length: %d\r\n\r\n%s" % (fault[0], len(fault[1]), fault[1])
                else:
                    said = self._handed_on(head, body)
                if fault == LOSE:
                    return
                connection.sendall(said)

    def _close(self, connection):
        self._gone.wait()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def _handed_on(self, head, body):
        with socket.create_connection(self._behind, timeout=60.0) as behind:
            behind.sendall(head + body)
            return b"".join(_message(behind))


def _message(connection):
    """Head and body of one message; OSError where the other side has gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    size = int(_header(head, b"content-length") or 0)
    while len(body) < size:
        body += _more(connection)
    return head + b"\r\n\r\n", body


def _more(connection):
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionError("gone")
    return data


def _header(head, name):
    for line in head.split(b"\r\n"):
        if line.lower().startswith(name + b":"):
            return line.partition(b":")[2].strip().decode()
    return None
