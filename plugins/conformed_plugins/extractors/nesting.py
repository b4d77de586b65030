"""Instructions that may stand inside the new text of another one, where they are that text and change nothing by themselves.

A new section that speaks of an amendment, an example, a form: such words are for a person, and never a change of level.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformed.language.traced import Traced
from conformed.model.covenant import Doubt
from conformed_plugins.extractors.instructions import Instruction
from conformed_plugins.extractors.quotes import closing

__all__ = ["doubt_of", "is_nested"]

_LONGEST = 60_000
"""Characters after which a quotation mark is taken to close nothing."""
_BEFORE = 4
"""Instructions looked back at: new text that holds more of them than that is no longer one section."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_ITEM_MARK = re.compile(r"\s*(?:\(?[A-Za-z0-9]{1,4}[.)]\s*){1,2}")


def is_nested(text: str, before: Sequence[Instruction], found: Instruction) -> bool:
    """Whether an instruction may stand in the new text of one before it.

    In quotation marks that close only behind it; or, where that text bears no marks, in the same paragraph, behind some of it and
    without an item's mark of its own.

    Args:
        text: the view's text.
        before: the instructions before it, in order.
        found: the instruction.
    """
    for one in before[-_BEFORE:]:
        a, b = one.payload
        if b > a and one.quoted and closing(text, a, min(len(text), a + _LONGEST)) > found.start:
            return True
    if not before or before[-1].quoted:
        return False
    last = before[-1]
    new_text = last.payload[1] > last.payload[0]
    if not new_text and not last.how.rstrip().endswith(":"):
        return False
    between = text[last.payload[0] if new_text else last.how_end : found.start]
    line = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    return bool(between.strip()) and not _PARAGRAPH.search(between) and not _ITEM_MARK.fullmatch(line)


def doubt_of(found: Instruction, view: Traced) -> Doubt:
    """What an instruction leaves open that may be another's new text."""
    return Doubt(
        code="review_clause_not_fully_read",
        sentence="Words that read as an instruction stand inside the new text of another one.",
        spans=view.spans(found.start, found.how_end),
    )
