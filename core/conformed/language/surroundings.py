"""Words around a covenant's level that may bear on it: before it, after it, and in the sentences before its own."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from conformed.language.comparators import Governed, find_governed, trailing_comparator
from conformed.language.conditions import Found, first_test, standing_stops
from conformed.language.dates import find_dates
from conformed.language.limits import LimitToken, find_limits
from conformed.language.remainder import unread_words
from conformed.language.schedules import Step
from conformed.language.subjects import Subject
from conformed.language.windows import read_phrase
from conformed.model.covenant import Comparator
from conformed.model.dates import FiscalCalendar, Window

__all__ = [
    "earlier_words",
    "exceptions",
    "first_test_doubts",
    "first_test_nearby",
    "forbidden_duty",
    "glosses",
    "loose_dates",
    "no_command",
    "opening_window",
    "percent_doubts",
    "unread",
    "with_denominator",
]

_OPENING = re.compile(
    (
        r"\s*(?:\(\w{1,4}\)\s*)?(?=(?:until|up\s+to|through|prior\s+to|before|after|from|on\s+(?:and|or)\s|"
        r"for\s+(?:each|any|the|all)|during|as\s+of|at)\b)"
    ),
    re.IGNORECASE,
)


def opening_window(
    text: str, sentence: int, governor: int, calendar: FiscalCalendar | None
) -> tuple[tuple[Window, ...], int, int] | None:
    """A window with which the sentence opens ("Until September 30, 2024 the Borrower shall not ...")."""
    m = _OPENING.match(text, sentence, governor)
    dates = find_dates(text, sentence, governor)
    if m is None or not dates or dates[-1].end - sentence > 240:
        return None
    phrase = read_phrase(text[m.end() : dates[-1].end], calendar)
    if phrase is None or phrase.then or phrase.near or phrase.period or phrase.needs_calendar:
        return None
    return phrase.windows, m.end(), dates[-1].end


def first_test_nearby(text: str, start: int, end: int) -> tuple[dt.date, int, int] | None:
    """A first test that another sentence of the provision gives ("The first test is for the quarter ending ...")."""
    for token in find_dates(text, start, end):
        before = text[max(start, token.start - 130) : token.start]
        if re.search(r"\b(?:first|testing)\b[^.;]*$", before, re.IGNORECASE):
            found = first_test(text, max(start, token.start - 130), token.end)
            if found is not None and found[0] == token.date:
                return found
    return None


def earlier_words(text: str, start: int, sentence: int, unit: str, read: list[tuple[int, int]]) -> list[Found]:
    """Doubts from the sentences of the provision that stand before the covenant's own.

    Args:
        text: the text.
        start: start of the provision.
        sentence: start of the covenant's sentence.
        unit: unit of its limits.
        read: stretches that other readings account for.
    """
    start = max(start, sentence - 4000)

    def known(at: int) -> bool:
        return any(a <= at < b for a, b in read)

    doubts = [d for d in standing_stops(text, start, sentence) if not known(d.start)]
    for token in find_limits(text, start, sentence, unit):
        if unit == "ratio" and not known(token.start):
            words = "A sentence before the covenant's own holds a ratio whose part was not understood."
            doubts.append(Found(token.start, token.end, "review_clause_not_fully_read", token.value, words))
            break
    return doubts


_FIRST_TEST = re.compile(
    (
        r"\bfirst\s+(?:be\s+)?(?:test(?:ed|ing)?|measured|calculated)\b|\btest(?:ed|ing)?\s+(?:shall\s+|"
        r"will\s+)?(?:first|commence|begin)"
    ),
    re.IGNORECASE,
)


def first_test_doubts(
    text: str, parts: list[tuple[int, int]], first: tuple[dt.date, int, int] | None, read: list[tuple[int, int]]
) -> list[Found]:
    """Doubts from words about a first test, in sentences beside the covenant's own, whose date was not understood."""
    words = "Another sentence of the provision speaks of the first test and its date was not understood."
    return [
        Found(m.start(), m.end(), "review_input_missing", None, words)
        for a, b in parts
        for m in _FIRST_TEST.finditer(text, a, b)
        if not any(x <= m.start() < y for x, y in read) and not (first is not None and first[1] - 60 <= m.start() < first[2])
    ]


_OF_EARNINGS = re.compile(
    r"\s*(?:of\s+)?(?:the\s+|its\s+)?(?P<lower>(?:[A-Z][\w'-]*\s+){0,6}(?:EBITDA[XR]?|Earnings|Cash\s*Flow|Operating\s+Profit))\b"
)


_EXCEPTION = re.compile(
    r"[;,.]?\s*\b(?P<word>provided|except|notwithstanding|unless|save|other\s+than|excluding)\b", re.IGNORECASE
)
_ON_THE_TEST = re.compile(
    r"\b(?:ratios?|levels?|covenants?|this\s+(?:section|clause)|test(?:ed|ing)?|appl(?:y|ies|icable)|exceed|compl(?:y|iance)|required?)\b",
    re.IGNORECASE,
)


def exceptions(text: str, at: int, end: int) -> list[Found]:
    """A doubt from an exception that goes on behind the level, or from a proviso that speaks of the test."""
    m = _EXCEPTION.match(text, at, end)
    if m is None:
        return []
    stop = re.compile(r"(?<=[a-z0-9)\"])\.\s+(?=[A-Z(\"])|\n\s*\n").search(text, m.end(), end)
    close = stop.start() if stop else end
    if m["word"].lower() == "provided" and not _ON_THE_TEST.search(text, m.end(), close):
        return []
    words = "An exception or proviso follows the level and was not understood."
    return [Found(m.start("word"), close, "review_clause_not_fully_read", None, words)]


_COMMAND = re.compile(
    r"\b(?:shall|will|must|may\s+not|agrees?|undertakes?|covenants?|ensure|procure|cause|required?|permit|allow|suffer|fail|not\s+to|maintain|"
    r"keep|achieve|have|incur|(?:is|are)\s+to\s+be|not\s+at\s+any\s+time|not\s+(?:greater|less|more)\s+than)\b",
    re.IGNORECASE,
)


def no_command(text: str, sentence: int, governed: Governed, lead: str) -> list[Found]:
    """A doubt where nothing in the sentence or above it commands: a figure that "does not exceed" may be a mere statement."""
    if _COMMAND.search(text, sentence, governed.end) or _COMMAND.search(lead):
        return []
    words = "Nothing in the sentence says that the figure has to stay so."
    return [Found(governed.start, governed.end, "review_clause_not_fully_read", None, words)]


_ORDER = re.compile(r"\b(?:shall|will|must|may)\b(?P<no>\s+not\b)?", re.IGNORECASE)
_KEEPS = re.compile(r"\b(?:have|maintain|keep)\b", re.IGNORECASE)
_TURNED = re.compile(r"\b(?:fail|not|never|permit|allow|suffer|shall|will|must)\b", re.IGNORECASE)
_BOUNDS = re.compile(r"\bn(?:ot?)\s+(?:less|more|greater|lower|higher)\b|\bat\s+(?:least|most)\b", re.IGNORECASE)


def forbidden_duty(text: str, sentence: int, governed: Governed, lead: str) -> list[Found]:
    """A doubt where a list of what is forbidden holds a duty ("shall not: ... maintain a ratio of not less than ...")."""
    orders = list(_ORDER.finditer(lead))
    own = text[sentence : governed.start]
    if not orders or not orders[-1]["no"] or not _KEEPS.search(own) or _TURNED.search(own):
        return []
    if governed.governed != "require" and not _BOUNDS.search(text, governed.start, governed.end):
        return []  # "will not: ... maintain a ratio of more than" was turned round with its list
    words = "The words above forbid what the clause says is to be kept: which way the figure is bound is not plain."
    return [Found(governed.start, governed.end, "review_comparator_ambiguous", None, words)]


_OF_WHAT = re.compile(r"\s*(?:of\s+)?(?:the\s+|its\s+)?(?P<lower>(?:[A-Z][\w'-]*\s+){0,6}[A-Z][\w'-]*)")


def with_denominator(text: str, subject: Subject, limit: LimitToken) -> Subject:
    """Debt at most so many times, or per cent. of, something is a ratio of the two."""
    if limit.form not in {"percent", "times"} or subject.upper:
        return subject
    m = _OF_WHAT.match(text, limit.end)
    return replace(subject, upper=subject.name, lower=" ".join(m["lower"].split())) if m else subject


def percent_doubts(text: str, limits: list[LimitToken]) -> list[Found]:
    """Percentages of something that is not earnings: a share of capital or assets is another figure than leverage (4.1)."""
    words = "The level is a percentage of something that is not earnings."
    return [
        Found(t.start, t.end, "review_percent_ratio_ambiguous", t.value, words)
        for t in limits
        if t.form == "percent" and not _OF_EARNINGS.match(text, t.end)
    ]


_MADE_UP = re.compile(
    r"\(\s*(?:excluding|exclusive\s+of|including|inclusive\s+of|net\s+of)\b(?:(?!\b(?:if|when|while|until|unless|after|before|prior|during|except|only|so\s+long)\b)[^()])*\)",
    re.IGNORECASE,
)
"""Within the two terms of a ratio: what a term takes in or leaves out, which belongs to the figure and sets no condition."""


def unread(
    text: str,
    sentence: int,
    sentence_end: int,
    subject: Subject,
    governed: Governed,
    limits: list[LimitToken],
    steps: list[Step],
    trailing: tuple[Comparator, int] | None,
    first: tuple[dt.date, int, int] | None,
    opening: tuple[int, int] | None,
) -> list[Found]:
    """Doubts from words before the first level and, where there is one level, after it."""
    head = min([limits[0].start, *(s.start for s in steps if s.windows)])
    parts = [(sentence, max(head, governed.end))]
    after = limits[0].end if trailing is None else trailing[1]
    if governed.behind:
        behind = trailing_comparator(text, limits[0].end)
        after = behind[1] if behind else after
    if len(limits) == 1:
        parts.append((after, sentence_end))
    taken = [(governed.start, governed.end), *((s.start, s.end) for s in steps)]
    if first is not None:
        taken.append((first[1], first[2]))
    if opening is not None:
        taken.append(opening)
    if not subject.upper:
        taken.append((subject.start, subject.end))
    else:
        taken += [m.span() for m in _MADE_UP.finditer(text, subject.start, subject.end)]
    return unread_words(text, parts, taken, conditions_only=limits[0].unit == "amount")


def glosses(text: str, extra: list[Found], comparator: Comparator | None, rest: tuple[int, int]) -> list[Found]:
    """Leftover limits as doubts, a clarifying sentence only where it compares in another way."""
    doubts = []
    for found in extra:
        if found.what != "gloss":
            doubts.append(found)
            continue
        gloss_start = text.lower().rfind("avoidance", rest[0], found.start)
        gloss = find_governed(text, max(rest[0], gloss_start), found.start, max(rest[0], gloss_start))
        if gloss is None or gloss.comparator is not comparator:
            doubts.append(
                replace(
                    found,
                    what="review_gloss_conflict",
                    sentence="A clarifying sentence compares in another way than the clause itself.",
                )
            )
    return doubts


def loose_dates(
    text: str, sentence: int, predicate: int, first: tuple[dt.date, int, int] | None, opening: tuple[int, int] | None
) -> list[Found]:
    """Dates between subject and predicate that say for when the sentence is meant, and were not understood as a first test."""
    doubts = []
    for token in find_dates(text, sentence, predicate):
        if first is not None and first[1] <= token.start < first[2]:
            continue
        if opening is not None and opening[0] <= token.start < opening[1]:
            continue
        before = text[max(sentence, token.start - 60) : token.start]
        if re.search(r"\b(?:dated|Agreement|Act|as\s+in\s+effect)\b[^.]*$", before):
            continue
        doubts.append(
            Found(
                token.start,
                token.end,
                "review_clause_not_fully_read",
                None,
                "A date stands before the level and its part was not understood.",
            )
        )
    return doubts
