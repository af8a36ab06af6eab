"""Bytes as text, as browsers read them: byte order mark, then header, then <meta>, then a guess."""

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PRESCAN_BYTES = 1024
_META = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_PARAMETER = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]+)", re.IGNORECASE)

# What labels mean to browsers (encoding.spec.whatwg.org), as Python's codecs.  A label that is not here is ignored:
# Python also knows "codecs" that are no charsets of pages at all.
_LABELS = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le ucs-2 unicode csunicode iso-10646-ucs-2",
    "utf-16-be": "utf-16be unicodefffe",
    "cp1252": "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 ascii us-ascii ansi_x3.4-1968",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253 x-cp1253",
    "cp1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5",
    "cp1255": "windows-1255 cp1255 x-cp1255",
    "cp1256": "windows-1256 cp1256 x-cp1256",
    "cp1257": "windows-1257 cp1257 x-cp1257",
    "cp1258": "windows-1258 cp1258 x-cp1258",
    "cp874": "windows-874 dos-874 iso-8859-11 iso8859-11 tis-620",
    "cp866": "ibm866 cp866 866 csibm866",
    "iso8859-2": "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2",
    "iso8859-3": "iso-8859-3 iso8859-3 latin3 l3",
    "iso8859-4": "iso-8859-4 iso8859-4 latin4 l4",
    "iso8859-5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 iso8859-6 arabic",
    "iso8859-7": "iso-8859-7 iso8859-7 greek greek8",
    "iso8859-8": "iso-8859-8 iso8859-8 iso-8859-8-i hebrew visual logical",
    "iso8859-10": "iso-8859-10 iso8859-10 latin6 l6",
    "iso8859-13": "iso-8859-13 iso8859-13",
    "iso8859-14": "iso-8859-14 iso8859-14",
    "iso8859-15": "iso-8859-15 iso8859-15 latin-9 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "koi8-r koi8 koi koi8_r",
    "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb18030 gbk gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 iso-ir-58",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5 csbig5",
    "euc_jp": "euc-jp x-euc-jp",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
    "cp949": "euc-kr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 windows-949 cseuckr",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}


def decoded(body: bytes, content_type: str = "") -> str:
    r"""The text of a page.  What cannot be decoded becomes a replacement character.

    >>> decoded(b"caf\xe9", "text/html; charset=ISO-8859-1"), decoded(b"caf\xc3\xa9"), decoded(b"caf\xe9")
    ('café', 'café', 'café')
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    codec = _of_header(content_type) or _of_meta(body)
    if codec:
        return body.decode(codec, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        # One torn character in a long UTF-8 page must not make all of it read as something else.
        guess = body.decode("utf-8", "replace")
        return guess if _is_mostly_utf8(body, guess) else body.decode("cp1252", "replace")


def media_type(content_type: str) -> str:
    """Without parameters, in lower case.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def _of_header(content_type: str) -> str:
    found = _PARAMETER.search(content_type)
    return _CODECS.get(found[1].strip("'").lower(), "") if found else ""


def _of_meta(body: bytes) -> str:
    found = _META.search(body[:_PRESCAN_BYTES])
    codec = _CODECS.get(found[1].decode("ascii", "replace").lower(), "") if found else ""
    # A tag that can be read as ASCII is in no two-byte charset, whatever it says; browsers take UTF-8.
    return "utf-8" if codec.startswith("utf-16") else codec


def _is_mostly_utf8(body: bytes, guess: str) -> bool:
    beyond_ascii = sum(byte > 0x7F for byte in body[:100_000])
    return guess[:100_000].count("\ufffd") * 10 < beyond_ascii
