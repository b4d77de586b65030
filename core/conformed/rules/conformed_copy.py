"""The conformed copy: the covenant and the definitions that it uses, as they read on the test date, word by word with its origin."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.traced import Traced
from conformed.model.codes import sentence_of
from conformed.model.covenant import Definition
from conformed.model.decision import Conformed, ConformedRun, Reason
from conformed.model.operation import Op, Operation
from conformed.rules.apply import State, rewrite
from conformed.rules.chains import Chain
from conformed.rules.dating import standing_of
from conformed.rules.outcome import Ground

__all__ = ["conform"]

_TERM = re.compile(r"\b(?:[A-Z][\w&'/-]*)(?:\s+(?:(?:of|to|and|the|in|for|on)\s+)?[A-Z][\w&'/-]*){0,7}\b")
_MOST = 60
_DEFINING = {Op.DEFINE, Op.REPLACE_DEFINITION, Op.AMEND_DEFINITION, Op.ADD_PROVISION, Op.REPLACE_PROVISION}


def _runs(text: Traced, operation: str) -> tuple[ConformedRun, ...]:
    """Runs of words by document; the whole text is covered, so that the runs joined are the text."""
    runs: list[ConformedRun] = []
    start, document = 0, ""
    for segment in (*text.segments, None):
        name = segment.document.name if segment is not None else ""
        if name == document and segment is not None:
            continue
        end = segment.start if segment is not None else len(text.text)
        if document and end > start:
            runs.append(ConformedRun(text=text.text[start:end], document=document, operation=operation, spans=text.spans(start, end)))
        start, document = end, name
    return tuple(runs)


def _gone(old: Traced, now: Traced, operation: str) -> tuple[ConformedRun, ...]:
    """The words of an older text that are no longer there; words that stayed are not superseded."""
    held: dict[str, list[tuple[int, int]]] = {}
    for segment in now.segments:
        held.setdefault(segment.document.name, []).append((segment.origin, segment.origin + segment.width))
    runs: list[ConformedRun] = []
    for segment in old.segments:
        at, end = segment.origin, segment.origin + segment.width
        for a, b in sorted(held.get(segment.document.name, [])):
            if b <= at or a >= end:
                continue
            if a > at:
                runs += _part(old, segment.start + (at - segment.origin), segment.start + (a - segment.origin), operation)
            at = max(at, b)
        if at < end:
            first = segment.start + (at - segment.origin) if segment.length == segment.width else segment.start
            runs += _part(old, first, segment.start + segment.length, operation)
    return tuple(runs)


def _part(text: Traced, start: int, end: int, operation: str) -> list[ConformedRun]:
    spans = text.spans(start, end)
    words = text.text[start:end]
    return [ConformedRun(text=words, document=spans[0].document, operation=operation, spans=spans)] if spans and words.strip() else []


@dataclass(slots=True)
class _Entry:
    """A defined term on the way to the test date."""

    heading: str
    text: Traced
    operation: str = ""
    changed: bool = False
    superseded: tuple[ConformedRun, ...] = ()
    doubts: tuple[Reason, ...] = ()

    def conformed(self) -> Conformed:
        """The term as it reads."""
        return Conformed(section=self.heading, heading=self.heading, runs=_runs(self.text, self.operation), superseded=self.superseded, definition=True)


def _dictionary(ground: Ground, chain: Chain, test: dt.date) -> dict[str, _Entry]:
    """Every defined term as it reads on the date."""
    found: dict[str, _Entry] = {}
    trees = {t.document: t for t in ground.case.trees}
    if chain.base is not None:
        view = ground.views[chain.base.document]
        for p in trees[chain.base.document].provisions:
            if p.kind == "definition" and p.heading.lower() not in found:
                text = view.slice(view.offset_of(chain.base.document, p.start), view.offset_of(chain.base.document, p.end))
                found[p.heading.lower()] = _Entry(p.heading, text)
    low = dt.date.min
    for operation in sorted(_defining(ground, chain, test), key=lambda o: (ground.instruments[o.document].effective_on or ground.instruments[o.document].dated or low, o.id)):
        if operation.op in {Op.SUBSTITUTE_TEXT, Op.AMEND_DEFINITION}:
            _edit(ground, operation, found)
            continue
        for term, text in _new_terms(ground, operation):
            before = found.get(term.lower())
            superseded = (*before.superseded, *_runs(before.text, before.operation)) if before else ()
            found[term.lower()] = _Entry(term, text, operation.id, before is not None, superseded)
    return found


def _edit(ground: Ground, operation: Operation, found: dict[str, _Entry]) -> None:
    """Words swapped inside a definition; a change that cannot be carried out is told, and the run with figures stops on it."""
    entry = found.get(operation.target.term.lower())
    new = ground.text_of(operation.replace_spans)
    if entry is None:
        return
    text, count = rewrite(entry.text, operation.find, new) if operation.find and new is not None else (None, -1)
    entry.changed = True
    if text is None:
        said = f"{operation.document} changes the definition of {entry.heading} in a way that could not be carried out."
        if count >= 0:
            said = f"The words that {operation.document} replaces in the definition of {entry.heading} occur {count} times; they must occur once."
        code = "review_anchor_not_unique" if count >= 0 else "review_definition_version_unclear"
        entry.doubts = (*entry.doubts, Reason(code=code, sentence=said, subject=entry.heading, spans=operation.instruction))
        return
    entry.superseded = (*entry.superseded, *_gone(entry.text, text, entry.operation))
    entry.text, entry.operation = text, operation.id


def _defining(ground: Ground, chain: Chain, test: dt.date) -> list[Operation]:
    documents = {i.document for i in chain.changes}
    kept = []
    for operation in ground.operations:
        swaps = operation.op is Op.SUBSTITUTE_TEXT and operation.target.term
        if operation.document not in documents or not (operation.op in _DEFINING or swaps):
            continue
        standing = standing_of(operation, ground.instruments[operation.document], test, ground.case.question.known_at)
        if standing.state == "in_force":
            kept.append(operation)
    return kept


def _new_terms(ground: Ground, operation: Operation) -> list[tuple[str, Traced]]:
    """Definitions that an operation puts in: the one it names, and those that its new text holds."""
    text = ground.text_of(operation.payload)
    named: list[tuple[str, Traced]] = []
    if text is not None and operation.payload:
        view = ground.views[operation.document]
        first, last = operation.payload[0].start, operation.payload[-1].end
        tree = next(t for t in ground.case.trees if t.document == operation.document)
        for p in tree.provisions:
            if p.kind == "definition" and first - 2 <= p.start < last:
                end = min(p.end, last)
                named.append((p.heading, view.slice(view.offset_of(operation.document, p.start), view.offset_of(operation.document, end))))
    if operation.target.term and not any(t.lower() == operation.target.term.lower() for t, _ in named):
        source = text or ground.text_of(operation.instruction)
        if source is not None:
            named.append((operation.target.term, source))
    return named


def _used(text: str, known: dict[str, _Entry]) -> list[str]:
    """Defined terms that a text uses, longest first at each place."""
    used: dict[str, None] = {}
    for m in _TERM.finditer(text):
        words = m[0].split()
        at = 0
        while at < len(words):
            for size in range(len(words) - at, 0, -1):
                candidate = " ".join(words[at : at + size]).lower()
                if candidate in known or candidate.rstrip("s") in known:
                    used.setdefault(candidate if candidate in known else candidate.rstrip("s"))
                    at += size - 1
                    break
            at += 1
    return list(used)


def conform(ground: Ground, chain: Chain, section: str, state: State, test: dt.date) -> tuple[tuple[Conformed, ...], tuple[Definition, ...], tuple[Reason, ...]]:
    """The covenant's text and every definition it uses, transitively, on a test date.

    Returns:
        The conformed copy; the definitions; findings (a definition not in the pack, or changed with the level unchanged).
    """
    section = section.partition("#")[0]
    known = _dictionary(ground, chain, test)
    copy: list[Conformed] = []
    if state.text is not None:
        setter = state.setter.id if state.setter is not None else ""
        superseded = tuple(r for operation, text in state.superseded for r in _gone(text, state.text, operation.id))
        heading = state.terms.caption if state.terms is not None else ""
        copy.append(Conformed(section=section, heading=heading, runs=_runs(state.text, setter), superseded=superseded))
        if state.setter is not None and state.setter.op in {Op.REPLACE_TABLE, Op.SET_LEVEL} and state.setter.payload:
            table = ground.text_of(state.setter.payload)
            if table is not None and table.text != state.text.text:
                copy.append(Conformed(section=f"{section} (level)", heading=heading, runs=_runs(table, state.setter.id)))
    start = "".join(r.text for c in copy for r in c.runs)
    if state.terms is not None:
        start += f" {state.terms.name} {state.terms.numerator} {state.terms.denominator}"
    queue, seen = _used(start, known), []
    while queue and len(seen) < _MOST:
        term = queue.pop(0)
        if term in seen:
            continue
        seen.append(term)
        queue += [t for t in _used(known[term].text.text, known) if t not in seen]
    copy += [known[t].conformed() for t in seen]
    definitions = tuple(
        Definition(term=known[t].heading, text=known[t].text.text, instrument=known[t].text.segments[0].document.name if known[t].text.segments else "",
                   spans=known[t].text.spans())
        for t in seen
    )  # fmt: skip
    return tuple(copy), definitions, _findings(state, known, seen, section)


def _findings(state: State, known: dict[str, _Entry], seen: list[str], section: str) -> tuple[Reason, ...]:
    found = [d for t in seen for d in known[t].doubts]
    terms = state.terms
    if terms is not None:
        names = [terms.numerator, terms.denominator] if terms.numerator else [terms.name]
        lacking = [n for n in names if n and not _used(n, known)]
        if lacking:
            sentence = f"Not defined in the pack: {', '.join(lacking)}."
            found.append(Reason(code="finding_definition_not_in_pack", sentence=sentence, subject=section, spans=terms.spans.get("metric", ())))
    if any(known[t].changed for t in seen):
        names_changed = ", ".join(known[t].heading for t in seen if known[t].changed)
        level_changed = state.setter is not None and state.setter.op is not Op.STATE_COVENANT
        if not level_changed:
            found.append(Reason(code="finding_definition_changed", sentence=f"{sentence_of('finding_definition_changed')} ({names_changed})", subject=section))
        found.append(Reason(code="accept_definition_version", sentence=sentence_of("accept_definition_version"), subject=section))
    return tuple(found)
