"""What the bytes say before pdfium sees them: is this a PDF, is it whole, does its directory stand where it says."""

from __future__ import annotations

import re
from typing import Any

from .native import RefusedError

__all__ = ["check_bytes", "page_objects"]

HEAD, TAIL, MOST_FILE = 1024, 2048, 64 << 20
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")


def check_bytes(data: Any) -> str:
    """Why pdfium has to repair the file in order to open it, in words; empty where it need not.

    Raises:
        RefusedError: for bytes that are no PDF, or a PDF that was cut off.
    """
    head, tail = bytes(data[:HEAD]), bytes(data[-TAIL:])
    start = head.find(b"%PDF-")
    if start < 0:
        if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype|<html|<head|<body|<\?xml|<!--)", head, re.IGNORECASE):
            raise RefusedError("not_pdf", "is named as a PDF but is a web page. Save the document itself, or name it .html.")
        raise RefusedError("not_pdf", "is named as a PDF but does not begin like one. Ask for the file again.")
    whole = re.search(rb"/Linearized\b[^>]{0,200}?/L\s+(\d+)|/L\s+(\d+)[^>]{0,200}?/Linearized\b", head)
    if whole and int(whole.group(1) or whole.group(2)) > len(data):
        raise RefusedError("truncated", "is cut off: it says that it is longer than it is. Ask for the whole file again.")
    after = ""
    end = data.rfind(b"%%EOF")
    if end < 0 and b"startxref" not in tail:
        raise RefusedError("truncated", "is cut off: its end is missing. Ask for the whole file again.")
    if end >= 0:
        if re.search(rb"\d\s+obj\b", data[end:]):
            raise RefusedError("truncated", "is cut off: its last change is not complete. Ask for the whole file again.")
        if len(data) - end > TAIL:
            after = "other bytes follow its end"
        tail = bytes(data[max(0, end - TAIL) : end])
    found = re.findall(rb"startxref\s+(\d+)", tail)
    if not found:
        return "the place of its directory is not given"
    place = int(found[-1])
    for offset in (place, place + start):
        there = bytes(data[offset : offset + 40]).lstrip() if offset < len(data) else b""
        if there.startswith(b"xref"):
            return _entries(data, offset, start) or after
        if re.match(rb"\d+\s+\d+\s+obj", there):
            return after
    return "its directory is not where it says"


def _entries(data: Any, offset: int, start: int) -> str:
    """Why a plain directory is wrong: a look at its first entries."""
    table = bytes(data[offset : offset + 4096])
    block = re.match(rb"\s*xref\s+(\d+)\s+(\d+)\s+", table)
    if block is None:
        return "its directory cannot be read"
    number = int(block.group(1))
    for entry in re.finditer(rb"(\d{10}) (\d{5}) ([nf])\s", table[block.end() :][: 20 * min(64, int(block.group(2)))]):
        place = int(entry.group(1))
        if entry.group(3) == b"n":
            wanted = re.compile(rb"\s*%d\s+\d+\s+obj" % number)
            if not any(wanted.match(bytes(data[at : at + 40])) for at in (place, place + start)):
                return "its directory names wrong places"
        number += 1
    return ""


def page_objects(data: Any) -> int | None:
    """How many page objects the bytes hold; None where they may be packed away, or there is too much to search."""
    if len(data) > MOST_FILE or data.find(b"/ObjStm") >= 0:
        return None
    return len(_PAGE.findall(data))
