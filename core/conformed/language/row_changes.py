"""One row of a table of levels that an instruction changes: which row, and the level that it has then."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conformed.language.dates import find_dates
from conformed.language.levels import read_levels
from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_level import level_tokens
from conformed.language.pattern_words import sentence_around
from conformed.language.swapping import find_pairs
from conformed.model.dates import Window

__all__ = ["RowChange", "find_row_change", "row_place"]

_Q = r"\"(?P<{name}>[^\"]{{1,300}})\""
_ROW = re.compile(r"\b(?:rows?|lines?|entry|entries|figure|ratio|level|column)\b", re.IGNORECASE)
_TABLE = re.compile(r"\b(?:tables?|grid|chart|schedule)\b", re.IGNORECASE)
_LABELLED = re.compile(
    rf"\b(?:row|line|entry)\b[^\"]{{0,80}}?{_Q.format(name='label')}[^\"]{{0,80}}?{_Q.format(name='new')}", re.IGNORECASE
)
_DONE = re.compile(r"\b(?:restated|amended|replaced|deleted|changed|read|substituted)\b", re.IGNORECASE)
_OPPOSITE = re.compile(
    r"\b(?:opposite|against|alongside|beside|adjacent\s+to|corresponding\s+to|relating\s+to|in\s+respect\s+of|for|set\s+against)\s+(?:the\s+)?"
    r"(?:(?:Relevant|Test|Measurement|Calculation)\s+(?:Periods?|Dates?)|(?:fiscal|financial)\s+quarters?|quarters?|periods?|dates?|Quarter\s+Dates?|entry|row|of|that|which|\"|\s)*(?:ending|ended|expiring|falling|on|for|\s)*\"?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is changed; offsets are of the text.

    Attributes:
        label: name of the row: the end of its period, as written.
        named_to: one past the last offset of the words that name it.
        words: the row as it reads then, label and level.
        at: where the new row, or its level, stands.
        limit: the level.
        windows: the days that the row is for; empty where its label cannot be read.
        moved: whether the new row has another date than the one that it replaces.
    """

    label: str
    named_to: int
    words: str
    at: tuple[int, int]
    limit: LimitToken
    windows: tuple[Window, ...]
    moved: bool = False


_Found = tuple[str, int, str, tuple[int, int]]


def find_row_change(text: str, start: int = 0, end: int | None = None) -> RowChange | None:
    """The one row that the words change; None where they change no row, or several.

    Args:
        text: the words.
        start: where to look from.
        end: where to stop looking; None for the end of the text.
    """
    piece = text[start:end]
    if _ROW.search(piece) is None or _TABLE.search(piece) is None:
        return None
    row = _labelled(piece) or _swapped(piece) or _set(piece)
    if row is None:
        return None
    label, named_to, words, (a, b) = row
    limits = find_limits(piece, a, b, "ratio")
    if len(limits) != 1 or len(find_limits(words, 0, len(words), "ratio")) != 1:
        return None
    other, own = find_dates(label), find_dates(words)
    # A new row under another date than that of the row it replaces moves the test, which no reader should settle.
    moved = bool(other and own and other[0].date != own[0].date)
    limit = replace(limits[0], start=limits[0].start + start, end=limits[0].end + start)
    return RowChange(label, named_to + start, words, (a + start, b + start), limit, _windows(words), moved)


def row_place(text: str, at: int) -> int | None:
    """Where the words "the row" stand in the sentence of an offset."""
    sentence = sentence_around(text, at)
    m = _ROW.search(text, *sentence)
    return m.start() if m else None


def _windows(row: str) -> tuple[Window, ...]:
    """The days that a row's own words name."""
    line = re.sub(r"\s*[-–—:,]\s+(?=\d{1,2}[.:])", " | ", row)
    own = find_limits(line, 0, len(line), "ratio")
    steps, doubts = read_levels(line, 0, len(line), own, None, table=True)
    return steps[0].windows if not doubts and len(steps) == 1 and len(steps[0].windows) == 1 else ()


def _labelled(text: str) -> _Found | None:
    """The row for "March 31, 2025" is restated to read "March 31, 2025 - 4.60 to 1.00"."""
    m = _LABELLED.search(text)
    if (
        m is None
        or _DONE.search(text[m.end("label") : m.start("new")]) is None
        or find_limits(m["label"], 0, len(m["label"]), "ratio")
    ):
        return None
    new = " ".join(m["new"].split())
    label = " ".join(m["label"].split())
    if not find_dates(new):
        new = f"{label} | {new}"
    return (label, m.end("label") + 1, new, (m.start("new"), m.end("new")))


def _swapped(text: str) -> _Found | None:
    """One row, or the ratio of one row, swapped for another."""
    pairs = [p for p in find_pairs(text) if find_limits(text, *p.new, "ratio")]
    if len(pairs) != 1:
        return None
    pair = pairs[0]
    old, new = text[slice(*pair.old)], " ".join(text[slice(*pair.new)].split())
    dates = find_dates(old)
    if dates and find_limits(old, 0, len(old), "ratio"):
        return (old[dates[0].start : dates[0].end], pair.old_at[1], new, pair.new) if find_dates(new) else None
    opposite = _opposite(text, sentence_around(text, pair.old_at[0]))
    if opposite is None or find_dates(new):
        return None
    return (opposite[0], opposite[1], f"{opposite[0]} | {new}", pair.new)


def _set(text: str) -> _Found | None:
    """The ratio against a period that "shall be 5.35:1"."""
    tokens = level_tokens(text)
    if len(tokens) != 1:
        return None
    opposite = _opposite(text, sentence_around(text, tokens[0].start))
    if (
        opposite is None
        or opposite[1] > tokens[0].start
        or _ROW.search(text, sentence_around(text, tokens[0].start)[0], opposite[1]) is None
    ):
        return None
    return (opposite[0], opposite[1], f"{opposite[0]} | {tokens[0].raw}", (tokens[0].start, tokens[0].end))


def _opposite(text: str, sentence: tuple[int, int]) -> tuple[str, int] | None:
    """The one date against which the row stands."""
    found = [
        (" ".join(text[t.start : t.end].split()), t.end)
        for t in find_dates(text, *sentence)
        if _OPPOSITE.search(text[max(sentence[0], t.start - 90) : t.start])
    ]
    return found[0] if len(found) == 1 and len(find_dates(text, *sentence)) == 1 else None
