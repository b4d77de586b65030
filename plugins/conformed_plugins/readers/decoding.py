"""Bytes to characters, once, by a fixed order of codecs: never by guessing and never with repairs."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

__all__ = ["Decoded", "decode", "is_textual"]

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DECLARABLE = {
    "utf-8",
    "iso8859-1",
    "iso8859-15",
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1254",
    "ascii",
    "shift_jis",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "euc_jp",
    "euc_kr",
    "mac-roman",
}
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1a\x1b")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Characters and how they were got."""

    text: str
    """The characters, line ends untouched."""
    encoding: str
    """Name of the codec that was used."""


def decode(data: bytes, declared: str = "") -> Decoded | None:
    """Decodes once: byte order mark, else strict UTF-8, else the declared codec, else Windows-1252, else Latin-1.

    Args:
        data: the whole file.
        declared: codec that the file names itself; used only where it is a known one and UTF-8 does not fit.

    Returns:
        The characters, or None where a byte order mark promises a coding that the bytes break.
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            try:
                return Decoded(data.decode(codec), codec.removesuffix("-sig"))
            except UnicodeDecodeError:
                if codec == "utf-16":
                    return None
    for codec in ("utf-8", _known(declared), "cp1252", "latin-1"):
        if codec:
            try:
                return Decoded(data.decode(codec), codec)
            except UnicodeDecodeError:
                continue
    return None


def _known(declared: str) -> str:
    try:
        name = codecs.lookup(declared).name if declared else ""
    except LookupError:
        return ""
    # Browsers read what calls itself Latin-1 or ASCII as Windows-1252: so do people, and quotation marks depend on it.
    if name in {"iso8859-1", "ascii"}:
        return "cp1252"
    return name if name in _DECLARABLE else ""


def is_textual(head: bytes) -> bool:
    """Whether bytes look like text in a coding that `decode` reads: hardly any control bytes, no NUL (but in UTF-16)."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    if not head or b"\x00" in head:
        return False
    return (len(head) - len(head.translate(None, _CONTROL))) * 200 <= len(head)
