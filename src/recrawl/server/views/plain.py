"""What requests say and answers may hold: parameters as numbers and texts, and numbers that JSON has."""

import math
from collections.abc import Iterable, Mapping

from recrawl.errors import InputError


def number(value: float | None) -> float | None:
    """The number, or None where there is none that JSON could hold."""
    return None if value is None or not math.isfinite(value) else float(value)


def numbers(values: Iterable[float]) -> list[float | None]:
    """The same of many."""
    return [number(value) for value in values]


def share(part: float, whole: float) -> float | None:
    """part / whole, None where there is no whole."""
    return part / whole if whole > 0 else None


def count_of(params: Mapping[str, str], name: str, usual: int, most: int) -> int:
    """A parameter that counts something: from 1 up to `most`."""
    text = params.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most):
        raise InputError(f"{name} must be a whole number from 1 to {most}, got {text!r:.80}", argument=name)
    return int(text)


def choice_of(params: Mapping[str, str], name: str, choices: Iterable[str]) -> str:
    """A parameter that is one of some words; the first where it is not given."""
    known = list(choices)
    text = params.get(name, known[0])
    if text not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}, got {text!r:.80}", argument=name)
    return text


def text_of(params: Mapping[str, str], name: str, most: int = 4096) -> str:
    """A parameter that must be there."""
    text = params.get(name, "").strip()
    if not text or len(text) > most:
        raise InputError(f"{name} must be a text of 1 to {most} characters, got {text!r:.80}", argument=name)
    return text
