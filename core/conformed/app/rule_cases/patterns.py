"""Reads a pattern's clause and compares reading, mode and spans with what the case says.

The clause is read twice: as data by the pattern reader, and by the product's own extractor from a document that holds
nothing else. Where the extractor reads a change or a statement otherwise, the case says so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from conformed.app.rule_cases.comparing import Plain, compare_fields, compare_one, plain
from conformed.app.rule_cases.outcome import CaseResult, FieldResult, verdict_of
from conformed.app.rule_cases.shapes import PatternCase
from conformed.language.pattern_reading import Ask, PatternReading, read_pattern
from conformed.language.pattern_words import EFFECTIVE
from conformed.language.traced import live_view
from conformed.model.document import Document, Media, Page

__all__ = ["SecondReader", "document_of", "run_pattern"]

SecondReader = Callable[[Document, PatternReading], str]
"""Reads the same document by the extractor; says in a sentence how it differs, or nothing."""

_NAME = "clause.txt"


def document_of(case: PatternCase) -> Document:
    """A document that holds the clause and nothing else."""
    text = case.clause.rstrip("\n")
    page = Page(number=1, start=0, end=len(text))
    return Document(name=_NAME, sha256="0" * 64, media=Media.TEXT, reader="rule case 1", text=text, pages=(page,), paged=False)


def run_pattern(case: PatternCase, second: SecondReader) -> CaseResult:
    """One pattern.

    Args:
        case: the pattern.
        second: the extractor's reading of the same words.
    """
    document = document_of(case)
    view = live_view(document)
    attested = case.effective.date if case.effective else None
    day = None if attested is None else dt.date.fromisoformat(attested)
    reading = read_pattern(view.text, Ask(test_date=case.test_date, effective=day))
    if reading is None:
        fields = [f for key, value in case.reading.items() for f in compare_fields(key, plain(value), None, ())]
        return CaseResult(
            id=case.id,
            title=case.title,
            verdict=verdict_of(fields),
            fields=tuple(fields),
            doubts=("review_clause_not_fully_read",),
            note="The clause fits no pattern that is known.",
        )
    got = plain(_dated(reading.fields, attested))
    assert isinstance(got, dict)
    fields = []
    for key, value in case.reading.items():
        expected = plain(value)
        if key == "target":
            same = _same_target(expected, got.get(key), view.text)
            fields.append(compare_one(key, expected, got.get(key), equal=same))
        else:
            fields += compare_fields(key, expected, got.get(key), reading.unstated)
    if case.effective is not None:
        silent = "effective.mode" in reading.unstated
        fields.append(compare_one("effective.mode", case.effective.mode, reading.mode, unstated=silent))
        if attested is not None and reading.day is not None:
            # Where the words themselves give the day, it is read, and what is attested elsewhere is compared with it.
            fields.append(compare_one("effective.date", attested, plain(reading.day)))
    fields += _spans(case, reading, view.text)
    return CaseResult(
        id=case.id,
        title=case.title,
        verdict=verdict_of(fields),
        fields=tuple(fields),
        doubts=_doubts(reading),
        note=second(document, reading),
    )


def _doubts(reading: PatternReading) -> tuple[str, ...]:
    return tuple(d for d in reading.doubts if d.startswith("review"))


def _dated(value: object, attested: str | None) -> object:
    """The attested day in the place of a day that the clause names without giving it."""
    if value == EFFECTIVE:
        return attested
    if isinstance(value, dict):
        return {k: _dated(v, attested) for k, v in value.items()}
    return [_dated(v, attested) for v in value] if isinstance(value, list) else value


_SMALL = frozenset({"a", "an", "and", "for", "in", "of", "the", "to"})


def _tokens(text: str) -> list[str]:
    return sorted(w for w in re.findall(r"[a-z]+|\d+(?:\.\d+)*|\([a-z0-9]{1,4}\)", text.lower()) if w not in _SMALL)


def _same_target(expected: Plain, got: Plain, clause: str) -> bool | None:
    """Whether two targets are the same. A label that a person gave, whose words are not the clause's, names no provision."""
    if not isinstance(expected, str) or not isinstance(got, str):
        return None
    if _tokens(expected) == _tokens(got):
        return True
    if re.search(r"\d", expected):
        return False
    words, said = set(re.findall(r"[a-z]+", expected.lower())), set(re.findall(r"[a-z]+", clause.lower()))
    if words <= said:
        return words <= set(re.findall(r"[a-z]+", got.lower()))
    return re.search(r"\d", got) is None


def _spans(case: PatternCase, reading: PatternReading, text: str) -> list[FieldResult]:
    """Whether the product cites each place: under the same name, or under another."""
    fields = []
    for role, quote in case.spans.items():
        place = _find(text, quote)
        expected = " ".join(quote.split())
        named = reading.spans.get(role)
        others = [] if named else [span for span in reading.spans.values() if place and _close(place, span)]
        span = named or (min(others, key=lambda s: s[1] - s[0]) if others else None)
        got = " ".join(text[span[0] : span[1]].split()) if span else None
        equal = place is not None and span is not None and _close(place, span)
        fields.append(compare_one(f"spans.{role}", expected, got, equal=equal))
    return fields


def _find(text: str, quote: str) -> tuple[int, int] | None:
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    m = re.search(pattern, text) or re.search(pattern.translate(_STRAIGHT), text)
    return m.span() if m else None


_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


def _close(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two places are the same words, give or take an article: one holds the other and is not much longer."""
    a, b = sorted((one, other), key=lambda s: s[1] - s[0])
    inside = b[0] - 1 <= a[0] and a[1] <= b[1] + 1
    shared = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return (inside and 2 * (a[1] - a[0]) + 24 >= b[1] - b[0]) or 4 * shared >= 3 * (b[1] - b[0])
