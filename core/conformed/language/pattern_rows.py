"""A clause that changes one row of a table of levels, as data; the rest of the table stays and is not in the clause."""

from __future__ import annotations

import re

from conformed.language.pattern_instruction import finish, name_figure
from conformed.language.pattern_words import PatternReading, Value, level_fields, provisions, sentence_around
from conformed.language.row_changes import find_row_change, row_place

__all__ = ["read_row_change"]

_SAVING = re.compile(
    r"\b(?:the\s+(?:rest|remainder)\s+of\s+the\s+(?:table|grid|chart)|the\s+(?:table|grid|chart)\s+is\s+otherwise)\b[^.;]*|\b(?:all|the|every|each|no)\s+(?:(?:the|of\s+the)\s+)?(?:other|remaining)\s+(?:rows?|entry|entries|lines?|ratios?|levels?|figures?)\b[^.;]*",
    re.IGNORECASE,
)


def read_row_change(text: str) -> PatternReading | None:
    """The row that takes the place of another; None where the clause changes no row, or several."""
    row = find_row_change(text)
    if row is None:
        return None
    target = next((n for n in provisions(text, 0, row.at[0])), None)
    fields: dict[str, Value] = {
        "op": "replace_row",
        "target": f"{target.number if target else ''} table, {row.label}".strip(),
        "kind": "maintenance",
    }
    unstated = {"schedule.others"}
    name_figure(re.sub(r"\"[^\"]*\"", " ", text[: row.at[0]]), fields, unstated)
    if row.windows:
        fields["schedule"] = [{"from": w.start, "to": w.end, "level": row.limit.value} for w in row.windows]
    fields |= {k: v for k, v in level_fields(row.limit).items() if k != "level"}
    start = row_place(text, row.at[0])
    start = row.at[0] if start is None else start
    spans = {"target": (min(start, row.named_to), max(start, row.named_to)), "row": row.at}
    saving = _SAVING.search(text)
    if saving:
        spans["saving"] = saving.span()
    doubts = {"review_table_ambiguous"} if not row.windows or row.moved else set()
    return finish(text, fields, spans, sentence_around(text, row.at[0]), unstated=unstated, doubts=doubts)
