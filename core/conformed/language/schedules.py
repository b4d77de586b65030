"""Schedules: several levels, each with the words that say when it counts, in a sentence or in a table.

A table is read in four ways (a row a line; a row a block; label then level; level then label). A way counts only if it
understood every label whole; two ways that disagree make a doubt.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from conformed.language.dates import MONTH, find_dates
from conformed.language.limits import LimitToken
from conformed.language.window_words import FOOTNOTE
from conformed.language.windows import Phrase, chain, only_filler, read_phrase
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Step", "read_sentence_steps", "read_table"]


@dataclass(frozen=True, slots=True)
class Step:
    """One level with its windows and the stretch of text that says when."""

    limit: LimitToken
    windows: tuple[Window, ...]
    start: int
    end: int
    near: bool = False
    period: bool = False
    needs_calendar: bool = False


def _steps(limits: list[LimitToken], labels: list[tuple[int, int]], phrases: list[Phrase]) -> list[Step]:
    chained = chain(phrases)
    return [
        Step(limit, p.windows, a, b, p.near, p.period, p.needs_calendar)
        for limit, (a, b), p in zip(limits, labels, chained, strict=True)
    ]


def read_sentence_steps(
    text: str,
    start: int,
    end: int,
    limits: list[LimitToken],
    calendar: FiscalCalendar | None,
    opening: tuple[int, int] | None = None,
) -> list[Step] | None:
    """Levels enumerated in a sentence: all labels after their level, or all before it.

    Args:
        text: the text.
        start: where the enumeration starts (after the predicate).
        end: where it ends.
        limits: its limits, in order.
        calendar: fiscal calendar, for fiscal labels.
        opening: the label of the first level where it opens the sentence.

    Returns:
        Steps, or None where some label was not understood.
    """
    gaps = [opening or (start, limits[0].start)]
    gaps += [(a.end, b.start) for a, b in itertools.pairwise(limits)]
    gaps.append((limits[-1].end, end))
    after = _read_labels(text, gaps[1:], calendar)
    before = _read_labels(text, gaps[:-1], calendar)
    first_clean = read_phrase(_trim(text[gaps[0][0] : gaps[0][1]]), calendar) is None
    if after is not None and (before is None or first_clean):
        return _steps(limits, gaps[1:], after)
    if before is not None and after is None:
        return _steps(limits, gaps[:-1], before)
    return None


def _trim(piece: str) -> str:
    piece = re.sub(r"^[\s,;:.]*", "", piece)
    piece = (
        re.sub(r"[\s,;:.]*(?:\band\b|\bor\b)?[\s,;:]*\(?(?:[ivx]{1,4}|[A-Za-z]|\d)?\)?[\s,;:]*$", "", piece)
        if re.search(r"\((?:[ivx]{1,4}|[A-Za-z]|\d)\)[\s,;:]*$", piece)
        else re.sub(r"[\s,;:]*(?:\band\b|\bor\b)[\s,;:]*$", "", piece)
    )
    return re.sub(r"^(?:(?:and|or)\s+(?=\())?\((?:[ivx]{1,4}|[a-z]|\d)\)\s*", "", piece)


def _read_labels(text: str, gaps: list[tuple[int, int]], calendar: FiscalCalendar | None) -> list[Phrase] | None:
    phrases = []
    for a, b in gaps:
        phrase = read_phrase(_trim(text[a:b]), calendar)
        if phrase is None:
            return None
        phrases.append(phrase)
    return phrases


_YEAR_HEAD = re.compile(r"\W*(?:(?:fiscal|financial|calendar)\s+)?(?:year\s+)?(?P<year>(?:19|20)\d\d)\W*", re.IGNORECASE)
_SENTENCE_VERB = re.compile(r"\b(?:shall|will|must|may|means|is|are)\b")
_SETS_A_CONDITION = re.compile(
    r"\b(?:if|unless|until|except|only|provided|temporar\w+|provisional\w*|approximate\w*|estimated|deleted|reserved|not|void)\b",
    re.IGNORECASE,
)
_NO_YEAR = re.compile(rf"\b({MONTH}\s+\d{{1,2}}|\d{{1,2}}\s+{MONTH})\b(?!\s*,?\s*\d)", re.IGNORECASE)


def read_table(
    text: str, start: int, end: int, limits: list[LimitToken], calendar: FiscalCalendar | None
) -> tuple[list[Step] | None, bool]:
    """Reads a table of labels and levels.

    Returns:
        Steps and False; or None and True where two ways of reading disagree; or None and False where none understood it.
    """
    ways: list[Callable[[], list[Step] | None]] = [
        lambda: _by_lines(text, start, end, limits, calendar),
        lambda: _by_blocks(text, start, end, limits, calendar),
        lambda: _by_stream(text, start, end, limits, calendar, label_first=True),
        lambda: _by_stream(text, start, end, limits, calendar, label_first=False),
    ]
    if len(limits) == 1:
        ways = ways[:1]  # with one level there is nothing to tell a label before it from a label after it
    results = [steps for steps in (way() for way in ways) if steps]
    if not results:
        return None, False
    first = results[0]
    if _left_over(text, max(max(s.end, s.limit.end) for s in first), end, calendar):
        return None, False
    same = all([(s.limit.start, s.windows) for s in r] == [(s.limit.start, s.windows) for s in first] for r in results[1:])
    return (first, False) if same else (None, True)


def _left_over(text: str, at: int, end: int, calendar: FiscalCalendar | None) -> bool:
    """Whether the next line after the last row is a label that no level stands beside."""
    bounds = _line_bounds(text, at, end)
    for a, b in bounds:
        line = text[a:b].strip(" \t|\"'.;")
        if line:
            if len(line) >= 120 or _SENTENCE_VERB.search(line):
                return False
            return read_phrase(line, calendar) is not None or bool(find_dates(line)) or bool(re.search(r"\d\.\d\d?\b", line))
    return False


def _rest_of_row(text: str, limits: list[LimitToken], end: int) -> str:
    """What stands behind the last level in its line."""
    at = limits[-1].end
    stop = text.find("\n", at, end)
    return text[at : stop if stop >= 0 else end]


def _line_bounds(text: str, start: int, end: int) -> list[tuple[int, int]]:
    bounds, at = [], start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        bounds.append((at, stop))
        at = stop + 1
    return bounds


def _by_lines(text: str, start: int, end: int, limits: list[LimitToken], calendar: FiscalCalendar | None) -> list[Step] | None:
    """Every level stands on a line with its whole label; lines without a level may be headings (fiscal years, captions)."""
    labels, phrases, context, used = [], [], "", 0
    for a, b in _line_bounds(text, start, end):
        inside = [t for t in limits if a <= t.start < b]
        if not inside:
            if used < len(limits) and used and (_SETS_A_CONDITION.search(text, a, b) or FOOTNOTE.search(text, a, b)):
                return None
            if re.search(r"\bfiscal\s+year\b|\bFY\b", text[a:b], re.IGNORECASE):
                context = text[a:b]
            elif year := _YEAR_HEAD.fullmatch(text, a, b):
                context = year["year"]
            elif (
                used < len(limits)
                and used
                and re.search(r"\d", text[a:b])
                and not re.fullmatch(r"\s*-?\s*\d{1,3}\s*-?\s*", text[a:b])
            ):
                return None  # a line between rows with a number that was not understood
            continue
        if len(inside) > 1 or inside[0].end > b:
            return None
        token = inside[0]
        label = text[a : token.start] + " | " + text[token.end : b]
        if context.isdigit():
            label = _NO_YEAR.sub(rf"\1, {context}", label)
        phrase = read_phrase(label.strip(" \"'.;"), calendar, "" if context.isdigit() else context)
        if phrase is None:
            return None
        labels.append((a, b))
        phrases.append(phrase)
        used += 1
    return _steps(limits, labels, phrases) if used == len(limits) else None


def _by_blocks(text: str, start: int, end: int, limits: list[LimitToken], calendar: FiscalCalendar | None) -> list[Step] | None:
    """Blocks between blank lines, each with one level; the rest of the block is its label, even over two lines."""
    labels, phrases = [], []
    for m in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", text[start:end]):
        a, b = start + m.start(), start + m.end()
        inside = [t for t in limits if a <= t.start < b]
        if not inside:
            continue
        if len(inside) > 1:
            return None
        token = inside[0]
        label = text[a : token.start] + " " + text[token.end : b]
        phrase = read_phrase(label.strip(" \"'.;\n"), calendar)
        if phrase is None:
            return None
        labels.append((a, b))
        phrases.append(phrase)
    return _steps(limits, labels, phrases) if len(labels) == len(limits) else None


def _tail(text: str, a: int, b: int, calendar: FiscalCalendar | None) -> tuple[int, Phrase] | None:
    """The last lines of a stretch that are a label: what stands before is a caption or a column head."""
    best: tuple[int, Phrase] | None = None
    lines = _line_bounds(text, a, b)
    for x, _ in reversed(lines[-6:]):
        phrase = read_phrase(text[x:b].strip(" \"'.;\n"), calendar)
        if phrase is not None:
            best = (x, phrase)
        elif best is not None:
            break
    return best


def _lead(text: str, a: int, b: int, calendar: FiscalCalendar | None) -> tuple[int, Phrase] | None:
    """The first lines of a stretch that are a label; what follows is other text."""
    best: tuple[int, Phrase] | None = None
    for _, y in _line_bounds(text, a, b)[:9]:
        piece = text[a:y].strip(" \"'.;\n")
        phrase = read_phrase(piece, calendar) if piece else None
        if phrase is not None:
            best = (y, phrase)
        elif best is not None:
            break
    return best


def _by_stream(
    text: str, start: int, end: int, limits: list[LimitToken], calendar: FiscalCalendar | None, *, label_first: bool
) -> list[Step] | None:
    """Labels and levels in reading order, one after the other."""
    edges = [start, *(t.end for t in limits), end]
    starts = [*(t.start for t in limits), end]
    gaps = [(edges[i], starts[i]) for i in range(len(limits) + 1)]
    wanted = gaps[:-1] if label_first else gaps[1:]
    labels, phrases = [], []
    for position, (a, b) in enumerate(wanted):
        edge = position == 0 if label_first else position == len(wanted) - 1
        if edge:
            found = _tail(text, a, b, calendar) if label_first else _lead(text, a, b, calendar)
            if found is None:
                return None
            bounds, phrase = ((found[0], b) if label_first else (a, found[0])), found[1]
        else:
            read = read_phrase(text[a:b].strip(" \"'.;\n"), calendar)
            if read is None:
                return None
            bounds, phrase = (a, b), read
        labels.append(bounds)
        phrases.append(phrase)
    if label_first and not only_filler(_rest_of_row(text, limits, end)):
        return None
    outer = gaps[-1] if label_first else gaps[0]
    piece = text[outer[0] : outer[1]]
    if label_first is False and _tail(text, outer[0], outer[1], calendar) is not None and re.search(r"\d{4}", piece):
        return None  # a date before the first level belongs to it: this is not a table with the level first
    return _steps(limits, labels, phrases)
