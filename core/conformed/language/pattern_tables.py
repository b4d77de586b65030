"""A clause that replaces a table of levels, or one row of it, as data."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.levels import read_levels
from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_base import schedule_of
from conformed.language.pattern_instruction import finish, name_figure, unquoted
from conformed.language.pattern_words import Ask, PatternReading, Value, dated_rows, level_fields, provisions, sentence_around

__all__ = ["read_row_change", "read_table_change"]

_Q = r"\"[^\"]{1,300}\""
_TABLE = re.compile(
    r"\b(?:the\s+)?(?:table|grid|chart|schedule\s+of\s+levels)\s+(?:in|of|at|set\s+out\s+in|appearing\s+in)\s+", re.IGNORECASE
)
_ROW = re.compile(rf"\b(?:the\s+)?(?:row|line|entry)\b[^\"]{{0,80}}?(?P<label>{_Q})[^\"]{{0,80}}(?P<new>{_Q})", re.IGNORECASE)
_SAVING = re.compile(r"\b(?:all|the)\s+(?:the\s+)?other\s+(?:rows|entries|lines)\b[^.;]*", re.IGNORECASE)


def read_table_change(text: str, ask: Ask) -> PatternReading | None:
    """A table that takes the place of another; None where the clause replaces none."""
    text = dated_rows(text)
    m = _TABLE.search(text)
    limits = find_limits(text, m.end(), len(text), "ratio") if m else []
    if m is None or len(limits) < 2:
        return None
    opened = text.find(":", m.end(), limits[0].start)
    start = opened + 1 if opened > 0 else m.end()
    target = next((n for n in provisions(text, m.end())), None)
    rows = _rows(text, start, len(text), limits)
    fields: dict[str, Value] = {
        "op": "replace_table",
        "target": f"{target.number if target else ''} table".strip(),
        "kind": "maintenance",
    }
    spans = {"target": (m.start(), target.end if target else m.end())}
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


def read_row_change(text: str) -> PatternReading | None:
    """One row that takes the place of another; the rest of the table stays and is not in the clause."""
    m = _ROW.search(text)
    if m is None or not re.search(
        r"\b(?:restated|amended|replaced|deleted|changed)\b", text[m.end("label") : m.start("new")], re.IGNORECASE
    ):
        return None
    label, new = unquoted(text, m.span("label")), unquoted(text, m.span("new"))
    limits = find_limits(new, 0, len(new), "ratio")
    if len(limits) != 1:
        return None
    target = next((n for n in provisions(text, 0, m.start("new"))), None)
    rows = _rows(new, 0, len(new), limits)
    fields: dict[str, Value] = {
        "op": "replace_row",
        "target": f"{target.number if target else ''} table, {label}".strip(),
        "kind": "maintenance",
    }
    unstated = {"schedule.others"}
    name_figure(text[: m.start("new")].replace(label, ""), fields, unstated)
    if rows is not None:
        fields["schedule"] = [row for row, _ in rows]
    fields |= {k: v for k, v in level_fields(limits[0]).items() if k != "level"}
    spans = {"target": (m.start(), m.end("label")), "row": (m.start("new") + 1, m.end("new") - 1)}
    saving = _SAVING.search(text)
    if saving:
        spans["saving"] = saving.span()
    return finish(
        text,
        fields,
        spans,
        sentence_around(text, m.start()),
        unstated=unstated,
        doubts=set() if rows is not None else {"review_table_ambiguous"},
    )
