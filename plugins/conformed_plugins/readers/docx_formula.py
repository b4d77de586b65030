"""Formulas of a Word document written out in one line, so that no figure of one part runs into another."""

from __future__ import annotations

from typing import Any

from conformed_plugins.readers.docx_package import local

__all__ = ["in_one_line"]

_BETWEEN = {"f": ("num", "/", "den"), "sSup": ("e", "^", "sup"), "sSub": ("e", "_", "sub"), "rad": ("deg", "root ", "e")}
_DEEPEST = 60


def in_one_line(element: Any, depth: int = 0) -> str:
    """The words of a formula: fractions with a stroke, powers with a caret, and a blank where figures would meet."""
    if depth > _DEEPEST:
        return "".join(element.itertext())
    tag = local(element)
    if tag == "t":
        return element.text or ""
    if tag in _BETWEEN:
        first, sign, second = _BETWEEN[tag]
        parts = {local(inner): in_one_line(inner, depth + 1) for inner in element}
        return f"{parts.get(first, '')}{sign}{parts.get(second, '')}"
    words = ""
    for inner in element:
        piece = in_one_line(inner, depth + 1) if isinstance(inner.tag, str) else ""
        plain = local(inner) == "r" and words and words[-1:].isdigit() and local(inner.getprevious()) == "r"
        words += f" {piece}" if words[-1:].isalnum() and piece[:1].isalnum() and not plain else piece
    return words
