"""Tells HTML from text by the first bytes."""

from __future__ import annotations

import re

__all__ = ["looks_like_html"]

_SURE = re.compile(rb"<!doctype\s+html|<html[\s>]|<body[\s>]|<head>", re.IGNORECASE)
_TAGS = re.compile(
    rb"<(?:div|p|font|span|td|tr|br|center|b|h[1-6])(?:\s+[a-z-]+\s*=[^<>]*)?/?>|</(?:div|p|font|span|td|tr|center|b|h[1-6])>",
    re.IGNORECASE,
)


def looks_like_html(name: str, head: bytes) -> bool:
    """Whether the head of a file is HTML: sure signs, else many tags.

    A name of HTML lowers the bar, one of Markdown raises it.
    SEC's <PAGE>, <TABLE>, <S> and <C> are tags of plain text and count for nothing.
    """
    lower = name.lower()
    if b"\x00" in head and head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode("utf-8", "ignore")
    if b"\x00" in head or b"%PDF-" in head[:1024]:
        return False
    if lower.endswith((".md", ".markdown")):
        return bool(_SURE.match(head.lstrip(b"\xef\xbb\xbf \t\r\n")))
    if _SURE.search(head):
        return True
    tags = len(_TAGS.findall(head))
    return tags >= (1 if lower.endswith((".html", ".htm", ".xhtml")) else 8)
