"""A clause that replaces a table of levels, as data."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.levels import read_levels
from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_base import schedule_of
from conformed.language.pattern_instruction import finish, name_figure, target_of
from conformed.language.pattern_words import Ask, PatternReading, Value, dated_rows, level_fields, provisions, sentence_around

__all__ = ["read_table_change"]

_TABLE = re.compile(
    r"\b(?:the\s+)?(?:tables?|grid|chart|schedule\s+of\s+levels)\b(?:\s+(?:in|of|at|set\s+out\s+in|set\s+forth\s+in|appearing\s+in|contained\s+in|under)\s+(?=\S*\s*\S))?",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\b(?:replac|substitut|delet|restat|amend|remov|take)\w*\b|\bto\s+read\b|\bread\b", re.IGNORECASE)
_NEW = re.compile(r"\bthe\s+(?:following|new)\s*$", re.IGNORECASE)


def read_table_change(text: str, ask: Ask) -> PatternReading | None:
    """A table that takes the place of another; None where the clause replaces none."""
    text = dated_rows(text)
    limits = find_limits(text, 0, len(text), "ratio")
    first = limits[0].start if limits else 0
    m = next((t for t in _TABLE.finditer(text, 0, first) if not _NEW.search(text, max(0, t.start() - 20), t.start())), None)
    if (
        m is None
        or _head_is_payload(text, m.start())
        or _CHANGED.search(text, sentence_around(text, m.start())[0], first) is None
    ):
        return None
    limits = [t for t in limits if t.start > m.end()]
    if len(limits) < 2:
        return None
    opened = text.find(":", m.end(), limits[0].start)
    start = opened + 1 if opened > 0 else m.end()
    named = next((n for n in provisions(text, m.end(), start) if n.start - m.end() <= 30), None)
    target = named or target_of(text, m.start())
    rows = _rows(text, start, len(text), limits)
    fields: dict[str, Value] = {
        "op": "replace_table",
        "target": f"{target.number if target else ''} table".strip(),
        "kind": "maintenance",
    }
    spans = {"target": (m.start(), m.end())}
    if target is not None:
        spans["target"] = (min(m.start(), target.start), max(m.end(), target.end))
    unstated: set[str] = set()
    name_figure(text[:start], fields, unstated)
    doubts = set() if rows is not None else {"review_table_ambiguous"}
    if rows is not None:
        fields["schedule"] = [row for row, _ in rows]
        at = next(((row, span) for row, span in rows if isinstance(row, dict) and _holds(row, ask)), None)
        if at is not None:
            token = next(t for t in limits if at[1][0] <= t.start < at[1][1])
            fields |= {k: v for k, v in level_fields(token).items() if k != "level"}
            spans |= {"row": at[1], "level": (token.start, token.end)}
    return finish(text, fields, spans, sentence_around(text, m.start()), unstated=unstated, doubts=doubts)


def _head_is_payload(text: str, at: int) -> bool:
    """Whether a table stands inside new text that an instruction opened before it ("is restated as follows: ... the table below")."""
    opened = re.search(r":\s*\"", text[:at])
    return opened is not None


def _holds(row: dict[str, Value], ask: Ask) -> bool:
    day, first, last = ask.test_date, row.get("from"), row.get("to")
    return day is not None and isinstance(first, dt.date) and first <= day and (not isinstance(last, dt.date) or day <= last)


def _rows(text: str, start: int, end: int, limits: list[LimitToken]) -> list[tuple[Value, tuple[int, int]]] | None:
    """Rows in a sentence or a table; a sentence of rows parted by semicolons is read row by row."""
    piece = text[start:end].rstrip(' .\n"')
    own = find_limits(piece, 0, len(piece), "ratio")
    plain = re.sub(r"\s[-–—]\s", " | ", piece)
    lines = plain.replace(";", "\n") if len(plain) == len(piece) else piece.replace(";", "\n")
    steps, doubts = read_levels(lines, 0, len(lines), own, None, table=True)
    if doubts or not steps or len(own) != len(limits):
        return None
    rows: list[tuple[Value, tuple[int, int]]] = []
    for step in steps:
        (row,) = schedule_of(lines, (step,)) if len(step.windows) == 1 else (None,)
        a, b = min(step.start, step.limit.start), max(step.end, step.limit.end)
        rows.append((row, (start + a, start + b)))
    return rows if all(row is not None for row, _ in rows) else None
