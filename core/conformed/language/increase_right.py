"""The right to an increased level after an event, read from its clause whole: what is added, up to what, and every condition (P38)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.limits import find_limits
from conformed.language.pattern_words import count_of
from conformed.model.election import ElectionTerms

__all__ = ["IncreaseRight", "read_increase_right"]

_WHO = r"(?:the\s+)?(?:Borrower|Company|Parent)"
_EVENT = r"(?:(?:Qualif(?:ied|ying)|Material|Significant|Specified|Designated|Permitted|Relevant)\s+Acquisition)"
_QUARTER = r"(?:fiscal|financial)\s+quarter"
_HAPPENS = r"(?:closes|is\s+(?:consummated|completed|closed|made)|occurs|completes)"
_RATIO = r"(?:maximum\s+)?(?:permitted\s+)?(?:(?P<figure>(?:[A-Za-z]+\s+){1,5}ratio)|ratio|level)"
_LEAD = rf"(?:(?:at|on)\s+the\s+(?:Borrower|Company|Parent)'?s?\s+(?:election|option),?\s+|if\s+{_WHO}\s+so\s+elects,?\s+|{_WHO}\s+may\s+elect,?\s+)?"
_AGAIN = r"no\s+(?:second|subsequent|further|additional|other|new)\s+(?:such\s+)?(?:election|increase)\s+(?:may|shall)\s+(?:take\s+effect|be\s+made|begin|apply)\s+(?:until|unless|before)\s+(?:at\s+least\s+)?"
_PIECES: tuple[tuple[str, str], ...] = (
    (
        "notice",
        rf"{_LEAD}by\s+(?:written\s+)?notice(?:\s+to\s+the\s+(?:Administrative\s+)?Agent)?(?:\s+given)?\s+(?:within|not\s+(?:later|more)\s+than|no\s+later\s+than)\s+(?P<days>\w+(?:-\w+)?)\s+(?P<business>Business\s+)?days\s+(?:after|of|following)\s+(?:the\s+(?:closing|completion|consummation|date)\s+of\s+)?(?:an?|any|the|such|each)\s+(?P<event>{_EVENT})",
    ),
    (
        "delta",
        rf"(?:that\s+)?the\s+{_RATIO}(?:\s+(?:otherwise\s+in\s+force|then\s+in\s+effect|(?:permitted|required)\s+(?:by|under)\s+this\s+(?:Section|Clause)(?:\s+[\d.]+(?:\([a-z]\))?)?))?\s+(?:shall|will|is\s+to)\s+be\s+increased\s+by\s+(?P<delta>\d+\.\d+)(?:x|\s*(?:to|:)\s*1(?:\.0+)?)?",
    ),
    (
        "window",
        rf"for\s+the\s+{_QUARTER}\s+in\s+which\s+(?:it|(?:the|such|that)\s+(?:{_EVENT}|acquisition))\s+{_HAPPENS}\s+and\s+(?:for\s+)?(?:each\s+of\s+)?the\s+(?:next|following|immediately\s+following|succeeding)\s+(?P<more>\w+)\s+(?:consecutive\s+|full\s+|succeeding\s+)?{_QUARTER}s",
    ),
    (
        "cap",
        r"(?:(?:but|and|provided\s+that)\s+)?(?:(?:it|the\s+(?:ratio|level)|such\s+ratio)\s+(?:shall|may)\s+)?(?:never|not|in\s+no\s+event)\s+(?:to\s+)?(?:(?:be\s+)?(?:above|more\s+than|greater\s+than|higher\s+than)|exceed)\s+(?P<cap>\d+(?:\.\d+)?\s*(?:to|:)\s*1(?:\.0+)?|\d+\.\d+x)",
    ),
    (
        "gap",
        rf"{_AGAIN}(?P<gap>\w+)\s+(?:(?:full|complete|consecutive)\s+)*{_QUARTER}s?\s+(?:have|has)\s+(?:passed|elapsed|ended|been\s+completed)(?:\s+(?:at\s+the\s+level\s+without\s+increase|without\s+(?:an\s+|any\s+)?increase))?(?:\s+since\s+the\s+(?:last|previous|prior)\s+increase(?:\s+ended)?)?",
    ),
    (
        "most",
        r"(?:no|not)\s+more\s+than\s+(?P<most>\w+)\s+(?:such\s+)?(?:elections|increases)\s+(?:may|shall)\s+be\s+made(?:\s+(?:during|over|in)\s+the\s+(?:term|life)\s+of\s+this\s+Agreement)?",
    ),
)  # fmt: skip
_PIECE = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _PIECES)
_LEFT = re.compile(r"(?:[\s.,;:]|\b(?:and|but|provided|further|that)\b)*", re.IGNORECASE)
_NEEDED = frozenset({"notice", "delta", "window"})


@dataclass(frozen=True, slots=True)
class IncreaseRight:
    """A right that was read whole.

    Attributes:
        event: the event as the clause names it.
        delta: what is added.
        cap: the most that the increased level may be, if the clause says.
        asks: its conditions, without spans.
        start: its first offset.
        end: one past its last.
    """

    event: str
    delta: Fraction
    cap: Fraction | None
    asks: ElectionTerms
    start: int
    end: int


def read_increase_right(text: str, start: int, end: int, name: str) -> IncreaseRight | None:
    """The right in a stretch that holds nothing else; None where one word of it is not understood.

    Args:
        text: the text.
        start: first offset behind the covenant's own sentence.
        end: one past the last of the provision.
        name: name of the covenant's figure; a right of another figure is none of it.
    """
    found: dict[str, re.Match[str]] = {}
    rest = text[start:end]
    for name, pattern in _PIECE:
        hits = list(pattern.finditer(text, start, end))
        if len(hits) > 1:
            return None
        if hits:
            found[name] = hits[0]
            a, b = hits[0].start() - start, hits[0].end() - start
            rest = rest[:a] + " " * (b - a) + rest[b:]
    if not found.keys() >= _NEEDED or _LEFT.fullmatch(rest) is None:
        return None
    figure = found["delta"]["figure"]
    if figure is not None and " ".join(figure.split()).lower() != name.lower():
        return None
    counts = {"days": found["notice"]["days"], "more": found["window"]["more"]}
    counts |= {name: found[name][name] for name in ("gap", "most") if name in found}
    numbers = {name: count_of(word) for name, word in counts.items()}
    if None in numbers.values():
        return None
    cap = None
    if "cap" in found:
        limits = find_limits(text, found["cap"].start("cap"), found["cap"].end("cap"), "ratio")
        if len(limits) != 1 or limits[0].value is None:
            return None
        cap = limits[0].value
    asks = ElectionTerms(
        notice_days=numbers["days"], business_days=found["notice"]["business"] is not None, quarters=(numbers["more"] or 0) + 1,
        gap_quarters=numbers.get("gap"), most=numbers.get("most"), whole=True,
    )  # fmt: skip
    first, last = min(m.start() for m in found.values()), max(m.end() for m in found.values())
    event = " ".join(found["notice"]["event"].split())
    return IncreaseRight(event, Fraction(found["delta"]["delta"]), cap, asks, first, last)
