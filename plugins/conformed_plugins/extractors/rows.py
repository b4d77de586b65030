"""One row of a table of levels that an instrument changes; the other rows stay as they are (rule PR-33)."""

from __future__ import annotations

import re

from conformed.language.pattern_words import sentence_around
from conformed.language.row_changes import RowChange, find_row_change
from conformed.language.terms import limit_of
from conformed.language.traced import Traced
from conformed.model.base import Missing
from conformed.model.covenant import CovenantTerms, Row
from conformed.model.operation import Op, Operation
from conformed_plugins.extractors.instructions import Instruction
from conformed_plugins.extractors.timing import Timing

__all__ = ["changed_row", "row_set"]

_MARK = re.compile(r"\s*(?:\(?[A-Za-z0-9]{1,4}[.)]\s+){0,2}")


def changed_row(found: Instruction, view: Traced, timing: Timing) -> RowChange | None:
    """The row that an instruction changes; None where it changes no row, or is for some periods in words of their own.

    Args:
        found: the instruction.
        view: the instrument's live words.
        timing: the periods that the instruction names; the row's own is no other.
    """
    if found.term or found.more:
        return None
    mark = _MARK.match(view.text, found.start)
    sentence = sentence_around(view.text, mark.end() if mark else found.start)
    row = find_row_change(view.text, *sentence)
    if row is None or not row.windows or row.moved or row.limit.value is None:
        return None
    others = [w for w in timing.windows if w not in row.windows]
    return None if others or timing.from_period is not None else row


def row_set(row: RowChange, found: Instruction, view: Traced, common: dict[str, object]) -> Operation | None:
    """The operation that puts one row in the place of another; None where the level could not be read."""
    limit = limit_of(row.limit, view)
    if limit is None:
        return None
    places = view.spans(*row.at)
    rows = tuple(Row(limit=limit, window=w, label=row.label, spans=places) for w in row.windows)
    reason = "An instruction on one row leaves the comparison to the provision."
    terms = CovenantTerms(
        name=f"Section {found.section}",
        metric="unnamed",
        section=found.section,
        caption=found.caption,
        comparator=Missing(reason=reason, code="review_comparator_ambiguous"),
        rows=rows,
        tested="test_period_end",
        spans={"clause": places, "metric": view.spans(found.start, found.how_end)},
    )
    operation = Operation.model_validate({**common, "op": Op.REPLACE_ROW, "terms": (terms,), "payload": places})
    return operation.model_copy(update={"target": operation.target.model_copy(update={"row": row.label})})
