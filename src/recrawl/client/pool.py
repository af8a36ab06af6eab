"""Connections that are kept open between requests, for threads: each takes one for a request and puts it back."""

import ssl
import threading
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from recrawl.client.address import Address
from recrawl.client.exchange import Answer, Lost, Request

MOST_IDLE = 32
"""Connections kept for later; more are closed when they have been used."""


class Pool:
    """Connections to one service."""

    def __init__(self, address: Address, headers: dict[str, str], timeout: float) -> None:
        self._address, self._headers, self._timeout = address, headers, timeout
        self._tls = ssl.create_default_context() if address.secure else None
        self._idle: list[HTTPConnection] = []
        self._lock = threading.Lock()

    def send(self, request: Request) -> Answer | Lost:
        """Send a request and wait for the answer."""
        connection, used = self._taken()
        limit = self._timeout + request.wait
        connection.timeout = limit
        try:
            if connection.sock is not None:
                connection.sock.settimeout(limit)
            connection.request(request.method, self._address.prefix + request.path, request.body, self._said(request))
            response = connection.getresponse()
            answer = Answer(response.status, response.read())
        except TimeoutError:
            connection.close()
            return Lost(f"nothing was heard for {limit:g} s")
        except (OSError, HTTPException) as error:
            connection.close()
            if used:
                self.close()  # the others are as old
            return Lost(reason(error), stale=used)
        except BaseException:  # an interrupt: what comes next on it would be the answer to this
            connection.close()
            raise
        self._put_back(connection)
        return answer

    def close(self) -> None:
        """Close those that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _said(self, request: Request) -> dict[str, str]:
        return {**self._headers, **headers_of(request)}

    def _taken(self) -> tuple[HTTPConnection, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), True
        host, port = self._address.host, self._address.port
        if self._tls is not None:
            return HTTPSConnection(host, port, context=self._tls), False
        return HTTPConnection(host, port), False

    def _put_back(self, connection: HTTPConnection) -> None:
        if connection.sock is None:  # the service closes it
            return
        with self._lock:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def headers_of(request: Request) -> dict[str, str]:
    """What is said with one request."""
    said = {} if request.body is None else {"Content-Type": "application/json"}
    return said if request.key is None else {**said, "Idempotency-Key": request.key}


def reason(error: BaseException) -> str:
    """What went wrong, in a few words."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
