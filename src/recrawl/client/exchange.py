"""How a call is carried out, whatever carries it: what is sent, and what is sent again.

1. A call is a generator.  It yields requests, is sent the JSON that was answered, and returns what the caller gets.
2. `carried_out` makes a longer one of it, which is what a client drives: it yields a request to be sent or a pause to
   be made, and is sent what came of the request.
3. Sent again is what may be: where the connection failed, and where the service says that it failed (`outcome`:
   failed).  What it rejects is never sent again, nor what finds its disk full.
4. All requests that change something carry an idempotency key, or come to the same if they are done twice.  So it does
   no harm that nobody knows of a lost answer whether there was one.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from recrawl.client.json_text import decoded
from recrawl.client.problems import is_passing, problem
from recrawl.errors import UnavailableError

T = TypeVar("T")
FIRST_PAUSE, MOST_PAUSE = 0.25, 8.0
"""Seconds before a request is sent again: twice as long each time, up to the second of these."""


@dataclass(frozen=True)
class Request:
    """One request."""

    method: str
    path: str
    body: bytes | None = None
    key: str | None = None
    first: int = 0
    """Of a call that takes several requests: the row with which this one begins."""
    wait: float = 0.0
    """Seconds that the service may take its time for."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: bytes


@dataclass(frozen=True)
class Lost:
    """Nothing came back."""

    why: str
    stale: bool = False
    """It was a connection of before, which the service had closed in the meantime: a new one will do."""


@dataclass(frozen=True)
class Pause:
    """Seconds to wait."""

    seconds: float


Call = Generator[Request, Any, T]
Talk = Generator[Request | Pause, Answer | Lost | None, T]
Chance = Callable[[], float]


def carried_out(call: Call[T], url: str, retries: int, chance: Chance) -> Talk[T]:
    """A call with all that may have to be sent again; `chance` gives numbers from 0 to 1."""
    try:
        request = next(call)
        while True:
            found = yield from _patiently(request, url, retries, chance)
            try:
                request = call.send(found)
            except (KeyError, TypeError, AttributeError) as error:
                raise UnavailableError(url, f"{request.path} answered something else than was asked for") from error
    except StopIteration as end:
        answer: T = end.value
        return answer


def _patiently(request: Request, url: str, retries: int, chance: Chance) -> Talk[Any]:
    for attempt in range(retries + 1):
        came = yield request
        while isinstance(came, Lost) and came.stale:
            came = yield request
        assert came is not None
        error = UnavailableError(url, came.why) if isinstance(came, Lost) else problem(came, request, url)
        if error is None:
            assert isinstance(came, Answer)
            try:
                return decoded(came.body)
            except ValueError:
                raise UnavailableError(url, f"{request.path} answered something that is no JSON") from None
        if attempt == retries or not (isinstance(came, Lost) or is_passing(came)):
            raise error
        # Half of it by chance: those who were thrown out together do not all come back together.
        yield Pause(min(FIRST_PAUSE * 2.0**attempt, MOST_PAUSE) * (0.5 + 0.5 * chance()))
    raise AssertionError("the last attempt returns or raises")
