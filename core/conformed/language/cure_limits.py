"""The limits of a right to cure: until when, how often, how much, and whether the next test can mend the earlier one (rule book P40)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.pattern_words import count_of
from conformed.model.base import Frozen

__all__ = ["CureLimits", "merged_limits", "read_cure_limits"]


class CureLimits(Frozen):
    """What a right to cure asks of the money, of its day and of its number."""

    days: int | None = None
    """Within how many days the money must have come; None where the words give no number."""
    business: bool = False
    """Whether these are business days."""
    runs_from: str = ""
    """``due`` (the day on which certificate or accounts are due), ``test`` (the test date), ``delivered`` (the day on which they
    came), ``other``; empty where there is no such time limit."""
    most_uses: int | None = None
    """How often in the life of the agreement."""
    most_in: tuple[int, int] | None = None
    """How often in how many consecutive quarters."""
    consecutive: bool = True
    """Whether two quarters running may be cured."""
    no_more_than_needed: bool = False
    """Whether the amount may not pass what is needed to meet the level."""
    deemed: bool = False
    """Whether meeting the next test mends the earlier failure."""
    barred: bool = False
    """Whether a notice of acceleration or enforcement that was given by then stands against that."""
    unread: bool = False
    """Whether words of limit stand there that were not understood: then no use of the right is shown to be within them."""


_N = r"(?P<n>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?:\s*\(\d{1,3}\))?"
_WITHIN = re.compile(
    rf"\b(?:within|during\s+the|in\s+the|(?:no|not)\s+later\s+than|(?:on\s+or\s+)?(?:before|prior\s+to)\s+the\s+date\s+(?:that\s+is|which\s+is|falling))\s+{_N}\s+"
    r"(?P<business>business\s+|working\s+)?days\s+(?:period\s+)?(?:after|of|following|from|subsequent\s+to)\s+(?P<from>[^.;]{3,200})",
    re.IGNORECASE,
)
_TIMES = re.compile(
    rf"\b(?:no(?:t)?\s+more\s+(?:often\s+)?than|not\s+(?:be\s+)?(?:\w+\s+){{0,2}}?more\s+than|at\s+most|up\s+to|a\s+maximum\s+of|not\s+exceed)\s+{_N}"
    r"(?:\s+(?:times|occasions|cures|exercises|uses|equity\s+cures|cure\s+rights))?",
    re.IGNORECASE,
)
_QUARTERS = re.compile(
    rf"\b(?:in|of|during|over|within)\s+(?:any\s+|each\s+)?(?:period\s+of\s+)?{_N}\s+(?:consecutive\s+|successive\s+)?(?:fiscal\s+|financial\s+|relevant\s+)?(?:quarters?|quarter\s+dates|periods|quarter[- ]periods?)",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    rf"\bat\s+least\s+{_N}\s+(?:fiscal\s+|financial\s+)?quarters?\b[^.;]{{0,80}}\b(?:no|not|without)\b|\bno\s+(?:cure|equity|injection)[^.;]{{0,80}}\bat\s+least\s+\w+\b",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"\b(?:not|nor|never|no)\s+(?:(?:be\s+)?(?:exercised|used|made|applied)\s+|cures?\s+|cure\s+rights?\s+)?(?:in|on|for|with\s+respect\s+to|in\s+respect\s+of)?\s*(?:any\s+)?"
    r"(?:two\s+|2\s+)?(?:consecutive|successive)\b",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\b(?:no(?:t)?\s+(?:be\s+)?(?:greater|more|larger)\s+than|not\s+exceed|(?:may|shall)\s+not\s+be\s+in\s+excess\s+of|limited\s+to)\s+(?:the\s+)?(?:minimum\s+|least\s+)?"
    r"(?:aggregate\s+)?amount\s+(?:that\s+is\s+)?(?:required|needed|necessary)",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    r"\b(?:earlier|prior|previous|original|that|such|the)\s+(?:breach|default|failure|Event\s+of\s+Default)\b[^.;]{0,60}?\b(?:is|are|shall\s+be|will\s+be)\s+"
    r"(?:treated|deemed|regarded)\s+(?:as\s+|to\s+have\s+been\s+)?(?:having\s+been\s+)?(?:remedied|cured)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:next|following|immediately\s+(?:following|succeeding))\b[^.;]{0,40}\b(?:quarter|test|period)", re.IGNORECASE
)
_BARRED = re.compile(r"\bunless\b[^.;]*\b(?:notice|accelerat\w+|enforce\w*|action)\b", re.IGNORECASE)
_LIMITING = re.compile(
    r"\b(?:no(?:t)?\s+more\s+(?:often\s+)?than|at\s+most|a\s+maximum\s+of|not\s+exceed|limited\s+to)\b", re.IGNORECASE
)


def read_cure_limits(text: str) -> CureLimits:
    """The limits that the words of a right to cure set.

    Args:
        text: the provision that gives the right, whole.
    """
    line = " ".join(text.split())
    within = _WITHIN.search(line)
    days = count_of(within["n"]) if within else None
    life: int | None = None
    most_in: tuple[int, int] | None = None
    needed = _NEEDED.search(line)
    understood = [needed.span()] if needed else []
    counts = list(_TIMES.finditer(line))
    for number, m in enumerate(counts):
        count = count_of(m["n"])
        stop = re.compile(r"[.;]\s").search(line, m.end())
        ends = [stop.start() if stop else len(line), *(after.start() for after in counts[number + 1 : number + 2])]
        tail = _QUARTERS.search(line, m.end(), min(ends))
        if count is None:
            continue
        understood.append(m.span())
        if tail is not None and (quarters := count_of(tail["n"])) is not None and quarters > count:
            most_in = (count, quarters)
        else:
            life = count if life is None else min(life, count)
    for m in _QUARTERS.finditer(
        line
    ):  # "in each four fiscal quarter period there shall be at least two quarters in which no cure is made"
        leave = _LEAVE.search(line, m.start(), min(len(line), m.end() + 160))
        quarters, free = count_of(m["n"]), count_of(leave["n"]) if leave and leave["n"] else None
        if most_in is None and leave and quarters and free and free < quarters:
            most_in = (quarters - free, quarters)
            understood.append(leave.span())
    deemed = next((m for m in _DEEMED.finditer(line) if _NEXT.search(line, max(0, m.start() - 240), m.start())), None)
    unread = (within is not None and days is None) or any(
        not any(a <= m.start() < b for a, b in understood) for m in _LIMITING.finditer(line)
    )
    return CureLimits(
        days=days,
        business=bool(within and within["business"]),
        runs_from=_origin(within["from"]) if within else "",
        most_uses=life,
        most_in=most_in,
        consecutive=_RUNNING.search(line) is None,
        no_more_than_needed=needed is not None,
        deemed=deemed is not None,
        barred=deemed is not None and _BARRED.search(deemed["rest"]) is not None,
        unread=unread,
    )


def _origin(words: str) -> str:
    """From which day a time runs."""
    first = re.split(r",|\bmay\b|\bshall\b|\bwill\b|\band\b", words)[0]
    papers = re.search(r"\b(?:certificate|accounts|financial\s+statements|financials|reports?)\b", first, re.IGNORECASE)
    if papers and re.search(r"\b(?:due|required|to\s+be\s+delivered|must\s+be|deadline|last\s+day)\b", first, re.IGNORECASE):
        return "due"
    if papers and re.search(r"\b(?:deliver(?:ed|y)|received|provided)\b", first, re.IGNORECASE):
        return "delivered"
    if not papers and re.search(
        r"\b(?:end|last\s+day|expir\w+)\s+of\b|\b(?:test|quarter)\s+date\b|\bquarter\s+end\b", first, re.IGNORECASE
    ):
        return "test"
    return "other"


def merged_limits(found: Iterable[CureLimits]) -> CureLimits:
    """The limits of all places that speak of one right together; two places that give one limit differently leave it unread."""
    every = list(dict.fromkeys(found))
    if not every:
        return CureLimits()
    days = {(one.days, one.business, one.runs_from) for one in every if one.runs_from}
    life = {one.most_uses for one in every if one.most_uses is not None}
    within = {one.most_in for one in every if one.most_in is not None}
    first = next(iter(days)) if len(days) == 1 else (None, False, "")
    return CureLimits(
        days=first[0],
        business=first[1],
        runs_from=first[2],
        most_uses=min(life, default=None),
        most_in=next(iter(within)) if len(within) == 1 else None,
        consecutive=all(one.consecutive for one in every),
        no_more_than_needed=any(one.no_more_than_needed for one in every),
        deemed=any(one.deemed for one in every),
        barred=any(one.barred for one in every),
        unread=any(one.unread for one in every) or max(len(days), len(life), len(within)) > 1,
    )
