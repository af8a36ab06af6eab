"""Bytes as text, whatever a document says of itself.

1. A byte order mark is believed first, then the pattern that UTF-16 makes of the first characters.
2. A declared encoding is believed where it is a known one, unless the text is UTF-8 beyond doubt: many declare
   ISO-8859-1 by habit.
3. In UTF-8 bytes that are none are read as Windows-1252, which is what they are nearly always.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PATTERNS = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<\0", "utf-16-be"),
    (b"h\0t\0", "utf-16-le"),
    (b"\0h\0t", "utf-16-be"),
)
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_META = re.compile(rb"""<meta[^>]{0,400}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)

# Python knows encodings that are none of text, and some that no one should let a stranger choose.
_KNOWN = re.compile(
    r"(iso8859-\d+|latin_?1|cp(437|737|775|85[02578]|86[0-3569]|874|932|949|950|1125|125\d)|koi8-[rut]|mac-[a-z]+2?|"
    r"shift_jis.*|euc_.*|"
    r"iso2022_jp.*|gb2312|gbk|gb18030|hz|big5.*|johab|tis-620|ptcp154|kz1048)"
)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs"}
_WESTERN = ("iso8859-1", "cp1252", "iso8859-15")
_SAMPLE = 1 << 16


def decoded(pieces: Iterable[bytes], declared: str = "") -> Iterator[str]:
    """The text of a document that comes in pieces; `declared` is the encoding its sender names, if any."""
    iterator = iter(pieces)
    first = next(iterator, b"")
    name, skip = encoding_of(first, declared)
    decoder = codecs.getincrementaldecoder(name)("surrogateescape" if name == "utf-8" else "replace")
    for piece in chain((first[skip:],), iterator):
        yield _without_strays(_decode(decoder, piece))
    yield _without_strays(decoder.decode(b"", True))


def _decode(decoder: codecs.IncrementalDecoder, piece: bytes) -> str:
    """The text of a piece.  What is at its end and longer than a decoder keeps is no beginning of anything."""
    before = decoder.getstate()
    try:
        return decoder.decode(piece)
    except UnicodeError:  # an escape of ISO 2022 that does not end: "pending buffer overflow"
        decoder.setstate(before)
        return decoder.decode(piece, True)


def text_of(data: bytes, declared: str = "") -> str:
    r"""The text of a whole document.

    >>> text_of(b'<?xml version="1.0" encoding="utf-16"?><a>caf\xe9</a>')[-11:]
    '<a>café</a>'
    """
    return "".join(decoded((data,), declared))


def encoding_of(data: bytes, declared: str = "") -> tuple[str, int]:
    """Python's name of the encoding, and how many bytes a byte order mark takes, by the beginning of a document."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, len(mark)
    start = data[:64].lstrip(b" \t\r\n")
    for pattern, name in _PATTERNS:
        if start.startswith(pattern):
            return name, 0
    found = _DECLARED.search(data[:1024]) or _META.search(data[:4096])
    name = _known(found[1].decode("ascii") if found else declared)
    if name == "utf-8" or (name in _WESTERN and _is_utf_8(data[:_SAMPLE])):
        return "utf-8", 0
    return ("cp1252" if name == "iso8859-1" else name), 0


def _known(label: str) -> str:
    """UTF-8 for all that is unknown, and for UTF-16: were it that, we could not have read so."""
    try:
        name = codecs.lookup(label.strip() or "utf-8").name
    except (LookupError, ValueError):
        return "utf-8"
    name = _WIDER.get(name, name)
    return name if _KNOWN.fullmatch(name) else "utf-8"


def _is_utf_8(sample: bytes) -> bool:
    """Whether there are characters beyond ASCII, and all are UTF-8."""
    if sample.isascii():
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _without_strays(text: str) -> str:
    """The text with bytes that are no UTF-8 read as Windows-1252; all at once, since there may be millions."""
    return text if text.isascii() or _STRAY.search(text) is None else text.translate(_WINDOWS_1252)


# Where Python's "surrogateescape" puts bytes that it cannot decode.
_STRAY = re.compile("[\udc80-\udcff]")
_WINDOWS_1252 = {0xDC00 + byte: bytes((byte,)).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
