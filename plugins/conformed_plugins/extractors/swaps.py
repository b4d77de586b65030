"""Words swapped for words: which words an instruction takes out, and which ones it puts there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.limits import find_limits
from conformed_plugins.extractors.instructions import Instruction

__all__ = ["Swap", "quoted_words", "read_swaps"]

_OUT = r"(?:deleting|replacing|striking(?:\s+out)?|removing|substituting\s+for)"
_IN = r"(?:substituting|inserting|replacing|putting|with|by|in\s+lieu|adding|in\s+its\s+place|the)"
_WHAT = r"(?:therefrom\s+)?(?:the\s+|each\s+)?(?:text|figures?|words?|phrase|ratios?|references?\s+to|numbers?|amounts?|level|percentage|date|row|line)?\s*(?:the\s+\w+\s+)?"
_FLAGS = re.IGNORECASE | re.DOTALL
_PATTERNS = (
    re.compile(
        rf"{_OUT}\s+{_WHAT}\"(?P<find>[^\"]{{1,300}})\"(?P<mid>[^\"]{{0,160}}?)\b{_IN}\b[^\"]{{0,120}}?\"(?P<replace>[^\"]{{1,300}})\"",
        _FLAGS,
    ),
    re.compile(
        r"\"(?P<find>[^\"]{1,300})\"(?P<mid>[^\"]{0,320}?)\b(?:shall\s+be|is|are|be)\s+(?:hereby\s+)?(?:read\s+as|replaced\s+(?:by|with)|changed\s+to|deleted\s+and\s+(?:replaced\s+(?:by|with)|substituted\s+(?:by|with)))\b[^\"]{0,60}?\"(?P<replace>[^\"]{1,300})\"",
        _FLAGS,
    ),
    re.compile(
        r"\bread\s+as\s+(?:if|though)\s+(?:the\s+|each\s+|every\s+)?(?:\w+\s+){0,3}\"(?P<find>[^\"]{1,300})\"(?P<mid>[^\"]{0,60}?)\bwere\b[^\"]{0,40}?\"(?P<replace>[^\"]{1,300})\"",
        _FLAGS,
    ),
    re.compile(
        r"\bsubstituting\s+\"(?P<replace>[^\"]{1,300})\"(?P<mid>[^\"]{0,60})\bfor\b[^\"]{0,80}?\"(?P<find>[^\"]{1,300})\"", _FLAGS
    ),
)
_DELETES = re.compile(
    r"\b(?:deleting|replacing|striking(?:\s+out)?|deletion\s+of)\s+(?:therefrom\s+)?(?:the\s+|each\s+)?(?:\w+\s+){0,3}\"(?P<find>[^\"]{1,300})\"[^\"]*\Z",
    _FLAGS,
)
_BARE = re.compile(rf"\b{_OUT}\s+(?:therefrom\s+)?(?:the\s+)?(?:\w+\s+){{0,4}}(?:of\s+)?$", re.IGNORECASE)
_BARE_IN = re.compile(r"\b(?:substituting|inserting|replacing|putting|with|adding)\b[^;.]{0,90}$", re.IGNORECASE)
_LABEL = re.compile(
    r"\(\s*(?:the|each|an?|such|collectively|as)?[^()\"]{0,40}\"[^\"]{1,90}\"[^()]{0,40}\)|\b(?:rows?|lines?|columns?|periods?)\s+(?:\w+\s+){0,4}\"[^\"]{1,90}\"(?=\s+(?:in|of|from|appearing|set|contained|is)\b)|\b(?:entitled|captioned|headed|definitions?\s+of(?:\s+the\s+(?:defined\s+)?terms?)?)\s*,?\s*\"[^\"]{1,90}\"",
    re.IGNORECASE,
)
_SHORT = 400


@dataclass(frozen=True, slots=True)
class Swap:
    """Words taken out, and the stretch of the view with those that take their place."""

    find: str
    start: int
    end: int


def quoted_words(how: str) -> int:
    """How many quoted pieces an instruction holds that are no names of parties, captions or terms."""
    return _LABEL.sub(lambda m: " " * len(m[0]), how).count('"') // 2


def read_swaps(found: Instruction, text: str) -> list[Swap] | None:
    """The swaps of an instruction that does nothing but swap words; None where it does not, or not only, or not plainly."""
    a, b = found.payload
    if b > a:
        m = _DELETES.search(found.how) if found.quoted and b - a < _SHORT else None
        alone = m is not None and quoted_words(found.how) <= 1
        return [Swap(m["find"].strip(), a, b)] if m is not None and alone else None
    swaps: list[Swap] = []
    at = 0
    while at < len(found.how):
        hits = [m for m in (p.search(found.how, at) for p in _PATTERNS) if m]
        if not hits:
            break
        m = min(hits, key=lambda h: h.start())
        swaps.append(Swap(m["find"].strip(), found.start + m.start("replace"), found.start + m.end("replace")))
        at = m.end()
    if swaps:
        return swaps if quoted_words(found.how) == 2 * len(swaps) else None
    return _bare(found, text)


def _bare(found: Instruction, text: str) -> list[Swap] | None:
    """Two ratios without quotation marks ("by deleting the ratio 4.00 to 1.00 and inserting the ratio 4.50 to 1.00")."""
    tokens = find_limits(text, found.start, found.how_end, "ratio") or find_limits(text, found.start, found.how_end, "amount")
    if len(tokens) != 2 or quoted_words(found.how):
        return None
    old, new = tokens
    if _BARE.search(text[found.start : old.start]) and _BARE_IN.search(text[old.end : new.start]):
        return [Swap(text[old.start : old.end], new.start, new.end)]
    return None
