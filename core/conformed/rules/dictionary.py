"""Defined terms as they read on the test date: those of the base, and what instruments in force did to them (PR-34)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformed.language.traced import Traced
from conformed.model.decision import Conformed, ConformedRun, Reason
from conformed.model.operation import Op, Operation
from conformed.rules.chains import Chain
from conformed.rules.dating import Standing
from conformed.rules.ground import Ground
from conformed.rules.runs import gone_runs, runs_of
from conformed.rules.substitution import rewrite

__all__ = ["Entry", "dictionary_of", "used_terms"]

_TERM = re.compile(r"\b(?:[A-Z][\w&'/-]*)(?:\s+(?:(?:of|to|and|the|in|for|on)\s+)?[A-Z][\w&'/-]*){0,7}\b")
_DEFINING = {Op.DEFINE, Op.REPLACE_DEFINITION, Op.AMEND_DEFINITION, Op.ADD_PROVISION, Op.REPLACE_PROVISION}


class Entry:
    """A defined term on the way to the test date. Its words are cut out of the document only when they are asked for."""

    def __init__(self, heading: str, load: Callable[[], Traced], operation: str = "") -> None:
        self.heading = heading
        self.operation = operation
        self.changed = False
        self.superseded: tuple[ConformedRun, ...] = ()
        self.doubts: tuple[Reason, ...] = ()
        self._load = load
        self._text: Traced | None = None

    @property
    def text(self) -> Traced:
        """Its words."""
        if self._text is None:
            self._text = self._load()
        return self._text

    def rewritten(self, text: Traced, operation: str) -> None:
        """Puts other words in place."""
        self._text, self.operation, self.changed = text, operation, True

    def conformed(self) -> Conformed:
        """The term as it reads."""
        return Conformed(
            section=self.heading,
            heading=self.heading,
            runs=runs_of(self.text, self.operation),
            superseded=self.superseded,
            definition=True,
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
        edits = operation.op in {Op.SUBSTITUTE_TEXT, Op.AMEND_DEFINITION}
        new = [] if edits else _new_terms(ground, operation)
        for term in [operation.target.term] if edits else [t for t, _ in new]:
            entry = found.get(term.lower())
            if entry is None:
                continue
            if change.open:
                sentence = f"Whether {operation.document} changes the definition of {entry.heading} on the test date is open."
                _doubt(entry, operation, "review_definition_version_unclear", sentence)
                continue
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
            _put(found, term, load, operation)
            dates[term.lower()] = (change.standing.date, operation.document)
    return found


def _put(found: dict[str, Entry], term: str, load: Callable[[], Traced], operation: Operation) -> None:
    before = found.get(term.lower())
    entry = Entry(term, load, operation.id)
    if before is not None:
        entry.changed = True
        entry.superseded = (*before.superseded, *runs_of(before.text, before.operation))
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
    text, count = rewrite(entry.text, operation.find, new) if operation.find and new is not None else (None, -1)
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
    entry.superseded = (*entry.superseded, *gone_runs(entry.text, text, entry.operation))
    entry.rewritten(text, operation.id)


def _changes(ground: Ground, chain: Chain, test: dt.date) -> list[_Change]:
    """Operations on definitions that are, or may be, in force, by effective date."""
    documents = {i.document for i in chain.changes}
    found = []
    for operation in ground.operations:
        swaps = operation.op is Op.SUBSTITUTE_TEXT and operation.target.term
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
