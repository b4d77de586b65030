"""Defined terms as they read on the test date: those of the base, and what instruments in force did to them (PR-34)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformed.language.traced import Traced
from conformed.model.decision import Conformed, Reason
from conformed.model.operation import Op, Operation, Place
from conformed.rules.copy.runs import Origins, once
from conformed.rules.instruments.chains import Chain
from conformed.rules.instruments.dating import Standing
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.substitution import edit

__all__ = ["Entry", "dictionary_of", "used_terms"]

_TERM = re.compile(r"\b(?:[A-Z][\w&'/-]*)(?:\s+(?:(?:of|to|and|the|in|for|on)\s+)?[A-Z][\w&'/-]*){0,7}\b")
_DEFINING = {Op.DEFINE, Op.REPLACE_DEFINITION, Op.AMEND_DEFINITION, Op.ADD_PROVISION, Op.REPLACE_PROVISION}
_EDITS = {Op.SUBSTITUTE_TEXT, Op.AMEND_DEFINITION, Op.DELETE_PROVISION}
_WHOLE_PERIODS = re.compile(r"\b(?:Relevant|Test|Measurement|Reference|Calculation|Testing|Rolling)\s+Periods?\b", re.IGNORECASE)
_QUARTERS = 9
"""Months between the first and the last quarter end of twelve months."""
_TAKES = {Place.CUT, Place.LAST_SENTENCE}


class Entry:
    """A defined term on the way to the test date. Its words are cut out of the document only when they are asked for."""

    def __init__(self, heading: str, load: Callable[[], Traced], before: tuple[Traced, ...] = ()) -> None:
        self.heading = heading
        self.changed = False
        self.before = before
        self.doubts: tuple[Reason, ...] = ()
        self._load = load
        self._text: Traced | None = None

    @property
    def text(self) -> Traced:
        """Its words."""
        if self._text is None:
            self._text = self._load()
        return self._text

    def rewritten(self, text: Traced) -> None:
        """Puts other words in place."""
        self.before, self._text, self.changed = (*self.before, self.text), text, True

    def conformed(self, origins: Origins) -> Conformed:
        """The term as it reads."""
        gone = once(r for text in self.before for r in origins.gone(text, self.text))
        return Conformed(
            section=self.heading, heading=self.heading, runs=origins.runs(self.text), superseded=gone, definition=True
        )


@dataclass(frozen=True, slots=True)
class _Change:
    operation: Operation
    standing: Standing
    open: tuple[str, ...]


def _slice(ground: Ground, document: str, start: int, end: int) -> Callable[[], Traced]:
    view = ground.views[document]
    return lambda: view.slice(view.offset_of(document, start), view.offset_of(document, end))


def dictionary_of(ground: Ground, chain: Chain, test: dt.date) -> dict[str, Entry]:
    """Every defined term as it reads on a date, by its name in lower case.

    A change that may or may not be in force leaves the term as it was, with a doubt.
    """
    found: dict[str, Entry] = {}
    if chain.base is not None:
        base = chain.base.document
        for p in ground.tree_of(base).provisions:
            if p.kind == "definition":
                found.setdefault(p.heading.lower(), Entry(p.heading, _slice(ground, base, p.start, p.end)))
    dates: dict[str, tuple[dt.date | None, str]] = {}
    for change in _changes(ground, chain, test):
        operation = change.operation
        if operation.from_period is not None and test < operation.from_period:
            continue
        edits = operation.op in _EDITS
        new = [] if edits else _new_terms(ground, operation)
        for term in [operation.target.term] if edits else [t for t, _ in new]:
            entry = found.get(term.lower())
            if entry is None:
                continue
            if change.open:
                sentence = f"Whether {operation.document} changes the definition of {entry.heading} on the test date is open."
                _doubt(entry, operation, "review_definition_version_unclear", sentence)
                continue
            if _straddles(ground, operation, test):
                sentence = f"{operation.document} changes {entry.heading} for later quarters only, and the period ending on the test date holds earlier ones."
                _doubt(entry, operation, "review_definition_version_unclear", sentence)
            day, other = dates.get(term.lower(), (None, operation.document))
            if other != operation.document and day == change.standing.date:
                _doubt(
                    entry,
                    operation,
                    "review_definition_version_unclear",
                    f"{other} and {operation.document} change {entry.heading} from one date.",
                )
        if change.open:
            continue
        if edits:
            _edit(ground, operation, found)
            dates[operation.target.term.lower()] = (change.standing.date, operation.document)
        for term, load in new:
            _put(found, term, load)
            dates[term.lower()] = (change.standing.date, operation.document)
    return found


def _straddles(ground: Ground, operation: Operation, test: dt.date) -> bool:
    """Whether a change is limited to later quarters and the twelve months ending on the test date hold earlier ones too (PR-34).

    A change for test periods from a day on governs the whole of each such period.
    """
    start = operation.from_period
    if start is None:
        return False
    words = ground.text_of(operation.instruction)
    if words is not None and _WHOLE_PERIODS.search(words.text):
        return False
    return start.year * 12 + start.month > test.year * 12 + test.month - _QUARTERS


def _put(found: dict[str, Entry], term: str, load: Callable[[], Traced]) -> None:
    before = found.get(term.lower())
    entry = Entry(term, load, (*before.before, before.text) if before is not None else ())
    if before is not None:
        entry.changed = True
        entry.doubts = before.doubts
    found[term.lower()] = entry


def _doubt(entry: Entry, operation: Operation, code: str, sentence: str) -> None:
    entry.doubts = (*entry.doubts, Reason(code=code, sentence=sentence, subject=entry.heading, spans=operation.instruction))


def _edit(ground: Ground, operation: Operation, found: Mapping[str, Entry]) -> None:
    """Words swapped inside a definition; a change that cannot be carried out is told, and the run with figures stops on it."""
    entry = found.get(operation.target.term.lower())
    if entry is None:
        return
    new = ground.replacement_of(operation)
    understood = new is not None if operation.place not in _TAKES else new is None
    placed = bool(operation.find) or operation.place in {Place.END, Place.LAST_SENTENCE}
    text, count = edit(entry.text, operation.find, new, operation.place) if understood and placed else (None, -1)
    if text is None:
        entry.changed = True
        code, said = (
            "review_definition_version_unclear",
            f"{operation.document} changes the definition of {entry.heading} in a way that could not be carried out.",
        )
        if count >= 0:
            code = "review_anchor_not_unique"
            said = f"The words that {operation.document} replaces in the definition of {entry.heading} occur {count} times; they must occur once."
        _doubt(entry, operation, code, said)
        return
    entry.rewritten(text)


def _changes(ground: Ground, chain: Chain, test: dt.date) -> list[_Change]:
    """Operations on definitions that are, or may be, in force, by effective date."""
    documents = {i.document for i in chain.changes}
    found = []
    for operation in ground.operations:
        swaps = operation.op in {Op.SUBSTITUTE_TEXT, Op.DELETE_PROVISION} and operation.target.term
        if operation.document in documents and (operation.op in _DEFINING or swaps):
            standing = ground.standing(operation, test)
            if standing.state != "not_yet":
                doubts = ground.doubts.get(operation.document, ())
                found.append(_Change(operation, standing, (*doubts, *(standing.codes if standing.state == "doubt" else ()))))
    low = dt.date.min
    return sorted(
        found,
        key=lambda c: (
            c.standing.date or low,
            ground.instruments[c.operation.document].dated or low,
            len(c.operation.id),
            c.operation.id,
        ),
    )


def _new_terms(ground: Ground, operation: Operation) -> list[tuple[str, Callable[[], Traced]]]:
    """Definitions that an operation puts in: the one it names, and those that its new text holds."""
    named: list[tuple[str, Callable[[], Traced]]] = []
    if operation.payload:
        first, last = operation.payload[0].start, operation.payload[-1].end
        inside = [
            p for p in ground.tree_of(operation.document).provisions if p.kind == "definition" and first - 2 <= p.start < last
        ]
        named += [(p.heading, _slice(ground, operation.document, p.start, min(p.end, last))) for p in inside]
    term = operation.target.term
    if term and not any(t.lower() == term.lower() for t, _ in named):
        source = ground.text_of(operation.payload) or ground.text_of(operation.instruction)
        if source is not None:
            text = source
            named.append((term, lambda: text))
    return named


def used_terms(text: str, known: Mapping[str, Entry]) -> list[str]:
    """Defined terms that a text uses, longest first at each place."""
    used: dict[str, None] = {}
    for m in _TERM.finditer(text):
        words = m[0].split()
        at = 0
        while at < len(words):
            for size in range(len(words) - at, 0, -1):
                candidate = " ".join(words[at : at + size]).lower()
                if candidate not in known:
                    candidate = candidate.rstrip("s")
                if candidate in known:
                    used.setdefault(candidate)
                    at += size - 1
                    break
            at += 1
    return list(used)
