"""Where the levels of a clause stand: right after the predicate, after a window, or in a table that the words point to."""

from __future__ import annotations

import re
from dataclasses import replace

from conformed.language.conditions import Found, first_test
from conformed.language.dates import find_dates
from conformed.language.limits import KnownLimits, LimitToken, find_limits
from conformed.language.schedules import Step, read_sentence_steps, read_table
from conformed.language.window_words import NEAR
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Target", "end_of_zone", "find_target", "read_levels"]

Target = tuple[str, LimitToken, bool]
"""Unit, first limit, and whether the words point to a table."""

_TABLE_REF = re.compile(
    r"(?:(?:the|that|such)\s+)?(?:(?:maximum|minimum|applicable|required|correlative|corresponding|respective|relevant)\s+)*"
    r"(?:ratios?|levels?|amounts?|percentages?|numbers?|limits?|figures?|multiples?)?\s*(?:\([^)]{0,60}\)\s*)?"
    r"(?:shown|set\s+(?:forth|out|opposite|against)|specified|indicated|listed|stated|described|in\s+the\s+(?:following\s+)?(?:table|second\s+column)|below|the\s+following|as\s+follows)"
    r"|^\s*:|^\s*the\s+following",
    re.IGNORECASE,
)
_CUT = re.compile(
    (
        r"[;,.]?\s*\b(?:provided|except|notwithstanding)\b|(?<=[a-z0-9)\]])\.[\"']?(?:\s+(?=[A-Z\"(])|\s*$)|"
        r";\s+(?=and\s+\([a-z]\)\s+[A-Z])"
    ),
    re.IGNORECASE | re.MULTILINE,
)


_FAR = 6000  # a table begins near the words that point to it
_LINKS = frozenset("of the a an ratio level sum to equal be amount i ii x A I 1".lower().split())


def _only_links(between: str) -> bool:
    between = re.sub(
        r"\bat\s+(?:any\s+time|all\s+times)\b", " ", between, flags=re.IGNORECASE
    )  # "to exceed at any time 0.80 to 1.00"
    return all(w.lower() in _LINKS for w in re.split(r"[\s,:()-]+", between) if w)


def find_target(text: str, at: int, end: int, known: KnownLimits) -> Target | None:
    """What follows a predicate: a level, an amount, levels with windows before them, or words that point to a table."""
    near = text[at : min(end, at + 120)]
    for unit in ("ratio", "amount"):
        for token in known.within(at, min(end, at + 340), unit)[:1]:
            between = text[at : token.start]
            if _only_links(between):
                return unit, token, False
            if (
                len(between) < 260
                and find_dates(between)
                and not re.search(r"[;]|\.\s+[A-Z]", between)
                and not _TABLE_REF.match(between.strip())
            ):
                return unit, token, False
    if _TABLE_REF.match(near.strip()) or re.match(
        (
            r"\s*(?:than\s+)?(?:the\s+)?(?:maximum|minimum|applicable|required)?\s*(?:ratio|amount|"
            r"level)s?\s+(?:of\s+)?[^.;]{0,60}\b(?:below|opposite|against|table)"
        ),
        near,
        re.IGNORECASE,
    ):
        far = min(end, at + _FAR)
        ratio, amount = known.within(at, far, "ratio"), known.within(at, far, "amount")
        if ratio and (not amount or ratio[0].start < amount[0].start):
            return "ratio", ratio[0], True
        if amount:
            return "amount", amount[0], True
    return None


def end_of_zone(text: str, at: int, end: int, *, is_table: bool) -> int:
    """Where the words about the levels end: before a proviso, an exception or the next sentence."""
    if is_table:
        m = re.compile(r"\bprovided\b|(?<=[a-z])\.\s+(?=[A-Z][a-z]+\s+(?:[a-z]+\s+){2})", re.IGNORECASE).search(text, at, end)
        limits = find_limits(text, at, m.start(), "ratio") or find_limits(text, at, m.start(), "amount") if m else []
        return m.start() if m and limits else end
    m = _CUT.search(text, at, end)
    return m.start() if m else end


def read_levels(
    text: str,
    start: int,
    end: int,
    limits: list[LimitToken],
    calendar: FiscalCalendar | None,
    *,
    table: bool,
    opening: tuple[int, int] | None = None,
) -> tuple[list[Step], list[Found]]:
    """Levels with their windows, and what was not understood of them.

    ``opening`` is a window with which the sentence opens: the first level's, where every other level has its own.

    Raises nothing: an enumeration that was not understood gives its levels without windows and a doubt.
    """
    if len(limits) == 1 and not table:
        token = limits[0]
        piece = text[start : token.start] + " " + text[token.end : end]
        if not find_dates(piece) and not re.search(r"\b(?:FY\s?\d|fiscal\s+(?:year|quarter)\s+(?:ending\s+)?\d)", piece):
            return [Step(token, (Window(),), token.start, token.end)], []
        if first_test(text, start, end) is not None and len(find_dates(piece)) == 1:
            return [Step(token, (Window(),), token.start, token.end)], []
    steps: list[Step] | None = None
    clash = False
    if not table:
        steps = read_sentence_steps(text, start, end, limits, calendar)
        if steps is None and opening is not None and len(limits) > 1:
            steps = read_sentence_steps(text, start, end, limits, calendar, opening)
    if steps is None:
        opened = text.find(":", start, limits[0].start) if table else -1
        if opened > 0 and not find_dates(text[start:opened]) and "\n" not in text[opened : limits[0].start]:
            start = opened + 1  # "the following: through June 30, 2026: 4.40 to 1.00; ..."
        steps, clash = read_table(text, start, end, limits, calendar)
    if steps is not None:
        if any(s.near for s in steps) or NEAR.search(text, start, min(s.start for s in steps)):
            steps = [replace(s, near=True) for s in steps]  # a column head counts for every row under it
        doubts = [
            Found(
                s.start,
                s.end,
                "review_input_missing",
                None,
                "The rows are named by fiscal periods and the fiscal calendar is not known.",
            )
            for s in steps
            if s.needs_calendar
        ]
        return steps, doubts[:1]
    code = "review_table_ambiguous" if clash else "review_clause_not_fully_read"
    words = "The table can be read in two ways." if clash else "The dates that belong to the levels were not understood."
    return [Step(t, (), t.start, t.end) for t in limits], [Found(start, end, code, None, words)]
