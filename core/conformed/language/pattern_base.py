"""A clause that states a covenant, as data: figure, comparison, levels in their windows, trigger, rounding, glosses."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.clauses import ClauseReading, read_clauses
from conformed.language.comparators import find_governed
from conformed.language.conditions import first_test
from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.pattern_gloss import find_gloss
from conformed.language.pattern_none import letter_named
from conformed.language.pattern_terms import rounding_of
from conformed.language.pattern_trigger import beneficiary_of, blanked, trigger_of
from conformed.language.pattern_words import (
    EFFECTIVE,
    Ask,
    PatternReading,
    Value,
    compared,
    level_fields,
    metric_named,
    sentence_around,
    whole_phrase,
)
from conformed.language.schedules import Step
from conformed.language.subjects import find_subject
from conformed.model.covenant import CovenantKind
from conformed.model.dates import Window

__all__ = ["read_statement", "schedule_of"]

_HEAD = re.compile(
    r"(?:^|(?<=[.;\]])\s+|\n\s*)\[?(?:Annex\s+\w+,\s+)?(?:(?:Section|Clause|Article)\s+)?(?P<number>\d{1,2}(?:\.\d{1,3})+[A-Z]?(?:\s*\([a-z0-9]{1,4}\))*)(?=[.:]?\s)(?!\s+to\s+(?:1|one)\b)",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?:^|(?<!lause)(?<!ection)(?<!graph)(?<!limb)(?<!\bof)[\s.;:])(?P<letter>\([a-z]{1,4}\))(?=\s)(?!\s+(?:above|below|of)\b)",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\bthis\s+(?:Section|Clause|paragraph)\s+(?P<number>\d{1,2}(?:\.\d{1,3})+[A-Z]?(?:\s*\([a-z0-9]{1,4}\))*)", re.IGNORECASE
)
_PERMITS = re.compile(r"\b(?:shall|may|will|must|can)\s+(?:permit|allow|suffer)\b", re.IGNORECASE)
_NOBODY = re.compile(r"\b(?:neither|none\s+of|no\s+(?-i:[A-Z]))", re.IGNORECASE)
_KEEP = re.compile(
    r"\b(?:maintain|keep|have|achieve|procure|ensure)\b[^.;]{0,160}?\b(?:of|at|around|within|is|be)\s+$", re.IGNORECASE
)
_CLOSING = re.compile(
    r"\b(?:from\s+(?:and\s+including\s+|and\s+after\s+)?(?:the\s+)?(?:Closing|Effective|Signing|Utilisation|Restatement\s+Effective)\s+Date\b"
    r"|(?:Closing|Effective|Signing|Utilisation)\s+Date\s*(?:up\s+)?(?:to|through|thru|until|-|–)(?=\W))",
    re.IGNORECASE,
)
_FIRST_TIME = re.compile(
    r"\b(?:test(?:ed)?|measured|calculated|applies|apply)\s+(?:for\s+the\s+first\s+time|first)\s+(?:on|for|as\s+(?:of|at))\s+(?:the\s+)?(?:(?:fiscal\s+|financial\s+)?(?:quarter|period|Quarter\s+Date|Relevant\s+Period)\s+)?(?:ending\s+(?:on\s+)?)?",
    re.IGNORECASE,
)
_MODE = frozenset({"effective.mode"})
"""A clause of an agreement does not say from when the agreement counts."""


def schedule_of(text: str, steps: tuple[Step, ...]) -> list[Value]:
    """Rows of a schedule: from, to, level. A row that begins with the closing has a mark for its day."""
    rows: list[Value] = []
    for step in steps:
        begins = EFFECTIVE if _CLOSING.search(text, step.start, step.end) else None
        rows.extend({"from": w.start or begins, "to": w.end, "level": step.limit.value} for w in step.windows)
    return rows


def _row_at(steps: tuple[Step, ...], ask: Ask) -> Step | None:
    if ask.test_date is None:
        return None
    fits = [s for s in steps if any(w.holds(ask.test_date) for w in s.windows)]
    return fits[0] if len(fits) == 1 else None


def _section(text: str, reading: ClauseReading) -> str:
    """The number that heads the sentence, with the letter right before it."""
    heads = [m for m in _HEAD.finditer(text) if m.start("number") <= reading.start]
    number = re.sub(r"\s+", "", heads[-1]["number"]) if heads else ""
    if not number:
        here = _HERE.search(text)
        number = re.sub(r"\s+", "", here["number"]) if here else ""
    begin = max(heads[-1].end() if heads else 0, reading.subject.start - 400)
    # The letter that opens the limb in which the figure stands; a letter behind another level is of that level's row.
    marks = [
        m
        for m in _LETTER.finditer(text, begin, reading.subject.start)
        if not find_limits(text, m.end(), reading.subject.start, "ratio")
    ]
    if number and marks and not number.endswith(marks[-1]["letter"]):
        number += marks[-1]["letter"]
    return number


def _common(text: str, reading: ClauseReading, ask: Ask, spans: dict[str, tuple[int, int]]) -> dict[str, Value]:
    metric = metric_named(reading.subject)
    fields: dict[str, Value] = {"metric": metric, "comparator": reading.comparator.value if reading.comparator else None}
    # A share in the words of a trigger is no level of the covenant.
    steps = tuple(s for s in reading.steps if s.limit.form != "percent") or reading.steps
    spans["metric"] = (reading.subject.start, reading.subject.end)
    # A little further than the comparison, for what tells it may stand behind it ("below 3.25").
    governed = find_governed(text, reading.comparator_at[0], min(len(text), reading.comparator_at[1] + 12), reading.start)
    if governed is not None and governed.start > reading.comparator_at[1]:
        governed = None
    spans["comparator"] = whole_phrase(text, governed.start, governed.end) if governed else reading.comparator_at
    if len(steps) == 1 and steps[0].windows in ((), (Window(),)):
        fields |= level_fields(steps[0].limit)
        spans["level"] = (steps[0].limit.start, steps[0].limit.end)
    else:
        fields["schedule"] = schedule_of(text, steps)
        row = _row_at(steps, ask)
        if row is not None:
            fields |= {k: v for k, v in level_fields(row.limit).items() if k != "level"}
            spans["row"] = _trimmed(text, min(row.limit.start, row.start), max(row.limit.end, row.end))
            spans["level"] = (row.limit.start, row.limit.end)
    _words_and_figures(text, steps, spans)
    if reading.tested.what != "unstated":
        fields["tested"] = reading.tested.what
        spans["tested"] = (reading.tested.start, reading.tested.end)
    told = _first_time(text)
    first = reading.first or (told[0] if told else None)
    if first is not None:
        fields["first_test"] = first
        place = first_test(text, 0, len(text)) or _first_time(text)
        if place is not None:
            spans["first_test"] = _opened(text, place[1], place[2])
    return fields


def _first_time(text: str) -> tuple[dt.date, int, int] | None:
    """A day on which the ratio is tested for the first time, in those words."""
    m = _FIRST_TIME.search(text)
    dates = find_dates(text, m.end(), m.end() + 30) if m else []
    return (dates[0].date, m.start(), dates[0].end) if m and dates and dates[0].start - m.end() <= 2 else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A row without the list mark of the next one."""
    tail = re.search(r"[\s,;]*(?:\band\b)?[\s,;]*(?:\(\w{1,4}\))?[\s,;.]*$", text[start:end])
    end -= len(tail[0]) if tail else 0
    head = re.match(r"[\s,;]+", text[start:end])
    return start + (len(head[0]) if head else 0), end


def _opened(text: str, start: int, end: int) -> tuple[int, int]:
    """Words that begin in the middle of a short sentence ("The first test is for ..."), from where the sentence opens."""
    opens, _ = sentence_around(text, start)
    return (opens, end) if start - opens <= 8 else (start, end)


def _words_and_figures(text: str, steps: tuple[Step, ...], spans: dict[str, tuple[int, int]]) -> None:
    token = steps[0].limit
    if token.form == "words" or token.problem == "review_words_figures_conflict":
        m = re.compile(r"(?P<words>[a-z][a-z\s-]*?)\s*\(\s*(?P<figures>[\d.,]+)", re.IGNORECASE).search(
            text, token.start, token.end
        )
        if m:
            spans |= {"words": m.span("words"), "figures": m.span("figures")}
    if token.form == "percent":
        _, end = sentence_around(text, token.end)
        spans["denominator"] = (min(end, token.end + 4), end)


_AGAIN = re.compile(
    r"\b(?:it|the\s+same|(?:that|such|the(?:\s+(?:same|said))?)\s+(?:ratio|figure))\s+(?P<told>(?:shall|must|may|will)\s+(?:not\s+)?(?:be\s+)?(?:[a-z]+\s+){0,3}?(?:than|exceed|above|below))(?=\s+\d)",
    re.IGNORECASE,
)


_WHEN_TESTED = re.compile(
    r"\bwhen\s+(?:tested|measured|calculated)(?=\s+(?:on|at|as\s+(?:of|at)|for)\s+(?:each|every|any|the\s+(?:last|final|end|close))\b)",
    re.IGNORECASE,
)


def _said_once(text: str) -> str:
    """The text without a comparison said again in the same words, and without "when tested" before a time.

    "From then on it shall not exceed ..." repeats what the first row of a schedule said; the time is read by itself.
    """
    for m in _WHEN_TESTED.finditer(text):
        text = blanked(text, m.span())
    for m in _AGAIN.finditer(text):
        if " ".join(m["told"].lower().split()) in " ".join(text[: m.start()].lower().split()):
            text = blanked(text, m.span())
    return text


def _without_comparison(text: str) -> PatternReading | None:
    """A ratio to be kept, with no word of how equality, or a better one, is treated (rule book 4.11)."""
    limits = find_limits(text, 0, len(text), "ratio")
    if len(limits) != 1 or not _KEEP.search(text[max(0, limits[0].start - 240) : limits[0].start]):
        return None
    if not re.search(r"\b(?:shall|must|will|undertakes?|agrees?)\b", text[: limits[0].start]):
        return None
    if compared(text, 0, len(text)) is not None:
        return None
    subject = find_subject(text, 0, limits[0].start)
    fields: dict[str, Value] = {"op": "state_covenant", "target": subject.name.lower() if subject else "", "kind": "maintenance"}
    fields |= {"metric": metric_named(subject), "comparator": None, **level_fields(limits[0])}
    spans = {"level": (limits[0].start, limits[0].end)}
    return PatternReading(fields, spans, "on_closing", _MODE, ("review_comparator_ambiguous",))


def read_statement(text: str, ask: Ask) -> PatternReading | None:
    """The covenant, or the covenants of one section, that a clause states; None where it states none."""
    head = _HEAD.match(text)
    spans: dict[str, tuple[int, int]] = {}
    trigger, gloss, whom = trigger_of(text), find_gloss(text), beneficiary_of(text)
    # What is read by itself is taken out of the covenant's sentence, so that nothing else of it is overlooked there.
    aside = [*(trigger.stretches if trigger else ()), *([gloss.stretch] if gloss else ()), *(whom.stretches if whom else ())]
    plain = _said_once(blanked(text, *aside))
    readings = [
        r
        for r in read_clauses(plain, head.end() if head else 0, len(plain))
        if r.kind is CovenantKind.MAINTENANCE and r.unit == "ratio"
    ]
    if not readings:
        return _without_comparison(text)
    first = readings[0]
    section = _section(text, first)
    fields: dict[str, Value] = {"op": "state_covenant", "target": section or first.subject.name.lower(), "kind": "maintenance"}
    several = [r for r in readings if r.subject.name != first.subject.name]
    if several:
        parts = [first, *several]
        own = [_common(plain, r, ask, {}) for r in parts]
        fields["parts"] = [
            {
                "target": _section(text, r) or r.subject.name.lower(),
                **{k: v for k, v in f.items() if k in {"metric", "level", "comparator", "schedule"}},
            }
            for r, f in zip(parts, own, strict=True)
        ]
        same = {r.comparator for r in parts}
        fields["comparator"] = first.comparator.value if len(same) == 1 and first.comparator else None
        fields["target"] = re.sub(r"\([a-z]{1,4}\)$", "", section) or fields["target"]
        for letter, r in zip("abcdefgh", parts, strict=False):
            spans[f"part_{letter}"] = (r.subject.start, r.steps[0].limit.end if r.steps else r.end)
        return PatternReading(fields, spans, "on_closing", _MODE, ("review_metric_ambiguous",))
    fields |= _common(plain, first, ask, spans)
    doubts = {d.what for d in first.doubts}
    if trigger is not None:
        fields |= {"kind": "springing", "trigger": trigger.fields}
        spans["trigger"] = trigger.at
    if whom is not None:
        fields |= whom.fields
        spans["beneficiary"] = whom.at
    places = fields.get("places")
    rounding = rounding_of(text, places if isinstance(places, int) else None, spans)
    if rounding is not None:
        fields["rounding"] = rounding
    allows = _PERMITS.search(text, first.start, first.comparator_at[1])
    if allows and not _NOBODY.search(text, first.start, allows.start()):
        # What is permitted is no limit; the grammar of prohibitions in a list reads "permit ... to exceed" as one.
        fields["comparator"] = None
        doubts.add("review_comparator_ambiguous")
    side_letter = letter_named(text)
    if side_letter is not None:
        fields["subject_to"], spans["subject_to"] = side_letter
        doubts.add("review_side_letter_not_in_pack")
    level = first.steps[0].limit.value if len(first.steps) == 1 else None
    if gloss is not None and level is not None:
        spans |= {"gloss": gloss.at, "operative": (first.subject.start, first.steps[0].limit.end)}
        if gloss.differs(first.comparator, level):
            fields["comparator"] = None
            doubts.add("review_gloss_conflict")
    elif gloss is not None:
        doubts.add("review_gloss_conflict")
    return PatternReading(fields, spans, "on_closing", _MODE, tuple(sorted(doubts)))
