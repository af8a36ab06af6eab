"""Makes methods of calls: what they take and say of themselves stays, and `self` comes first."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from recrawl.arguments import above, whole_number
from recrawl.client.exchange import Call

T = TypeVar("T")
TIMEOUT_S = 30.0
"""Seconds without a sign of life after which a connection is given up."""
RETRIES = 5
"""How often a request is sent again; the pauses come to about ten seconds, in which a service starts anew."""


def checked(timeout: float, retries: int) -> tuple[float, int]:
    """Both, or an error that names the one that is wrong."""
    return above("timeout", timeout, 0.0, finite=True), whole_number("retries", retries, 0)


def described(method: Callable[..., Any], call: Callable[..., Call[T]]) -> None:
    """Have a method show the name, the text and the arguments of the call that it makes."""
    method.__name__, method.__doc__ = call.__name__, call.__doc__
    signature = inspect.signature(call)
    me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [me, *signature.parameters.values()]
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=inspect.Signature.empty
    )
