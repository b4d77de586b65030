"""Applies operations, in order, to the text and terms of one covenant (rule book PR-22 to PR-33)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from conformed.language.terms import read_terms
from conformed.language.traced import Traced, join
from conformed.model.base import Missing
from conformed.model.covenant import CovenantTerms, Doubt, Row
from conformed.model.dates import FiscalCalendar, Window
from conformed.model.operation import Op, Operation
from conformed.model.span import Span
from conformed.rules.schedule import clip

__all__ = ["State", "apply", "own_terms", "rewrite", "touches"]

_SETS = {Op.STATE_COVENANT, Op.REPLACE_PROVISION, Op.ADD_PROVISION, Op.REPLACE_TABLE, Op.REPLACE_ROW, Op.SUBSTITUTE_TEXT, Op.SET_LEVEL, Op.DELETE_PROVISION}


@dataclass(frozen=True, slots=True)
class State:
    """A covenant as it stands after some operations.

    Attributes:
        terms: what it says; None when it was deleted or never stated.
        text: its words with their origins.
        setter: operation that set the level now in force.
        how: accept code that says how the level was found.
        deleted: operation that deleted it.
        done: operations applied, oldest first, each with the document of the level it set.
        doubts: what could not be applied or understood.
        codes: order codes and findings.
        superseded: texts that stood there before, with the operation that put them there.
    """

    terms: CovenantTerms | None = None
    text: Traced | None = None
    setter: Operation | None = None
    how: str = ""
    deleted: Operation | None = None
    done: tuple[Operation, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    codes: tuple[str, ...] = ()
    superseded: tuple[tuple[Operation, Traced], ...] = field(default=())


def own_terms(operation: Operation, slot: str) -> list[CovenantTerms]:
    """The terms of an operation that belong to one covenant: same provision and, where it holds several, the same figure."""
    section, _, metric = slot.partition("#")
    here = [t for t in operation.terms if t.section == section]
    if not metric:
        return here
    return [t for t in here if t.metric == metric]


def touches(operation: Operation, slot: str) -> bool:
    """Whether a permanent operation works on a covenant's provision, or on one that encloses it."""
    section = slot.partition("#")[0]
    if operation.op is Op.STATE_COVENANT:
        return bool(own_terms(operation, slot))
    if operation.op not in _SETS and operation.op is not Op.OTHER_CHANGE:
        return False
    if any(t.section == section for t in operation.terms):
        return True
    target = operation.target.section
    if not target:
        return False
    if target == section:
        return True
    inside = section.startswith(target + "(") or section.startswith(target + ".")
    if operation.op is Op.ADD_PROVISION:
        return False
    return inside and "." in target


def rewrite(text: Traced, find: str, new: Traced) -> tuple[Traced | None, int]:
    """Replaces words that must occur exactly once (PR-23), and how often they occur; nothing is replaced otherwise."""
    words = [re.escape(w) for w in find.split()]
    places = list(re.finditer(r"\s+".join(words), text.text)) if words else []
    if len(places) != 1:
        return None, len(places)
    a, b = places[0].span()
    return join([text.slice(0, a), new, text.slice(b, len(text))]), 1


def _doubt(code: str, sentence: str, spans: tuple[Span, ...]) -> Doubt:
    return Doubt(code=code, sentence=sentence, spans=spans)


def apply(state: State, operation: Operation, section: str, payload: Traced | None, replacement: Traced | None, calendar: FiscalCalendar | None) -> State:
    """One operation on one covenant.

    Args:
        state: as it stands.
        operation: what is done.
        section: the covenant's slot: its provision, with ``#`` and the figure where the provision holds several.
        payload: the operation's new text.
        replacement: the replacing words of a substitution.
        calendar: fiscal calendar, for a text that must be read again.
    """
    done = replace(state, done=(*state.done, operation), doubts=(*state.doubts, *operation.doubts) if operation.op is Op.OTHER_CHANGE else state.doubts)
    if operation.op is Op.OTHER_CHANGE:
        return done
    if operation.op is Op.DELETE_PROVISION:
        return _superseding(done, state, terms=None, text=None, setter=operation, how="not_tested_covenant_deleted", deleted=operation)
    slot, section = section, section.partition("#")[0]
    own = own_terms(operation, slot) or ([operation.terms[0]] if len(operation.terms) == 1 and operation.target.section == section and "#" not in slot else [])
    if operation.op in {Op.STATE_COVENANT, Op.REPLACE_PROVISION, Op.ADD_PROVISION}:
        return _whole(done, state, operation, own, payload, section)
    if operation.op is Op.REPLACE_TABLE:
        return _table(done, state, operation, own, payload)
    if operation.op is Op.SET_LEVEL:
        return _level(done, state, operation)
    if operation.op is Op.SUBSTITUTE_TEXT:
        return _substitute(done, state, operation, section, replacement, calendar)
    return replace(done, doubts=(*done.doubts, _doubt("review_clause_not_fully_read", "An operation on the covenant was not understood.", operation.instruction)))


def _superseding(done: State, before: State, **changes: object) -> State:
    superseded = done.superseded
    if before.text is not None and before.setter is not None:
        superseded = (*superseded, (before.setter, before.text))
    codes = done.codes
    if before.setter is not None and before.setter.op is not Op.STATE_COVENANT and before.setter.document != getattr(changes.get("setter"), "document", None):
        codes = tuple(dict.fromkeys((*codes, "reject_superseded")))
    merged = {**{"superseded": superseded, "codes": codes}, **changes}
    return replace(done, **merged)  # type: ignore[arg-type]


def _changed(before: CovenantTerms | None, after: CovenantTerms) -> tuple[str, ...]:
    if before is None:
        return ()
    changed = (before.metric, before.comparator) != (after.metric, after.comparator)
    return ("finding_metric_changed",) if changed else ()


def _whole(done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None, section: str) -> State:
    if not own:
        if operation.op is Op.ADD_PROVISION and operation.target.section != section:
            return done
        doubt = _doubt("review_clause_not_fully_read", f"The provision {section} was replaced and no covenant could be read in the new text.", operation.instruction)
        return replace(done, doubts=(*done.doubts, doubt))
    how = "accept_base_statement" if operation.op is Op.STATE_COVENANT else "accept_amended_provision"
    findings = _changed(state.terms, own[0]) if operation.op is not Op.STATE_COVENANT else ()
    if len(own) > 1:
        done = replace(done, doubts=(*done.doubts, _doubt("review_target_ambiguous", f"Two covenants stand under {section}.", operation.instruction)))
    return _superseding(done, state, terms=own[0], text=payload, setter=operation, how=how, deleted=None, codes=tuple(dict.fromkeys((*done.codes, *findings))))


def _table(done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None) -> State:
    if not own:
        return replace(done, doubts=(*done.doubts, *operation.doubts))
    new = own[0]
    if state.terms is None:
        rows = new.rows
        return _superseding(done, state, terms=new.model_copy(update={"rows": rows}), text=payload, setter=operation, how="accept_amended_provision")
    old = state.terms
    doubts = list(done.doubts)
    comparator = old.comparator
    if not isinstance(new.comparator, Missing) and not isinstance(old.comparator, Missing) and (new.comparator.value[0] != old.comparator.value[0]):
        doubts.append(_doubt("review_comparator_ambiguous", "The new table and the provision disagree on the direction.", operation.instruction))
    start = operation.from_period
    rows = (*clip(old.rows, start), *new.rows) if start else new.rows
    merged = old.model_copy(update={"rows": rows, "doubts": tuple(d for d in (*old.doubts, *new.doubts) if d.code != "finding_definition_not_in_pack"), "comparator": comparator,
                                    "spans": {**old.spans, "table": new.spans.get("clause", ())}})  # fmt: skip
    return _superseding(replace(done, doubts=tuple(doubts)), state, terms=merged, text=state.text, setter=operation, how="accept_amended_provision")


def _level(done: State, state: State, operation: Operation) -> State:
    if state.terms is None or operation.limit is None:
        return replace(done, doubts=(*done.doubts, _doubt("review_target_not_found", "The provision whose level is set is not in the pack.", operation.instruction)))
    limit = operation.limit
    if operation.from_period is not None:
        rows: tuple[Row, ...] = (*clip(state.terms.rows, operation.from_period), Row(limit=limit, window=Window(start=operation.from_period), spans=limit.spans))
    else:
        rows = (Row(limit=limit, spans=limit.spans),)
    terms = state.terms.model_copy(update={"rows": rows})
    return _superseding(done, state, terms=terms, text=state.text, setter=operation, how="accept_amended_provision")


def _substitute(done: State, state: State, operation: Operation, section: str, replacement: Traced | None, calendar: FiscalCalendar | None) -> State:
    if state.text is None or state.terms is None or replacement is None:
        return replace(done, doubts=(*done.doubts, _doubt("review_target_not_found", "The text in which words are replaced is not in the pack.", operation.instruction)))
    text, count = rewrite(state.text, operation.find, replacement)
    if text is None:
        sentence = f"The words to be replaced occur {count} times in {section}; they must occur once."
        return replace(done, doubts=(*done.doubts, _doubt("review_anchor_not_unique", sentence, operation.instruction)))
    read = read_terms(text, 0, len(text), section=section, caption=state.terms.caption, calendar=calendar)
    same = [t for t in read if t.metric == state.terms.metric] or list(read)
    if len(same) != 1:
        sentence = "The provision could not be read again after the words were replaced."
        return replace(done, text=text, doubts=(*done.doubts, _doubt("review_clause_not_fully_read", sentence, operation.instruction)))
    terms = same[0]
    if operation.from_period is not None:
        later = tuple(r.model_copy(update={"window": r.window.model_copy(update={"start": max(r.window.start or operation.from_period, operation.from_period)})}) for r in terms.rows
                      if r.window.end is None or r.window.end >= operation.from_period)  # fmt: skip
        terms = terms.model_copy(update={"rows": (*clip(state.terms.rows, operation.from_period), *later)})
    return _superseding(done, state, terms=terms, text=text, setter=operation, how="accept_substituted_text")
