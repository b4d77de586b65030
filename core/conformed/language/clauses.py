"""Reads covenant clauses: subject, comparator, levels with their windows, when tested, and every doubt.

A clause is a covenant only if its sentence makes a figure the object of "shall not permit", "shall maintain", "shall not
exceed" and the like. Ratios in pricing grids, baskets, conditions and definitions have no such sentence, and are told apart.
"""

from __future__ import annotations

import re
from dataclasses import replace

from conformed.language.amount_marks import scaled
from conformed.language.baskets import carved_out
from conformed.language.comparators import Governed, find_governed, next_predicate, trailing_comparator
from conformed.language.conditions import Found, find_increases, first_test, leftover_doubts, tested_when
from conformed.language.levels import Target, end_of_zone, find_target, read_levels
from conformed.language.limits import KnownLimits, LimitToken, find_limits
from conformed.language.pattern_gloss import find_gloss
from conformed.language.readings import ClauseReading, as_one_provision
from conformed.language.siblings import duty_among_forbidden
from conformed.language.subjects import Subject, find_subject
from conformed.language.surroundings import (
    earlier_words,
    exceptions,
    first_test_doubts,
    first_test_nearby,
    forbidden_duty,
    glosses,
    loose_dates,
    no_command,
    opening_window,
    percent_doubts,
    unread,
    with_denominator,
)
from conformed.model.covenant import Comparator, CovenantKind
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["ClauseReading", "read_clauses", "read_levels"]


_INCURRENCE = re.compile(
    r"\b(?:after\s+giving\s+(?:pro\s+forma\s+)?effect|giving\s+pro\s+forma\s+effect|would\b|so\s+long\s+as(?!\s+(?:any|the)\s+(?:Loans?|Advances?|Commitments?|Obligations?|Notes?|Lenders?|Letters?|Facilit|Bank|Term|Revolving|amount|indebtedness))|provided\s+(?:that|further)|unless|to\s+the\s+extent|"
    r"may\s+(?:incur|make|pay|declare|issue|create|assume|be)|(?<!\bor\s)immediately\s+(?:before|after|prior)|no\s+default|Permitted\s+\w+\s+if|if\s+(?:the|at|on|after|any|and|such|its|immediately)\b)",
    re.IGNORECASE,
)
_MOST = 60  # covenants in one provision: more is a flood, not an agreement
_OWN_VERB = re.compile(r"\b(?:shall|will|must|may)\b|\b(?:Permit|Allow|Suffer|Fail|Have|Maintain|Incur)\b")
_SENTENCE = re.compile(
    r"(?<=[a-z)\]0-9\"])[.;]\s+(?=[\"'(A-Z\[]|\d{1,2}\.\d{1,3}[.:]?\s+[A-Z])|\n[ \t]*\n(?=[ \t]*(?:\(|[A-Z\"]))|:\s*\n"
)
_QUALIFIER = re.compile(
    r"(?:\s|,|\b(?:the|its|a|an|their|such|any|on|consolidated|basis|as|of|at|for|in|each|case|all|times|time|end|last|day|determined|calculated|measured|with|"
    r"to|be|Borrower|Borrowers|Company|Parent|Guarantor|Holdings|and|or|Subsidiaries|Restricted|quarter|fiscal|year|month|Date|period|Group|that|test|Test|minimum|maximum|own)\b|'s)+"
)


def _sentence_start(text: str, start: int, at: int) -> int:
    low = max(start, at - 1500)
    found = low
    for m in _SENTENCE.finditer(text, low, at):
        found = m.end()
    return found


def _subject_of(text: str, sentence: int, floor: int, governed: Governed) -> Subject | None:
    """The figure that the governing words rule: right after "permit", "maintain"; before "shall not exceed", "shall be"."""
    if governed.governed in {"permit", "fail", "require"} and governed.governor < governed.start:
        verb = re.compile(
            (
                r"\b(?:permit|allow|suffer|incur|let|cause|have|create|maintain|keep|achieve|ensure|procure|own|"
                r"obtain)\b(?:\s+and\s+maintain\b)?"
            ),
            re.IGNORECASE,
        )
        verbs = list(verb.finditer(text, governed.governor, governed.start))
        for m in reversed(verbs):
            subject = find_subject(text, max(m.end(), floor), governed.start)
            if subject is not None and not (
                floor <= m.end() and text[m.end() : subject.start].strip() and not _objects(text[m.end() : subject.start])
            ):
                return subject
    subject = find_subject(text, max(sentence, floor), governed.start)
    if subject is not None and governed.governed in {"not", "require", ""} and subject.end <= governed.start:
        return subject
    return None


def _objects(between: str) -> bool:
    """Whether only articles, parties and times stand between verb and object."""
    between = re.sub(r":\s*\(\w{1,4}\)\s*", " ", between)  # "shall not permit, at any quarter end: (a) the ..."
    between = re.sub(r"\([^)]*\)", " ", between)
    between = re.sub(r",[^,]{0,160},", " ", between)
    return (
        _QUALIFIER.fullmatch(between) is not None
        or re.fullmatch(r"\s*,?\s*(?:as\s+(?:at|of)|at|on|for|during)\b[^;:]{0,160}", between, re.IGNORECASE) is not None
    )


def read_clauses(
    text: str, start: int, end: int, *, lead: str = "", calendar: FiscalCalendar | None = None
) -> list[ClauseReading]:
    """All covenants stated between two offsets, normally one provision.

    Args:
        text: the text.
        start: first offset.
        end: one past the last.
        lead: words of the enclosing provision before this one ("the Borrower will not:").
        calendar: fiscal calendar, where known.
    """
    readings: list[ClauseReading] = []
    known = KnownLimits(text, start, end)
    at = start
    while at < end and len(readings) < _MOST:
        place = next_predicate(text, at, end)
        if place is None:
            break
        target = find_target(text, place[1], end, known)
        if target is None:
            at = place[1]
            continue
        sentence = _sentence_start(text, start, place[0])
        governed = find_governed(text, place[0], end, sentence)
        if governed is None:
            break
        reading = _read_one(
            text, start, end, sentence, governed, target, lead, calendar, [(r.start, r.end) for r in readings], known
        )
        if reading is None:
            at = governed.end
            continue
        readings.append(reading)
        flat = reading.steps[0].limit if len(reading.steps) == 1 else None
        text = _without_echo(text, (reading.end, end), reading.comparator, flat)
        at = max(reading.end, governed.end)
    return as_one_provision(readings, lead)


def _next_figure(text: str, at: int, end: int, sentence: int, known: KnownLimits) -> int:
    """Where a second covenant begins in the same sentence ("... 4.00 to 1.00 or (ii) the Interest Coverage Ratio to be ...")."""
    governed = find_governed(text, at, end, sentence)
    if governed is None or find_target(text, governed.end, end, known) is None:
        return end
    subject = find_subject(text, at, governed.start)
    if subject is None or subject.end > governed.start:
        return end
    link = re.fullmatch(
        r"\s*[,;]?\s*(?:and|or|nor)?\s*(?:\(?\w{1,3}\)\s*)?(?:(?:shall|will|permit|maintain|have|to)\s+)*(?:an?|the|its)?\s*",
        text[at : subject.start],
        re.IGNORECASE,
    )
    return at if link else end


def _with_lead(text: str, sentence: int, governed: Governed, lead: str) -> Governed:
    own = text[sentence : governed.start]
    if not lead or (governed.governed and _OWN_VERB.search(own)):
        return governed
    joined = lead.replace(":", ",").replace(";", ",") + " " + text[sentence : governed.end]
    again = find_governed(joined, len(lead) + 1 + governed.start - sentence, len(joined), 0)
    if again is None:
        return governed
    return replace(
        governed, comparator=again.comparator, governed="require" if again.governed in {"require", "fail"} else again.governed
    )


def _without_echo(text: str, rest: tuple[int, int], comparator: Comparator | None, flat: LimitToken | None) -> str:
    """The text with a clarifying sentence blanked out that says what the clause says: such a sentence does nothing (PR-26)."""
    gloss = find_gloss(text[rest[0] : rest[1]]) if flat is not None else None
    if gloss is None or flat is None or gloss.allowed is None or gloss.differs(comparator, flat.value):
        return text
    a, b = rest[0] + gloss.stretch[0], rest[0] + gloss.stretch[1]
    return text[:a] + " " * (b - a) + text[b:]


def _read_one(
    text: str,
    start: int,
    end: int,
    sentence: int,
    governed: Governed,
    target: Target,
    lead: str,
    calendar: FiscalCalendar | None,
    read: list[tuple[int, int]],
    known: KnownLimits,
) -> ClauseReading | None:
    unit, first_limit, is_table = target
    governed = _with_lead(text, sentence, governed, lead)
    floor = max([sentence, *(b for _, b in read)])
    subject = _subject_of(text, sentence, floor, governed)
    if subject is None or not governed.governed:
        return None
    zone_end = end_of_zone(text, first_limit.end if first_limit and not is_table else governed.end, end, is_table=is_table)
    if not is_table and first_limit is not None:
        zone_end = _next_figure(text, first_limit.end, zone_end, sentence, known)
    limits = find_limits(text, governed.end, zone_end, unit)
    if not limits:
        return None
    subject = with_denominator(text, subject, limits[0])
    kind = CovenantKind.INCURRENCE if _INCURRENCE.search(text, sentence, governed.start) else CovenantKind.MAINTENANCE
    comparator: Comparator | None = governed.comparator
    opens = opening_window(text, sentence, governed.governor, calendar)
    label = (opens[1], opens[2]) if opens and not is_table else None
    steps, doubts = read_levels(text, governed.end, zone_end, limits, calendar, table=is_table, opening=label)
    trailing = trailing_comparator(text, limits[-1].end) if len(limits) == 1 and not governed.behind else None
    if trailing is not None and trailing[0] is not comparator:
        doubts.append(
            Found(limits[-1].end, trailing[1], "review_comparator_ambiguous", None, "Two comparisons are stated for one level.")
        )
    last = max([limits[-1].end, *(s.end for s in steps)])
    sentence_end = max(zone_end if not is_table else last, last)
    rest = (sentence_end, end)
    increases, used = find_increases(text, rest[0], rest[1], unit)
    flat = limits[0] if len(steps) == 1 else None
    text = _without_echo(text, rest, comparator, flat)
    extra = leftover_doubts(
        text, (sentence, sentence_end), rest, used | {t.start for t in limits}, unit, flat, (governed.end, limits[-1].end)
    )
    first = first_test(text, sentence, governed.start)
    if first is None and len(steps) == 1:
        first = first_test(text, limits[0].end, sentence_end)
    opening = opens if first is None and (flat is not None or (label is not None and steps[0].start == label[0])) else None
    if opening is not None and flat is None:
        pass  # the opening words are the first row's
    elif opening is not None and steps[0].windows == (Window(),):
        steps = [replace(steps[0], windows=opening[0], start=opening[1], end=opening[2])]
    else:
        opening = None
    bounds = (opening[1], opening[2]) if opening else None
    doubts += loose_dates(text, sentence, governed.start, first, bounds)
    before, behind = (max(start, sentence - 600), sentence), (sentence_end, min(end, sentence_end + 600))
    first = first or first_test_nearby(text, *before) or first_test_nearby(text, *behind)
    doubts += first_test_doubts(text, [before, behind], first, read)
    doubts += earlier_words(text, start, max(sentence, floor), unit, read)
    if unit == "amount" and (subject.upper or re.search(r"\b(?:Ratio|Leverage|Gearing)\b", subject.name)):
        words = "The figure is a ratio and the level is an amount of money."
        doubts.append(Found(limits[0].start, limits[0].end, "review_clause_not_fully_read", None, words))
    if unit == "amount":
        doubts += carved_out(text, subject.end, governed.start)
        doubts += scaled(text, start, end, lead)
    if not increases:
        doubts += exceptions(text, sentence_end, end)
    doubts += no_command(text, sentence, governed, lead)
    doubts += forbidden_duty(text, sentence, governed, lead)
    doubts += duty_among_forbidden(text, sentence, sentence_end, governed, lead)
    doubts += percent_doubts(text, limits)
    if kind is CovenantKind.MAINTENANCE:
        doubts += unread(text, floor, sentence_end, subject, governed, limits, steps, trailing, first, bounds)
    for token in limits:
        if token.problem:
            doubts.append(
                Found(token.start, token.end, token.problem, None, "The number as written cannot be read as one level.")
            )
    doubts += glosses(text, extra, comparator, rest)
    return ClauseReading(sentence, sentence_end, subject, kind, comparator, (governed.governor, governed.end), unit, tuple(steps),
                         tested_when(text, sentence, sentence_end), first[0] if first else None, tuple(increases), tuple(doubts))  # fmt: skip
