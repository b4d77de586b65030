"""Boxes of a form: where they stand, and whether each is ticked."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["BOX", "BOX_MARKS", "Box", "find_boxes", "without_choice"]

BOX_MARKS = "\u2610\u2611\u2612\u2713\u2714\u2717\u2718\u25a0\u25a1\u25a2\u25fb\u25fc\u2b1b\u2b1c\u00fe\u00a8\uf078\uf0fd\uf0fe\uf06f\uf0a8"
"""Characters that are a box or a tick by themselves; the last ones are those of a symbol font, as papers from word processors have them."""
BOX = rf"(?:\[\s*[xX\u2713\u2714\u00d8\u221a_ ]?\s*\]|[{BOX_MARKS}])"
"""Pattern of one box: ``[X]``, ``[ ]``, ``[_]``, or a character of ``BOX_MARKS``."""
_BOX = re.compile(rf"{BOX}|(?<!_)_{{1,12}}[xX\u2713\u2714]_{{1,12}}")
_EMPTY = re.compile(r"\[\s*_?\s*\]|[\u2610\u25a1\u25a2\u25fb\u2b1c\u00a8\uf06f\uf0a8]")
_CONTRARY = re.compile(r"\s*(?:not\s+(?:applicable|selected|used|required)|n/a\b|none\b|no\b|does\s+not\s+apply|omitted|reserved)", re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Attributes:
        start: its first offset.
        end: one past its last.
        ticked: whether it bears a mark.
        contrary: whether the words behind it say the contrary of a choice ("not applicable").
    """

    start: int
    end: int
    ticked: bool
    contrary: bool = False


def find_boxes(text: str, start: int, end: int) -> list[Box]:
    """The boxes of a stretch, in order.

    Args:
        text: the text.
        start: first offset.
        end: one past the last.
    """
    return [
        Box(m.start(), m.end(), _EMPTY.fullmatch(m[0]) is None, _CONTRARY.match(text, m.end(), end) is not None)
        for m in _BOX.finditer(text, start, end)
    ]


_IF_CHOSEN = re.compile(rf"(?<=[{BOX_MARKS}\]])\s*(?:If|Where|When)\s+(?:(?:this|the)\s+box\s+is\s+|it\s+is\s+)?(?:selected|checked|ticked|marked)\s*[,:]\s*", re.IGNORECASE)  # fmt: skip


def without_choice(text: str, start: int, end: int) -> str:
    """The text with "if selected," behind a box taken out, offsets as they were: the box itself says whether it was.

    Args:
        text: the text.
        start: first offset of the provision.
        end: one past its last.
    """
    for m in _IF_CHOSEN.finditer(text, start, end):
        text = text[: m.start()] + " " * (m.end() - m.start()) + text[m.end() :]
    return text
