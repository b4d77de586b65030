"""Rounding clauses: only words of the agreement round a ratio before it is compared (rules CA-50 to CA-52)."""

from __future__ import annotations

import re

from conformed.language.amounts import fold
from conformed.model.base import Frozen
from conformed.model.span import Span

__all__ = ["RoundingTerms", "read_rounding"]


class RoundingTerms(Frozen):
    """A rounding clause: by one place more than the level's and then to the level's places, or straight to named places."""

    carry: str
    """``truncate``, ``round``, or ``unstated`` where the words do not say how the extra place is reached; ``none`` where
    the ratio is rounded straight to ``places``."""
    places: int | None = None
    """Places that the clause names itself; None where they are those of the level as written."""
    half: str = "up"
    """What happens to the last place: ``up`` (half up, the usual), ``down`` (cut), ``ceiling`` (always up)."""
    raw: str = ""
    """Its words."""
    spans: tuple[Span, ...] = ()
    """Where."""


_SENTENCE = r"(?:[^.;]|\.(?=\d)|(?<=\d)\.)"
_ONE_MORE = re.compile(
    rf"\bone\s+(?:decimal\s+)?place\s+more\b{_SENTENCE}{{0,240}}\bround|\bone\s+(?:more|further|additional|extra)\s+(?:decimal\s+)?place\b{_SENTENCE}{{0,240}}\bround",
    re.IGNORECASE,
)
_STRAIGHT = re.compile(
    rf"\bratios?\b{_SENTENCE}{{0,160}}\bround(?:ed|ing)\b{_SENTENCE}{{0,60}}?\b(?:to\s+)?(?:(?P<count>one|two|three|four|[1-4])\s+decimal\s+places?|"
    r"(?:the\s+)?(?P<nth>first|second|third|fourth)\s+decimal\s+place|(?:the\s+)?nearest\s+(?:one[- ])?(?P<unit>tenth|hundredth|thousandth))",
    re.IGNORECASE,
)
_PLACES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "1": 1, "2": 2, "3": 3, "4": 4, "first": 1, "second": 2, "third": 3, "fourth": 4,
    "tenth": 1, "hundredth": 2, "thousandth": 3,
}  # fmt: skip


def read_rounding(text: str, spans: tuple[Span, ...] = ()) -> RoundingTerms | None:
    """The rounding clause of a text, or None.

    Args:
        text: a definition or a provision.
        spans: where it stands.
    """
    line = fold(" ".join(text.split()))
    match = _ONE_MORE.search(line)
    if match is not None:
        start = max(line.rfind(mark, 0, match.start()) for mark in (". ", "; ")) + 1
        how = line[start : match.end()].lower()
        cut = re.search(r"truncat|without rounding|disregarding (?:any )?further|cutting|dropping", how)
        near = re.search(r"\brounded\b[^.;]{0,40}\bone (?:decimal )?place more|\bcarr\w+ by rounding", how)
        return RoundingTerms(
            carry="truncate" if cut else "round" if near else "unstated", raw=line[start : match.end()].strip(), spans=spans
        )
    match = _STRAIGHT.search(line)
    if match is None:
        return None
    end = next((at for at in (line.find(". ", match.end()), line.find(";", match.end())) if at >= 0), len(line))
    words = line[match.start() : end].lower()
    half = (
        "down"
        if re.search(r"round(?:ed|ing) down|truncat", words)
        else "ceiling"
        if re.search(r"rounded up(?:wards?)?\s+to\b", words)
        else "up"
    )
    places = _PLACES[(match["count"] or match["nth"] or match["unit"]).lower()]
    return RoundingTerms(carry="none", places=places, half=half, raw=line[match.start() : end].strip(), spans=spans)
