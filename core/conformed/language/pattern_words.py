"""Small words that every reader of a clause as data needs: provisions named, figures compared, counts, quarters.

A clause as data is everything that a clause says, by the names of the rule book's patterns. What its words do not say is
named as unstated; nothing has a default.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from fractions import Fraction

from conformed.language.comparators import find_governed
from conformed.language.limits import LimitToken, find_limits
from conformed.language.ratios import number_words
from conformed.language.subjects import Subject, find_subject, metric_of
from conformed.model.dates import month_end

__all__ = [
    "EFFECTIVE",
    "Ask",
    "Named",
    "PatternReading",
    "Tested",
    "Value",
    "compared",
    "count_of",
    "dated_rows",
    "level_fields",
    "masked",
    "metric_named",
    "provisions",
    "quarter_ends",
    "sentence_around",
    "whole_phrase",
]

Value = str | int | bool | Fraction | dt.date | None | list["Value"] | dict[str, "Value"]
"""What a field of a reading may hold."""

EFFECTIVE = "effective_date"
"""Stands for a day that the clause names without giving it (the Closing Date, an Effective Date)."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a reader is told besides the clause.

    Attributes:
        test_date: the day on which the covenant is tested; by definition the end of a period.
        effective: the day, attested elsewhere, on which the clause came into effect or its event happened.
    """

    test_date: dt.date | None = None
    effective: dt.date | None = None


@dataclass(frozen=True, slots=True)
class PatternReading:
    """A clause as data; offsets are of the text that was read.

    Attributes:
        fields: what the clause says, by the rule book's names.
        spans: where each part stands, first offset and one past the last.
        mode: how the effective date is found (rule book 3.2), ``none`` where the clause has no effect.
        unstated: fields that were looked for and that the words do not give.
        doubts: review codes of what the words leave open.
        day: the effective date, where the words themselves give it (``fixed_date``, ``as_of``).
    """

    fields: dict[str, Value]
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    mode: str = ""
    unstated: frozenset[str] = frozenset()
    doubts: tuple[str, ...] = ()
    day: dt.date | None = None


_NUM = r"\d{1,2}(?:\.\d{1,3})*[A-Z]?(?:\s*\((?:[A-Za-z]{1,4}|\d{1,2})\))*"
_PROVISION = re.compile(
    rf"(?:\b(?:[Ss]ub-?)?(?:[Pp]aragraph|[Cc]lause|[Ss]ection|[Ll]imb)\s+(?P<part>\([a-z0-9]{{1,4}}\))\s+of\s+)?"
    rf"(?:\b(?:[Ss]ub-?)?(?:[Ss]ection|SECTION|[Cc]lause|CLAUSE|[Pp]aragraph|[Aa]rticle)s?|§)\s*(?P<number>{_NUM})"
    r"(?:\s*[(\[](?P<caption>[A-Z][^()\[\]\"\d]{2,80})[)\]]|,?\s*(?:entitled|captioned|headed)\s*\"(?P<titled>[A-Z][^\"]{2,90})\")?(?P<of>\s+(?:of|to|in)\s+(?:the\s+)?(?P<home>[A-Z][\w&]*(?:\s+(?:No\.?\s*\d+|[A-Z][\w&]*)){0,5}|[Tt]his\s+[A-Z]\w+))?",
)


_BEHIND = re.compile(r"\s*\((?P<caption>[A-Z][^()\"\d]{2,80})\)")


@dataclass(frozen=True, slots=True)
class Named:
    """A provision that a text names.

    Attributes:
        start: first offset.
        end: one past the last.
        number: in normal form, ``7.11(a)``.
        caption: the caption quoted beside it, if any.
        home: the instrument that it is of, as written; empty where none is named.
    """

    start: int
    end: int
    number: str
    caption: str = ""
    home: str = ""


def provisions(text: str, start: int = 0, end: int | None = None) -> list[Named]:
    """Every provision that a text names, in order; what it says of its own sections is left in, with ``this`` as home."""
    found = []
    for m in _PROVISION.finditer(text, start, len(text) if end is None else end):
        home = m["home"] if m["home"] and (m["home"][0].isupper() or m["home"].lower().startswith("this")) else ""
        stop = m.end() if home else m.start("of") if m["of"] else m.end()
        number = re.sub(r"\s+", "", m["number"]) + (m["part"] or "")
        caption = m["caption"] or m["titled"] or ""
        behind = _BEHIND.match(text, stop) if home and not caption else None
        if behind is not None:
            caption, stop = behind["caption"], behind.end()
        found.append(Named(m.start(), stop, number, " ".join(caption.split()), " ".join(home.split())))
    return found


def masked(text: str) -> str:
    """The text with the numbers of provisions blotted out, so that ``Section 7.11 to 5.00 to 1.00`` holds one ratio."""
    for named in provisions(text):
        number = re.compile(r"\d[\d.]*").search(text, named.start, named.end)
        if number:
            text = text[: number.start()] + "#" * (number.end() - number.start()) + text[number.end() :]
    return dated_rows(text)


def dated_rows(text: str) -> str:
    """The text with a colon after a year turned into a bar, so that ``2026: 4.75 to 1.00`` holds one ratio."""
    return re.sub(r"(?<=\b(?:19|20)\d\d):(?=\s)", "|", text)


_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"\]'])(?<!\bNo)(?<!\bcent)(?<!\bInc)[.;](?=\s|$)|\n\s*\n")


def sentence_around(text: str, at: int) -> tuple[int, int]:
    """The sentence in which an offset stands, without the white space around it."""
    start = max([0, *(m.end() for m in _SENTENCE_END.finditer(text, 0, at))])
    stop = _SENTENCE_END.search(text, at)
    end = stop.start() if stop else len(text)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True)
class Tested:
    """A figure, how it is compared, and with what."""

    subject: Subject | None
    comparator: str
    at: tuple[int, int]
    limit: LimitToken


def compared(text: str, start: int, end: int) -> Tested | None:
    """The first comparison of a figure with a ratio between two offsets, whether it is a promise or a condition.

    The comparator is what the words allow ("does not exceed 4.60" allows up to 4.60).
    """
    at = start
    while at < end:
        governed = find_governed(text, at, end, start)
        if governed is None:
            return None
        near = list(find_limits(text, governed.end, min(end, governed.end + 60), "ratio"))[:1]
        if near:
            subject = find_subject(text, start, governed.start)
            return Tested(subject, governed.comparator.value, (governed.start, governed.end), near[0])
        at = governed.end
    return None


def metric_named(subject: Subject | None) -> str | None:
    """The normal name of a figure. The bare term ``Leverage`` of the British forms is net debt over earnings."""
    if subject is None:
        return None
    if subject.name == "Leverage" and not subject.upper:
        return "net_leverage"
    return metric_of(subject.name, subject.upper, subject.lower)


def level_fields(token: LimitToken) -> dict[str, Value]:
    """Level, as written, and its decimals. A multiple has the decimals of its figure."""
    raw = token.raw
    if token.problem == "review_words_figures_conflict":
        raw = raw[: raw.find(")") + 1] or raw
    return {"level": token.value, "level_as_written": raw, "places": token.places}


_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_TIMES = {"once": 1, "twice": 2, "thrice": 3}


def count_of(word: str) -> int | None:
    """A small whole number in figures or words; None where it is none."""
    word = word.strip().lower()
    if word.isdigit():
        return int(word)
    if word in _TIMES:
        return _TIMES[word]
    tens, _, unit = word.replace("-", " ").partition(" ")
    if tens in _TENS:
        rest = count_of(unit) if unit else 0
        return None if rest is None or rest > 9 else _TENS[tens] + rest
    value = number_words(word)
    return int(value) if value is not None and value.denominator == 1 else None


def quarter_ends(day: dt.date, count: int, test: dt.date) -> list[dt.date]:
    """Ends of quarters from the one in which a day falls.

    Args:
        day: a day inside the first quarter.
        count: how many.
        test: an end of a quarter, which fixes where the others lie.
    """
    whole = test == month_end(test.year, test.month)
    index = day.year * 12 + day.month - 1
    while (index - (test.year * 12 + test.month - 1)) % 3:
        index += 1
    if not whole and index == day.year * 12 + day.month - 1 and day.day > test.day:
        index += 3
    found = []
    for step in range(count):
        year, month = divmod(index + 3 * step, 12)
        last = month_end(year, month + 1)
        found.append(last if whole else last.replace(day=min(test.day, last.day)))
    return found


_BEFORE = re.compile(r"(?:\b(?:shall|will|must|may|would|does|is|to|be)\s+(?:not\s+)?(?:be\s+)?)+$", re.IGNORECASE)


def whole_phrase(text: str, start: int, end: int) -> tuple[int, int]:
    """A comparison with the verbs and the "not" that stand right before it (``exceed`` in ``shall not exceed``)."""
    before = _BEFORE.search(text[max(0, start - 30) : start])
    return (start - len(before[0]) if before else start), end
