"""Operations brought to where they work, before any is applied (rule book PR-21, PR-22, PR-24, PR-36).

A change of an amendment that has not yet taken effect goes into it; a provision that a later text renumbered is found under its
number in the text in force; and a doubt that a person's attestation, or a paper of the pack, settles is taken off.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from conformed.model.covenant import CovenantTerms, Doubt
from conformed.model.operation import EffectiveMode, Effectiveness, Op, Operation, Target
from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.authority.side_letters import NOT_IN_PACK, letter_there
from conformed.rules.instruments.provisions import canonical_label
from conformed.rules.precedence.inner import carried_in
from conformed.rules.precedence.renumbering import renumbered
from conformed.rules.precedence.targets import amendment_meant

if TYPE_CHECKING:
    from conformed.rules.precedence.ground import Ground

__all__ = ["new_number", "redirected"]

K = InstrumentKind
_BASES = {K.FACILITY_AGREEMENT, K.RESTATEMENT}
_MARKS = ("number", "designat", "lettered", "correspondence", "derivation", "destination", "concordance", "correlation", "cross")


def redirected(ground: Ground) -> Ground:
    """The ground with its operations brought to where they work, and what was redirected told."""
    operations = carried_in(
        ground.operations,
        ground.admitted.instruments,
        ground.doubts,
        ground.views,
        ground.standing,
        lambda o: ground.text_of(o.payload),
        lambda o: ground.text_of(o.replace_spans),
    )
    numbers = _numbers(ground)
    notes: dict[str, str] = {}
    found = []
    for operation in operations:
        moved, note = _moved(ground, operation, numbers)
        if note:
            notes[moved.id] = note
        found.append(_settled(ground, moved))
    ids = {o.id for o in operations}
    carried = tuple(o for o in ground.operations if o.id not in ids)
    return replace(ground, operations=tuple(found), carried=carried, renumbered=notes, numbers=numbers, _texts={}, _mentions={})


def _numbers(ground: Ground) -> dict[str, dict[str, str]]:
    """By document, the numbers that it says it changed; only of those that operate without a doubt."""
    result = {}
    for instrument in ground.admitted.instruments:
        if instrument.kind not in {K.RESTATEMENT, K.AMENDMENT} or ground.doubts.get(instrument.document):
            continue
        text = ground.views[instrument.document].text
        lowered = text.lower()
        mapping = dict(renumbered(text)) if any(m in lowered for m in _MARKS) else {}
        if mapping:
            result[instrument.document] = mapping
    return result


def _under(section: str, mapping: Mapping[str, str]) -> str:
    """A provision's number after a mapping of it, or of the section around it; empty where neither is mapped."""
    if section in mapping:
        return mapping[section]
    head, bracket, rest = section.partition("(")
    return f"{mapping[head]}{bracket}{rest}" if bracket and head in mapping else ""


def _labels(ground: Ground, document: str) -> frozenset[str]:
    tree = ground.tree_of(document)
    stated = {t.section for o in ground.operations if o.document == document for t in o.terms}
    return frozenset({p.label for p in tree.provisions if p.label} | stated)


def _made(instrument: Instrument) -> dt.date | None:
    return instrument.signed_on or instrument.dated


def _stands(ground: Ground, instrument: Instrument, day: dt.date) -> bool:
    """Whether a renumbering text was in force on a day."""
    if instrument.kind in _BASES:
        return ground.base_standing(instrument, day).state == "in_force"
    own = [o for o in ground.operations if o.document == instrument.document]
    signing = Operation(id="-", op=Op.OTHER_CHANGE, document=instrument.document, target=Target(),
                        effective=Effectiveness(mode=EffectiveMode.ON_SIGNING))  # fmt: skip
    return all(ground.standing(o, day).state == "in_force" for o in own or [signing])


def _moved(ground: Ground, operation: Operation, numbers: Mapping[str, Mapping[str, str]]) -> tuple[Operation, str]:
    """An operation under the number that its provision has in the text in force, with the words that say so."""
    maker = ground.instruments[operation.document]
    section = canonical_label(operation.target.section)
    day = _made(maker)
    if not section or day is None or maker.kind in _BASES or amendment_meant(operation):
        return operation, ""
    for document in sorted(numbers):
        other = ground.instruments[document]
        made = _made(other)
        if document == operation.document or made is None or made >= day or not _stands(ground, other, day):
            continue
        new = new_number(ground, document, section)
        if new:
            terms = tuple(_placed(t, section, new) for t in operation.terms)
            target = operation.target.model_copy(update={"section": new})
            note = f"{operation.document} names {section}; by the renumbering in {document} that is the provision read as {new}."
            return operation.model_copy(update={"target": target, "terms": terms}), note
    return operation, ""


def _placed(terms: CovenantTerms, old: str, new: str) -> CovenantTerms:
    return terms.model_copy(update={"section": new}) if canonical_label(terms.section) == old else terms


def new_number(ground: Ground, document: str, section: str) -> str:
    """The number under which the product knows a provision that a document renumbered; empty where nothing is to be moved.

    A restatement holds the new text: an old number leads to the new one. An amendment leaves the agreement's own text, which
    is known by its old numbers: a new number leads back. A number that the text still uses otherwise leads nowhere.

    Args:
        ground: the case.
        document: the restatement or amendment that renumbers.
        section: the number asked for, in normal form.
    """
    mapping = ground.numbers.get(document) or renumbered(ground.views[document].text)
    if ground.instruments[document].kind in _BASES:
        new, labels = _under(section, mapping), _labels(ground, document)
        return new if new in labels and section not in labels else ""
    back = {n: o for o, n in mapping.items()}
    old = _under(section, back)
    bases = [i.document for i in ground.admitted.instruments if i.kind in _BASES]
    used = frozenset(label for d in bases for label in _labels(ground, d))
    return old if old in used and (section not in used or section in mapping) else ""


def _settled(ground: Ground, operation: Operation) -> Operation:
    """An operation without the doubts that an attestation or a paper of the pack settles."""
    if not any(t.doubts for t in operation.terms):
        return operation
    terms = tuple(
        t.model_copy(update={"doubts": tuple(d for d in t.doubts if not _settles(ground, t, d))}) if t.doubts else t
        for t in operation.terms
    )
    return operation.model_copy(update={"terms": terms}) if terms != operation.terms else operation


def _settles(ground: Ground, terms: CovenantTerms, doubt: Doubt) -> bool:
    manifest = ground.case.manifest
    if doubt.code == "review_mfn_external":
        return manifest.no_tighter_terms
    if doubt.code != NOT_IN_PACK:
        return False
    heads = {d: v.text for d, v in ground.views.items()}
    words = " ".join(s.text for s in terms.spans.get("clause", ()) or doubt.spans)
    return manifest.side_letters_apart or letter_there(words, ground.admitted.instruments, heads)
