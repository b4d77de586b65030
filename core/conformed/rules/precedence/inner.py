"""Amendments of amendments (rule book PR-24): a change of the words of one that has not yet taken effect goes into it.

One that has taken effect has done its work: a change of its words needs the agreement to be amended as well, by express words.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping

from conformed.language.limits import find_limits
from conformed.language.names import find_named
from conformed.language.terms import limit_of, read_terms
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantTerms
from conformed.model.operation import Op, Operation
from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.instruments.dating import Standing
from conformed.rules.precedence.substitution import rewrite
from conformed.rules.precedence.targets import LEVELS, amendment_meant

__all__ = ["carried_in"]

_ACCORDINGLY = re.compile(
    r"\bAgreement\b[^.;]{0,80}?\b(?:is|are|shall\s+be|stands?)\s+(?:hereby\s+|also\s+|deemed\s+(?:to\s+be\s+)?)*(?:amended|modified|changed|varied)\s+"
    r"(?:accordingly|correspondingly|in\s+the\s+same\s+(?:way|manner)|to\s+the\s+same\s+effect|to\s+read\s+the\s+same)\b",
    re.IGNORECASE,
)
_NEXT = 400
Stands = Callable[[Operation, dt.date], Standing]
Text = Callable[[Operation], Traced | None]


def _meant(operation: Operation, instruments: Iterable[Instrument]) -> Instrument | None:
    """The amendment whose words an instruction changes, where it is one of the pack by its number."""
    numbers = {n.number for n in find_named(amendment_meant(operation))}
    found = [
        i for i in instruments if i.kind is InstrumentKind.AMENDMENT and i.number in numbers and i.document != operation.document
    ]
    return found[0] if len(numbers) == 1 and len(found) == 1 else None


def carried_in(
    operations: Iterable[Operation],
    instruments: Iterable[Instrument],
    doubts: Mapping[str, tuple[str, ...]],
    views: Mapping[str, Traced],
    stands: Stands,
    payload: Text,
    replacement: Text,
) -> tuple[Operation, ...]:
    """The operations with each change of an amendment's words carried to where it works; one that works on nothing stays.

    Args:
        operations: operations of instruments that can operate.
        instruments: those instruments.
        doubts: review codes about each.
        views: live text of each document.
        stands: how an operation stands on a date.
        payload: new text of an operation.
        replacement: words that a find-and-replace instruction puts in.
    """
    every = list(operations)
    known = tuple(instruments)
    for change in tuple(every):
        meant = _meant(change, known)
        if meant is None or doubts.get(change.document) or doubts.get(meant.document):
            continue
        standing = stands(change, dt.date.max)
        if standing.state != "in_force" or standing.date is None:
            continue
        day = standing.date
        inner = [o for o in every if o.document == meant.document and o.op in LEVELS]
        if not inner:
            continue
        states = {stands(o, day).state for o in inner}
        if states == {"not_yet"}:
            new = [(o, _changed(o, change, payload(o), replacement(change))) for o in inner]
            done = [(o, n) for o, n in new if n is not None]
            if len(done) == 1:
                every[every.index(done[0][0])] = done[0][1]
                every.remove(change)
        elif states == {"in_force"} and len(inner) == 1 and _accordingly(change, views[change.document]):
            # The agreement is amended too: the instruction works on the provision that the amendment had changed.
            section = inner[0].target.section or next((t.section for t in inner[0].terms), "")
            target = change.target.model_copy(update={"agreement": "", "section": section, "spans": ()})
            every[every.index(change)] = change.model_copy(update={"target": target})
    return tuple(every)


def _accordingly(change: Operation, view: Traced) -> bool:
    """Whether the instrument says, with the instruction or right behind it, that the agreement is amended too."""
    spans = change.instruction or change.target.spans
    if not spans:
        return False
    start, end = view.offset_of(change.document, spans[0].start), view.offset_of(change.document, spans[-1].end)
    return _ACCORDINGLY.search(view.text, start, min(len(view.text), end + _NEXT)) is not None


def _changed(inner: Operation, change: Operation, payload: Traced | None, new: Traced | None) -> Operation | None:
    """An operation of the waiting amendment with the change in it; None where the change does not fit it."""
    if change.op is Op.SET_LEVEL and change.limit is not None:
        return inner.model_copy(update={"limit": change.limit}) if inner.op is Op.SET_LEVEL and inner.limit is not None else None
    if change.op is not Op.SUBSTITUTE_TEXT or new is None:
        return None
    if inner.op is Op.SUBSTITUTE_TEXT:
        if " ".join(inner.replace.split()) != " ".join(change.find.split()):
            return None
        return inner.model_copy(update={"replace": change.replace, "replace_spans": change.replace_spans})
    if inner.op is Op.SET_LEVEL and inner.limit is not None and change.find.split() == inner.limit.raw.split():
        tokens = find_limits(new.text, 0, len(new.text), inner.limit.unit.value)
        limit = limit_of(tokens[0], new) if len(tokens) == 1 else None
        return inner.model_copy(update={"limit": limit}) if limit is not None else None
    if payload is None or len(inner.terms) != 1:
        return None
    text, count = rewrite(payload, change.find, new)
    if text is None or count != 1:
        return None
    old = inner.terms[0]
    read = [t for t in read_terms(text, 0, len(text), section=old.section, caption=old.caption) if t.metric == old.metric]
    if len(read) != 1:
        return None
    terms: CovenantTerms = read[0]
    return inner.model_copy(update={"terms": (terms,), "payload": text.spans(0, len(text))})
