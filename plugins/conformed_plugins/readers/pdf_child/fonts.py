"""Fonts whose map to Unicode contradicts their own encoding: they show one letter and say another.

A simple font with a standard encoding says twice what its codes mean: by the encoding, which decides the glyph that is drawn,
and by its ToUnicode map, which decides what is copied. Where the two differ on a digit or a letter, the text lies. Fonts
with encodings of their own say it only once; only a look at the picture can tell for them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any

__all__ = ["lying_fonts"]

MOST_FONTS = 400
MOST_FILE = 64 << 20
"""Bytes: larger files are pictures, and are not searched."""
MOST_BYTES = 1 << 20
MOST_ALL = 8 << 20
_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s+\d{1,5}\s+obj\b")
_MAPPED = re.compile(rb"/ToUnicode\s+(\d{1,9})\s+\d{1,5}\s+R")
_STANDARD = re.compile(rb"/Encoding\s*/(?:WinAnsi|MacRoman|Standard)Encoding")
_SIMPLE = re.compile(rb"/Subtype\s*/(?:Type1|TrueType)(?![A-Za-z0-9])")
_NAME = re.compile(rb"/BaseFont\s*/([^\s/<>\[\]()]{1,60})")
_ONE = re.compile(rb"<\s*([0-9A-Fa-f]{2})\s*>\s*<\s*([0-9A-Fa-f]{4})\s*>")
_RANGE = re.compile(rb"<\s*([0-9A-Fa-f]{2})\s*>\s*<\s*([0-9A-Fa-f]{2})\s*>\s*<\s*([0-9A-Fa-f]{4})\s*>")
_PACK = re.compile(rb"/Type\s*/ObjStm")


def lying_fonts(data: Any) -> list[str]:
    """For each lying font a few words such as ``font Times says 8 where it shows 3``, in the order of the file."""
    if len(data) > MOST_FILE or (data.find(b"/ToUnicode") < 0 and data.find(b"/ObjStm") < 0):
        return []
    places: dict[int, int] = {}
    fonts: list[bytes] = []
    budget = MOST_ALL
    for match in _OBJECT.finditer(data):
        places[int(match.group(1))] = match.end()
        head = bytes(data[match.end() : match.end() + 1500]).split(b"endobj", 1)[0]
        if _PACK.search(head) and budget > 0:
            inside = _inflated(data, match.end())
            budget -= len(inside)
            fonts.extend(_fonts(inside))
        elif b"/ToUnicode" in head:
            fonts.extend(_fonts(head))
    found: dict[str, None] = {}
    for font in fonts[:MOST_FONTS]:
        mapped = _MAPPED.search(font)
        if mapped and budget > 0 and int(mapped.group(1)) in places:
            table = _inflated(data, places[int(mapped.group(1))])
            budget -= len(table)
            for says in _lies(font, table):
                found.setdefault(says)
    return list(found)


def _fonts(text: bytes) -> Iterator[bytes]:
    """Dictionaries of simple fonts with a standard encoding and a map."""
    for match in _MAPPED.finditer(text):
        begin = text.rfind(b"<<", 0, match.start())
        end = text.find(b">>", match.end())
        font = text[max(0, begin) : end if end >= 0 else len(text)]
        if _SIMPLE.search(font) and _STANDARD.search(font):
            yield font


def _inflated(data: Any, start: int) -> bytes:
    """The content of the stream of an object, bounded; empty where it cannot be read."""
    at = data.find(b"stream", start, start + 2000)
    if at < 0:
        return b""
    head = bytes(data[start:at])
    at += len(b"stream")
    at += 2 if data[at : at + 2] == b"\r\n" else 1
    if b"/Filter" not in head:
        end = data.find(b"endstream", at, at + MOST_BYTES)
        return bytes(data[at : end if end >= 0 else at])
    if b"/FlateDecode" not in head:
        return b""
    try:
        return zlib.decompressobj().decompress(bytes(data[at : at + MOST_BYTES]), MOST_BYTES)
    except zlib.error:
        return b""


def _lies(font: bytes, table: bytes) -> Iterator[str]:
    name = _NAME.search(font)
    called = name.group(1).decode("ascii", "replace") if name else "without a name"
    said: dict[int, int] = {}
    rest = table
    for first, last, target in _RANGE.findall(table):
        for step in range(min(256, int(last, 16) - int(first, 16) + 1)):
            said[int(first, 16) + step] = int(target, 16) + step
    rest = _RANGE.sub(b"", table)
    for code, target in _ONE.findall(rest):
        said[int(code, 16)] = int(target, 16)
    for code, target in sorted(said.items()):
        shown = chr(code)
        if shown.isascii() and shown.isalnum() and target != code:
            yield f"font {called} says {chr(target)!r} where it shows {shown!r}"
