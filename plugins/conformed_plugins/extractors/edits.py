"""Words put into a definition, or taken out of it, at a place that the instruction names.

``inserting before the final period: "..."``, ``adding at the end thereof "..."``, ``inserting "..." immediately after the
words "..."``, ``deleting the words "..."``, ``deleting the last sentence``. An instruction that does more than one such thing, or
names its place in other words, is not an edit here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.model.operation import Place
from conformed_plugins.extractors.instructions import Instruction
from conformed_plugins.extractors.swaps import quoted_words

__all__ = ["Edit", "read_edit"]

_FLAGS = re.IGNORECASE | re.DOTALL
_PUT = r"\b(?:insert(?:ing|ed)|add(?:ing|ed)|insertion\s+of|addition\s+of)\b"
_END = (
    r"\b(?:before|prior\s+to)\s+the\s+(?:final\s+|last\s+|concluding\s+)?(?:period|full\s+stop)\b",
    r"\b(?:at|to)\s+the\s+(?:very\s+)?end\b(?!\s+of\s+(?:the\s+)?(?:\w+\s+)?(?:clause|paragraph|sub|sentence|proviso))",
)
_WORDS = r"(?:immediately\s+)?{where}\s+(?:the\s+)?(?:words?|phrase|expression|text)?\s*$"
_SENTENCE = re.compile(
    r"\b(?:delet(?:ing|ed)|deletion\s+of|remov(?:ing|ed)|striking)\s+(?:out\s+)?(?:the\s+)?(?:last|final)\s+sentence\b", _FLAGS
)
_SENTENCE_GOES = re.compile(
    r"\b(?:last|final)\s+sentence\b[^.;:\"]{0,80}?\b(?:is|be|are)\s+(?:hereby\s+)?(?:deleted|removed)\b", _FLAGS
)
_CUT = re.compile(
    r"\b(?:deleting|removing|deletion\s+of|striking(?:\s+out)?)\s+(?:therefrom\s+)?(?:the\s+)?(?:words?|phrase|expression|text)?\s*\"(?P<find>[^\"]{1,400})\"",
    _FLAGS,
)
_MORE = re.compile(r"\b(?:delet|replac|substitut|strik|remov|restat|read\s+as\s+follows)\w*\b", re.IGNORECASE)
_QUOTE = re.compile(r"\"(?P<words>[^\"]{1,1500})\"", _FLAGS)


@dataclass(frozen=True, slots=True)
class Edit:
    """What is done, beside which words, and the stretch of the view with the new words.

    Attributes:
        place: where.
        find: the words that name the place; empty where the place is the end or a sentence.
        start: first offset of the new words; equal to ``end`` where words only go.
        end: one past the last.
    """

    place: Place
    find: str
    start: int
    end: int


def read_edit(found: Instruction, text: str) -> Edit | None:
    """The one edit that an instruction on a definition makes; None where it is not plainly one."""
    how, (a, b) = found.how, found.payload
    after = text[found.how_end : found.end] if b <= a else ""
    quotes = _quotes(found)
    whole = f"{found.lead if not how.startswith(found.lead) else ''}{how}{after}"
    if b <= a and not quotes and (_SENTENCE.search(whole) or _SENTENCE_GOES.search(whole)) and not re.search(_PUT, whole, _FLAGS):
        return Edit(Place.LAST_SENTENCE, "", found.start, found.start)
    if b <= a and len(quotes) == 1 and _CUT.search(how) and not re.search(_PUT, how, _FLAGS):
        return Edit(Place.CUT, quotes[0]["words"].strip(), found.start, found.start)
    if not re.search(_PUT, how, _FLAGS) or _MORE.search(how):
        return None
    whole_quote = b > a and found.quoted and text.count('"', a, b) % 2 == 0
    new = (a, b) if whole_quote else None
    if new is None and b <= a and quotes:
        return _in_line(found, quotes)
    if new is None:
        return None
    if not quotes and any(re.search(p, how, _FLAGS) for p in _END):
        return Edit(Place.END, "", *new)
    if len(quotes) == 1:
        place = _beside(how[: quotes[0].start()])
        return Edit(place, quotes[0]["words"].strip(), *new) if place is not None else None
    return None


def _quotes(found: Instruction) -> list[re.Match[str]]:
    """Quoted words of an instruction that are not the term itself."""
    term = re.compile(r"\b(?:definitions?\s+of|terms?)\s+(?:the\s+(?:defined\s+)?terms?\s+)?$", re.IGNORECASE)
    return [m for m in _QUOTE.finditer(found.how) if not term.search(found.how[: m.start()])]


def _beside(before: str) -> Place | None:
    if re.search(_WORDS.format(where=r"(?:after|following)"), before, _FLAGS):
        return Place.AFTER
    if re.search(_WORDS.format(where=r"(?:before|prior\s+to|preceding)"), before, _FLAGS):
        return Place.BEFORE
    return None


def _in_line(found: Instruction, quotes: list[re.Match[str]]) -> Edit | None:
    """New words and their place in one sentence: ``inserting "X" after the words "Y"``, or the other way round."""
    if quoted_words(found.how) != len(quotes) or len(quotes) > 2:
        return None
    if len(quotes) == 1:
        if any(re.search(p, found.how, _FLAGS) for p in _END):
            return Edit(Place.END, "", found.start + quotes[0].start("words"), found.start + quotes[0].end("words"))
        return None
    for new, beside in (quotes, quotes[::-1]):
        place = _beside(found.how[(new.end() if new.start() < beside.start() else 0) : beside.start()])
        if place is not None:
            return Edit(place, beside["words"].strip(), found.start + new.start("words"), found.start + new.end("words"))
    return None
