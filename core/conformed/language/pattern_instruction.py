"""What every instruction of a change shares: the provision it works on, its effect, and how far it names the figure."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.dates import find_dates
from conformed.language.pattern_effect import Effect, read_effect, waives_default
from conformed.language.pattern_words import Named, PatternReading, Value, metric_named, provisions
from conformed.language.subjects import find_subject

__all__ = ["ENDING_AFTER", "finish", "label_of", "name_figure", "target_of", "unquoted"]

ENDING_AFTER = re.compile(r"\b(?:ending|ended|expiring|falling|occurring)\s+(?:on\s+or\s+)?after\s+$", re.IGNORECASE)
"""Right before a date: the change is for periods that end after it."""
_LISTED = re.compile(
    r"\b(?:listed|described|specified|set\s+(?:out|forth)|referred\s+to|contained)\s+(?:in|under)\s+$", re.IGNORECASE
)
_PART = re.compile(
    r"\bSection\s+\d[\w.]*(?:\(\w{1,4}\))*\s+of\s+this\s+\w+[^;]{0,200}?\bis\s+effective\b[^.;]*|(?<=[.;]\s)Section\s+\d[\w.]*(?:\(\w{1,4}\))*\s[^;]{0,200}?\bis\s+effective\b[^.;]*"
)
_DATED = re.compile(r"\b(?:dated|Agreement|amended|restated|Letter)\s*,?\s*(?:as\s+of\s+|on\s+)?(?:the\s+)?$", re.IGNORECASE)
_OWN = re.compile(r"\b(?:of\s+)?this\s+(?:Amendment|Letter|Agreement|Deed|Waiver)\b", re.IGNORECASE)


def target_of(text: str, before: int) -> Named | None:
    """The provision that an instruction works on: the nearest one named before it that is not the instrument's own."""
    named = [
        n
        for n in provisions(text)
        if not _LISTED.search(text[max(0, n.start - 24) : n.start])
        and not _OWN.match(text[n.start : n.end].split(n.number)[-1].strip())
        and not n.home.lower().startswith("this")
    ]
    earlier = [n for n in named if n.start < before]
    return earlier[-1] if earlier else named[0] if named else None


def label_of(target: Named | None) -> str:
    """The provision as a reading names it: with the amendment that it is of, or the caption that is quoted beside it."""
    if target is None:
        return ""
    if re.match(r"(?:Amendment|Supplemental|First|Second|Third|Fourth|Fifth)\b", target.home):
        return f"{target.home}, section {target.number}"
    if target.caption and re.search(r"Ratio|Leverage|Cover|Debt", target.caption):
        return f"{target.number} captioned {target.caption}"
    return target.number


def finish(
    text: str,
    fields: dict[str, Value],
    spans: dict[str, tuple[int, int]],
    place: tuple[int, int],
    *,
    unstated: set[str],
    doubts: set[str] | None = None,
) -> PatternReading:
    """Adds what every change may have: its effect, what it reaches back to, a waiver of what it removes, the periods it is for."""
    effect: Effect = read_effect(text, place)
    if effect.at is not None:
        spans["effective"] = effect.at
    if effect.mode == "as_of":
        fields["reach_back_to"] = effect.day
        waived = waives_default(text)
        fields["waives_intervening_default"] = waived is not None
        if waived:
            spans["waiver"] = waived
        if effect.at:
            spans["reach_back"] = effect.at
    if effect.mode == "as_of_on_cp" and effect.back_at:
        spans["dated_back"] = effect.back_at
    if not effect.stated:
        unstated = {*unstated, "effective.mode"}
    for letter, part in zip("abcdefgh", _PART.finditer(text), strict=False):
        spans[f"part_{letter}"] = part.span()
    told = {effect.day, *_days(fields)}
    for token in find_dates(text, *place):
        before = text[max(place[0], token.start - 40) : token.start]
        quoted = text.count('"', place[0], token.start) % 2 == 1
        if not quoted and token.date not in told and not ENDING_AFTER.search(before) and not _DATED.search(before):
            # A date in the operative sentence whose part was not understood may say for how long, or from when.
            doubts = {*(doubts or set()), "review_clause_not_fully_read"}
    for token in find_dates(text):
        if ENDING_AFTER.search(text, max(0, token.start - 40), token.start):
            on_it = "on or" in " ".join(text[max(0, token.start - 14) : token.start].lower().split())
            fields["applies_to_periods_ending_after"] = token.date - dt.timedelta(days=1) if on_it else token.date
    return PatternReading(fields, spans, effect.mode, frozenset(unstated), tuple(sorted(doubts or set())))


def _days(value: Value) -> list[dt.date]:
    """Every day that a reading already gives."""
    if isinstance(value, dt.date):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [day for one in inner for day in _days(one)]


def unquoted(text: str, span: tuple[int, int]) -> str:
    """The words between quotation marks."""
    return " ".join(text[span[0] + 1 : span[1] - 1].split())


def _direction(words: str) -> str | None:
    """What ``maximum ratio`` and ``minimum ratio`` say of the comparison."""
    low, high = re.search(r"\bminimum\b", words, re.IGNORECASE), re.search(r"\bmaximum\b", words, re.IGNORECASE)
    return "le" if high and not low else "ge" if low and not high else None


def name_figure(words: str, fields: dict[str, Value], unstated: set[str]) -> None:
    """Metric and comparison as far as the instruction names them: what only says "the ratio" leaves both to the agreement."""
    subject = find_subject(words, 0, len(words))
    metric = metric_named(subject) if subject is not None and subject.name != "Ratio" else None
    fields["metric"], fields["comparator"] = metric, _direction(words)
    unstated |= {k for k in ("metric", "comparator") if fields[k] is None}
