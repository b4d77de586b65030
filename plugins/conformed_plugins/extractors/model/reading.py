"""What the rules say of a place that a model pointed at: seen too, seen otherwise, read only now, or nothing that counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from conformed.language.limits import find_limits
from conformed.model.covenant import Doubt
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Extraction, Op, Operation
from conformed.model.span import Span
from conformed_plugins.extractors.changes import Context, operations_of
from conformed_plugins.extractors.instructions import Instruction, find_instructions
from conformed_plugins.extractors.model.pieces import CHANGES, Paper
from conformed_plugins.extractors.model.pointing import Place

__all__ = ["judged"]

UNREAD = "review_clause_not_fully_read"
NOTHING = "reject_no_level_change"
_WHOLE = frozenset({Op.RESTATE_AGREEMENT, Op.TERMINATE_AGREEMENT})
_RELIEF = frozenset({Op.TEMPORARY_LEVEL, Op.SUSPEND_TESTING, Op.WAIVE_TEST, Op.GIVE_CONSENT, Op.ELECT_INCREASE, Op.CURE_RIGHT})
_NO_CHANGE = frozenset({Op.STATE_COVENANT, Op.WAIVE_TEST, Op.GIVE_CONSENT})
_NAMES_SOMETHING = re.compile(r"\d|\"")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_WIDEST = 4_000


def judged(
    place: Place, rules: Extraction, calendar: FiscalCalendar | None, identity: str
) -> tuple[list[Operation], Doubt | None]:
    """Operations that are read only because a model pointed at a place, and the doubt that the place leaves.

    Operations never come without a doubt that stops the run: a model alone changes no level.

    Args:
        place: where the model pointed.
        rules: what the rules reader proposes of all documents.
        calendar: fiscal calendar, where known.
        identity: begin of the ids of new operations.
    """
    name = place.piece.paper.instrument.document
    mine = [operation for operation in rules.operations if operation.op not in _WHOLE]
    seen = [operation for operation in mine if _meets(place, _told(operation))]
    read = [] if seen else _read(place, calendar, identity)
    seen = seen or ([] if read else [operation for operation in mine if _meets(place, operation.payload)])
    if seen:
        return [], None if _agrees(place, seen) else _doubt(
            UNREAD, f"The rules and the model read words of {name} otherwise.", place
        )
    if read:
        doubt = _doubt(UNREAD, f"The model alone takes words of {name} for a change of the agreement.", place)
        return [operation.model_copy(update={"doubts": (*operation.doubts, doubt)}) for operation in read], doubt
    if any(_meets(place, doubt.spans) for doubt in rules.rejected):
        return [], _doubt(UNREAD, f"The model takes words of {name} for a {place.role} that by rule are none.", place)
    if _NAMES_SOMETHING.search(place.piece.paper.view.text, place.start, place.end):
        return [], _doubt(UNREAD, f"The model takes words of {name} for a {place.role}; by rule they could not be read.", place)
    return [], _doubt(NOTHING, f"The model pointed at words of {name} that name no level and no provision.", place)


def _doubt(code: str, sentence: str, place: Place) -> Doubt:
    return Doubt(code=code, sentence=sentence, spans=place.spans)


def _meets(place: Place, spans: Iterable[Span]) -> bool:
    """Whether words pointed at are among some words of the same document, or hold them."""
    mine = place.spans
    return any(a.document == b.document and a.start < b.end and b.start < a.end for a in mine for b in spans)


def _told(operation: Operation) -> list[Span]:
    """The words by which an operation is made; not the new text that it puts in, which may hold anything."""
    clauses = [span for terms in operation.terms for span in terms.spans.get("clause", ())]
    return [*operation.instruction, *operation.replace_spans, *clauses]


def _agrees(place: Place, seen: list[Operation]) -> bool:
    """Whether one of the operations is of the kind that the model says, and the level that it names is one of theirs."""
    if not any(_fits(place.role, operation) for operation in seen):
        return False
    if place.level is None:
        return True
    text = place.piece.paper.view.text
    named = {token.value for unit in ("ratio", "amount") for token in find_limits(text, *place.level, unit)}
    held = {value for operation in seen for value in _levels(operation)}
    return len(named) == 1 and (not held or named <= held)


def _fits(role: str, operation: Operation) -> bool:
    if role == "covenant":
        return operation.op is Op.STATE_COVENANT or bool(operation.terms)
    if role == "relief":
        return operation.op in _RELIEF
    return operation.op not in _NO_CHANGE


def _levels(operation: Operation) -> Iterator[Fraction | None]:
    """Every level that an operation speaks of, old ones too."""
    for limit in (operation.limit, operation.ceiling, *(row.limit for terms in operation.terms for row in terms.rows)):
        if limit is not None:
            yield limit.value
    for words in (operation.find, operation.replace):
        for unit in ("ratio", "amount"):
            yield from (token.value for token in find_limits(words, 0, len(words), unit))


def _read(place: Place, calendar: FiscalCalendar | None, identity: str) -> list[Operation]:
    """What the grammar makes of the paragraph around a place in an instrument, read for itself.

    An agreement is read whole by the rules already: there is nothing in a part of it that they did not see.
    """
    paper = place.piece.paper
    if paper.instrument.kind not in CHANGES:
        return []
    low, high = _paragraph(paper.view.text, place.start, place.end)
    context = _context(paper, calendar)
    read = []
    for number, found in enumerate(find_instructions(paper.view.text[low:high])):
        read += operations_of(_moved(found, low), context, f"{identity}.{number}")
    return [operation for operation in read if operation.op is not Op.OTHER_CHANGE and _meets(place, _told(operation))]


def _moved(found: Instruction, by: int) -> Instruction:
    """An instruction of a part of a text, with the offsets of the whole."""
    (a, b), where = found.payload, (found.start + by, found.end + by, found.how_end + by)
    payload = (a + by, b + by) if b > a else (0, 0)
    return replace(found, start=where[0], end=where[1], how_end=where[2], payload=payload)


def _context(paper: Paper, calendar: FiscalCalendar | None) -> Context:
    instrument = paper.instrument
    agreement = instrument.amends.text if instrument.amends else ""
    return Context(paper.view, paper.tree, instrument.document, agreement, paper.effective, calendar, instrument.dated)


def _paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    """The paragraph around a stretch."""
    low = max(0, start - _WIDEST)
    for blank in _PARAGRAPH.finditer(text, low, start):
        low = blank.end()
    after = _PARAGRAPH.search(text, end, min(len(text), end + _WIDEST))
    return low, after.start() if after else min(len(text), end + _WIDEST)
