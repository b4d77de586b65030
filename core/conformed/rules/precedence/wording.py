"""The covenant's words after a level, a row or a table took the place of another: the text in force shows the level in force.

Where the old figure's place in the text is not certain, the words are left as they stand and the new ones are shown beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conformed.language.traced import Traced, join
from conformed.model.covenant import CovenantTerms, Row
from conformed.model.operation import Op, Operation
from conformed.model.span import Span
from conformed.rules.precedence.state import State

__all__ = ["in_words"]

_FIGURES = {Op.SET_LEVEL, Op.REPLACE_ROW, Op.REPLACE_TABLE}
Words = Callable[[tuple[Span, ...]], Traced | None]


def in_words(before: State, after: State, operation: Operation, text_of: Words) -> State:
    """Puts a new level, row or table into the covenant's words where the old one stood.

    Args:
        before: the covenant before the operation.
        after: the covenant after it.
        operation: what was done.
        text_of: gives the live words behind spans.
    """
    same = before.text is not None and after.text is before.text and after.setter is operation
    if not same or operation.op not in _FIGURES or before.terms is None or after.terms is None:
        return after
    old, new = _exchanged(operation, before.terms, after.terms)
    assert before.text is not None
    place, words = _place(before.text, old), text_of(_merged(new)) if new else None
    if place is None or words is None:
        return after
    a, b = place
    return replace(after, text=join([before.text.slice(0, a), words, before.text.slice(b, len(before.text))]))


def _exchanged(operation: Operation, old: CovenantTerms, new: CovenantTerms) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Places of the old words and of the new ones; empty where the exchange is not one for one."""
    if operation.op is Op.REPLACE_ROW:
        pairs = [(a, b) for a, b in zip(old.rows, new.rows, strict=True) if a is not b] if len(old.rows) == len(new.rows) else []
        return (_whole(pairs[0][0]), _whole(pairs[0][1])) if len(pairs) == 1 else ((), ())
    if operation.from_period is not None:
        return (), ()
    if operation.op is Op.SET_LEVEL:
        one = len(old.rows) == len(new.rows) == 1 and operation.limit is not None
        return (old.rows[0].limit.spans, new.rows[0].limit.spans) if one else ((), ())
    return tuple(s for row in old.rows for s in _whole(row)), tuple(s for row in new.rows for s in _whole(row))


def _whole(row: Row) -> tuple[Span, ...]:
    """Where a row stands: its own words, and its figure where it has no others."""
    return tuple(sorted({*row.spans, *row.limit.spans}, key=lambda s: (s.document, s.start, s.end)))


def _merged(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Spans without those that lie in another."""
    return tuple(
        s
        for s in spans
        if not any(o is not s and o.document == s.document and o.start <= s.start and s.end <= o.end for o in spans)
    )


def _place(text: Traced, spans: tuple[Span, ...]) -> tuple[int, int] | None:
    """The stretch of a text from the first to the last of some spans; None unless both ends are there exactly."""
    documents = {s.document for s in spans}
    if len(documents) != 1:
        return None
    document = next(iter(documents))
    first, last = min(s.start for s in spans), max(s.end for s in spans)
    a, b = text.offset_of(document, first), text.offset_of(document, last)
    found = text.spans(a, b) if a < b else ()
    exact = bool(found) and {s.document for s in found} == documents and (found[0].start, found[-1].end) == (first, last)
    return (a, b) if exact else None
