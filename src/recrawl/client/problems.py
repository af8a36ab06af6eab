"""Problem documents (RFC 9457), as the errors that a frontier in this process would raise."""

import re
from typing import TYPE_CHECKING, Any

from recrawl.client.json_text import decoded
from recrawl.errors import InputError, NotAllowedError, RecrawlError, StoreFullError, UnavailableError

if TYPE_CHECKING:
    from recrawl.client.exchange import Answer, Request

BAD, UNAUTHORISED, FORBIDDEN, TOO_LARGE, KEY_IN_USE, DISK_FULL = 400, 401, 403, 413, 422, 507
KEY = "Idempotency-Key"
PROXIES = (502, 503, 504)
"""What those say that stand between, of a service that does not answer."""
_FIELD = re.compile(r"`\$\.(\w+)(?:\[(\d+)\])?")
"""Where in the body something was wrong that did not get as far as the frontier."""
_ROW = re.compile(r"\bin row (\d+)")


def problem(answer: "Answer", request: "Request", url: str) -> RecrawlError | None:
    """The error that an answer stands for; None where it is a good one."""
    if 200 <= answer.status < 300:
        return None
    said = _document(answer)
    detail = str(said.get("detail", ""))
    if answer.status in (BAD, TOO_LARGE, KEY_IN_USE) and said:
        return _wrong(said, detail, request.first)
    if answer.status in (UNAUTHORISED, FORBIDDEN):
        return NotAllowedError(url, detail or "it says no more than that")
    if answer.status == DISK_FULL:
        return StoreFullError(url)
    if said.get("outcome") == "failed" or answer.status in PROXIES:
        return UnavailableError(url, detail or f"status {answer.status}")
    why = detail or "it may be none"
    return InputError(
        f"url must be that of a recrawl service, got {url}, which answers {request.path} with status "
        f"{answer.status}: {why}",
        argument="url",
    )


def is_passing(answer: "Answer") -> bool:
    """Whether the same may be sent again; not to a full disk, which somebody has to see to first."""
    failed = _document(answer).get("outcome") == "failed" or answer.status in PROXIES
    return failed and answer.status != DISK_FULL


def _document(answer: "Answer") -> dict[str, Any]:
    try:
        said = decoded(answer.body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) and "detail" in said else {}


def _wrong(said: dict[str, Any], detail: str, first: int) -> InputError:
    """What was wrong, with rows as the caller counts them."""
    argument, row = said.get("argument"), said.get("row")
    if argument == KEY:
        argument, detail = "key", "key" + detail.removeprefix(KEY)
    if argument is None and (field := _FIELD.search(detail)):
        argument, row = field[1], None if field[2] is None else int(field[2])
    if first:
        detail = _ROW.sub(lambda found: f"in row {int(found[1]) + first}", detail)
        detail += f"; the {first:,} before were sent in requests of their own, and are done"
    return InputError(detail, argument, None if row is None else row + first)
