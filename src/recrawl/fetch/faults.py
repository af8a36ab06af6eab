"""From what libraries raise to the names of faults."""

import asyncio
import errno
import ssl
from collections.abc import Iterator

import aiohttp
from aiohttp import http_exceptions


class FaultError(Exception):
    """A fetch failed in a way that has a name; see FAULTS."""

    def __init__(self, name: str, detail: str = "") -> None:
        super().__init__(f"{name}: {detail}" if detail else name)
        self.name = name
        self.detail = detail


class RefusedAddressError(OSError):
    """An address that is not one of the public web; an OSError, since connectors let only those through."""


class BrokenConnectionError(Exception):
    """The connection broke before an answer came.  Not one of aiohttp's errors: it would ask again by itself."""


WEB_ERRORS = (aiohttp.ClientError, http_exceptions.HttpProcessingError, OSError, TimeoutError, ValueError)
"""What a request or an answer may raise.  ValueError: hosts that pass as such and cannot be put into a handshake."""
_OWN_FAULTS = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL))
_CUT_SHORT = (http_exceptions.ContentLengthError, http_exceptions.TransferEncodingError)


def named(error: BaseException) -> FaultError:
    """The fault an exception stands for; raises it again where it is none of the web's."""
    if isinstance(error, FaultError):
        return error
    name = _name(error)
    told = next((cause for cause in _causes(error) if isinstance(cause, RefusedAddressError)), error)
    return FaultError(name, f"{type(told).__name__}: {told}"[:300])


def without_traces(fault: FaultError) -> FaultError:
    """The fault without the frames it came through.

    They hold what was read, and aiohttp's connections hold them: circles, which would stay until the collector of
    garbage comes by.
    """
    for cause in tuple(_causes(fault)):
        cause.__traceback__ = None
    return fault


def _name(error: BaseException) -> str:
    chain = tuple(_causes(error))
    if any(isinstance(cause, RefusedAddressError) for cause in chain):
        return "address-refused"
    if any(isinstance(cause, OSError) and cause.errno in _OWN_FAULTS for cause in chain):
        return "local"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "dns"
    if any(isinstance(cause, (ssl.SSLError, ssl.CertificateError)) for cause in chain):
        return "tls"
    if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
        return "connect"
    if isinstance(error, aiohttp.SocketTimeoutError):
        return "idle"
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return "timeout"
    if isinstance(error, aiohttp.ClientPayloadError):
        return _of_body(error, chain)
    if isinstance(error, (aiohttp.ClientResponseError, http_exceptions.HttpProcessingError)):
        return _of_head(error, chain)
    if isinstance(error, (BrokenConnectionError, aiohttp.ClientConnectionError, OSError)):
        return "reset"
    if isinstance(error, (aiohttp.ClientError, ValueError)):
        return "bad-response"
    raise error


def _of_body(error: BaseException, chain: tuple[BaseException, ...]) -> str:
    if any(isinstance(cause, ConnectionError) for cause in chain) or "ConnectionResetError" in str(error):
        return "reset"
    if any(isinstance(cause, _CUT_SHORT) for cause in chain):
        return "truncated"
    return "bad-response"


def _of_head(error: BaseException, chain: tuple[BaseException, ...]) -> str:
    if any(isinstance(cause, http_exceptions.LineTooLong) for cause in chain) or "Too many headers" in str(error):
        return "headers-too-large"
    return "bad-response"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and what it came from."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
