"""A clause that puts words in the place of words, for good or for some periods, by one instrument or by several, as data."""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.pattern_instruction import (
    ENDING_AFTER,
    clash,
    finish,
    instruments,
    label_of,
    name_figure,
    target_of,
)
from conformed.language.pattern_words import PatternReading, Value, level_fields, sentence_around
from conformed.language.swapping import Pair, find_pairs

__all__ = ["read_swap"]

_SOLELY = re.compile(
    r"\bfor\s+(?:each\s+of\s+)?the\s+(?:[A-Z]\w+\s+|\w+\s+){0,3}(?:dates?|quarters?|periods?|Dates?|Periods?)\b[^.;\"]{0,160}?\bonly\b|\b(?:solely|only)\s+(?:for|in\s+respect\s+of|with\s+respect\s+to)\b|\bfor\s+(?:each\s+of\s+)?the\s+(?:fiscal|financial)\s+quarters?\s+ending\b",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"\b(?:as\s+if\s+this|reverts?\s+to|(?:ceases?|shall\s+cease)\s+to\s+(?:apply|have\s+effect)|returns?\s+to)\b", re.IGNORECASE
)


def read_swap(text: str) -> PatternReading | None:
    """The words that go and the words that come; None where the clause swaps none."""
    pairs = find_pairs(text)
    if not pairs:
        return None
    with_ratio = [p for p in pairs if find_limits(text, *p.new, "ratio")]
    pair = with_ratio[0] if with_ratio else pairs[0]
    find, new = _words(text, pair.old), _words(text, pair.new)
    at = min(pair.old_at[0], pair.new_at[0])
    target = target_of(text, at)
    spans = {"find": pair.old_at, "replace": pair.new_at}
    if target is not None:
        spans["target"] = (target.start, target.end)
    sentence = sentence_around(text, at)
    levels = find_limits(new, 0, len(new), "ratio")
    temporary = _for_a_time(text, pair, sentence)
    if temporary is not None and levels:
        first, last, days = temporary
        spans |= {"windows": (first, last), "temporary": spans["replace"], "underlying": spans["find"]}
        fields: dict[str, Value] = {
            "op": "substitute_level_temporary",
            "target": label_of(target),
            "windows": days,
            **level_fields(levels[0]),
            "find": find,
            "replace": new,
        }
        # Whatever it was written against, the permanent text as since amended comes back (rule PR-41).
        fields["on_end"] = "permanent_text_as_amended"
        ends = _AGREED.search(text)
        if ends:
            spans["on_end"] = ends.span()
        return finish(text, fields, spans, sentence, unstated=set())
    fields = {"op": "substitute_text", "target": label_of(target), "find": find, "replace": new, "occurrences_required": 1}
    unstated: set[str] = set()
    doubts: set[str] = set()
    named = instruments(text, [min(p.old_at[0], p.new_at[0]) for p in with_ratio])
    if named and len({_words(text, p.old) for p in with_ratio}) == 1:
        del fields["replace"], fields["occurrences_required"]
        parts: list[Value] = []
        for name, p in zip(named, with_ratio, strict=True):
            parts.append({"instrument": name, "level": find_limits(text, *p.new, "ratio")[0].value})
            spans[name] = (min(p.old_at[0], p.new_at[0]), max(p.old_at[1], p.new_at[1]))
        fields["parts"] = parts
        doubts.add(clash(text, [p.new_at[0] for p in with_ratio]))
    elif len(pairs) > 1:
        doubts.add("review_clause_not_fully_read")
    elif len(levels) == 1:
        inner: dict[str, Value] = {**level_fields(levels[0])}
        name_figure(_says(text, sentence, pair, target.caption if target else ""), inner, unstated)
        fields["result"] = inner
        unstated = {f"result.{name}" for name in unstated}
    return finish(text, fields, spans, sentence, unstated=unstated, doubts=doubts)


def _words(text: str, at: tuple[int, int]) -> str:
    return " ".join(text[at[0] : at[1]].split())


def _says(text: str, sentence: tuple[int, int], pair: Pair, caption: str) -> str:
    """What names the figure: the caption beside the number, or the words of the instruction before the pieces."""
    return caption or re.sub(r"\"[^\"]*\"", " ", text[sentence[0] : min(pair.old_at[0], pair.new_at[0])])


def _for_a_time(text: str, pair: Pair, sentence: tuple[int, int]) -> tuple[int, int, list[Value]] | None:
    """Where the periods of a change for a time stand, and which days they name."""
    solely = _SOLELY.search(text, sentence[0], sentence[1])
    at = min(pair.old_at[0], pair.new_at[0])
    if solely is None or ENDING_AFTER.search(text, solely.start(), at) is not None:
        return None
    after = max(pair.old_at[1], pair.new_at[1])
    days: list[Value] = [t.date for t in find_dates(text, solely.start(), at)] or [
        t.date for t in find_dates(text, after, sentence[1])
    ]
    return (solely.start(), find_dates(text, solely.start(), sentence[1])[-1].end, days) if days else None
