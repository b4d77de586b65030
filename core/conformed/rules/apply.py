"""Applies operations, in order, to the text and terms of one covenant (rule book PR-22 to PR-33)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from conformed.language.terms import read_terms
from conformed.language.traced import Traced, join
from conformed.model.base import Missing
from conformed.model.covenant import CovenantTerms, Doubt, Limit, Row
from conformed.model.dates import FiscalCalendar, Window
from conformed.model.operation import Op, Operation
from conformed.model.span import Span
from conformed.rules.schedule import clip
from conformed.rules.targets import own_terms, section_of

__all__ = ["State", "apply", "rewrite"]

_WHOLE = {Op.STATE_COVENANT, Op.REPLACE_PROVISION, Op.ADD_PROVISION}


@dataclass(frozen=True, slots=True)
class State:
    """A covenant as it stands after some operations.

    Attributes:
        terms: what it says; None when it was deleted or never stated.
        text: its words with their origins.
        setter: operation that set the level now in force.
        how: accept code that says how the level was found.
        deleted: operation that deleted it.
        done: operations applied, oldest first.
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

    def doubting(self, code: str, sentence: str, operation: Operation) -> State:
        """The same state with one more doubt."""
        return replace(self, doubts=(*self.doubts, Doubt(code=code, sentence=sentence, spans=operation.instruction)))


def _places(text: str, find: str) -> list[tuple[int, int]]:
    """Where words stand as whole words and numbers, whatever the white space between them."""
    words = find.split()
    if not words:
        return []
    before = r"(?<![A-Za-z0-9])(?<!\d[.,])" if words[0][0].isalnum() else ""
    after = r"(?![A-Za-z0-9])(?![.,]\d)" if words[-1][-1].isalnum() else ""
    return [m.span() for m in re.finditer(before + r"\s+".join(re.escape(w) for w in words) + after, text)]


def rewrite(text: Traced, find: str, new: Traced) -> tuple[Traced | None, int]:
    """Replaces words that must occur exactly once (PR-23), and how often they occur; nothing is replaced otherwise."""
    places = _places(text.text, find)
    if len(places) != 1:
        return None, len(places)
    a, b = places[0]
    return join([text.slice(0, a), new, text.slice(b, len(text))]), 1


def apply(state: State, operation: Operation, slot: str, payload: Traced | None, replacement: Traced | None, calendar: FiscalCalendar | None) -> State:
    """One operation on one covenant.

    Args:
        state: as it stands.
        operation: what is done.
        slot: the covenant's provision, with ``#`` and the figure where the provision holds several.
        payload: the operation's new text.
        replacement: the replacing words of a substitution.
        calendar: fiscal calendar, for a text that must be read again.
    """
    done = replace(state, done=(*state.done, operation), doubts=(*state.doubts, *operation.doubts))
    if operation.op is Op.OTHER_CHANGE:
        if any(d.code.startswith("review") for d in operation.doubts):
            return done
        return done.doubting("review_clause_not_fully_read", "A change of the covenant's provision was not understood.", operation)
    if operation.op is Op.DELETE_PROVISION:
        return _superseding(done, state, terms=None, text=None, setter=operation, how="not_tested_covenant_deleted", deleted=operation)
    section = section_of(slot)
    own = own_terms(operation, slot)
    if not own and len(operation.terms) == 1 and operation.target.section == section and "#" not in slot:
        own = [operation.terms[0]]
    if operation.op in _WHOLE:
        return _whole(done, state, operation, own, payload, section)
    if operation.op is Op.REPLACE_TABLE:
        return _table(done, state, operation, own, payload)
    if operation.op is Op.REPLACE_ROW:
        return _row(done, state, operation, own)
    if operation.op is Op.SET_LEVEL:
        return _level(done, state, operation)
    if operation.op is Op.SUBSTITUTE_TEXT:
        return _substitute(done, state, operation, section, replacement, calendar)
    return done.doubting("review_clause_not_fully_read", "An operation on the covenant was not understood.", operation)


def _superseding(done: State, before: State, **changes: object) -> State:
    superseded = done.superseded
    if before.text is not None and before.setter is not None:
        superseded = (*superseded, (before.setter, before.text))
    codes = done.codes
    setter = changes["setter"]
    assert isinstance(setter, Operation)
    if before.setter is not None and before.how != "accept_base_statement" and before.setter.document != setter.document:
        codes = tuple(dict.fromkeys((*codes, "reject_superseded")))
    return replace(done, **{"superseded": superseded, "codes": codes, **changes})  # type: ignore[arg-type]


def _differs(a: CovenantTerms, b: CovenantTerms) -> bool:
    return (a.metric, a.comparator, [(r.limit.value, r.window) for r in a.rows]) != (b.metric, b.comparator, [(r.limit.value, r.window) for r in b.rows])


def _whole(done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None, section: str) -> State:
    if not own:
        if operation.op is Op.ADD_PROVISION and operation.target.section != section:
            return done
        return done.doubting("review_clause_not_fully_read", f"The provision {section} was replaced and no covenant could be read in the new text.", operation)
    how = "accept_base_statement" if operation.op is Op.STATE_COVENANT else "accept_amended_provision"
    twice = state.setter is not None and state.setter.op is Op.STATE_COVENANT is operation.op and state.setter.document == operation.document
    if len(own) > 1 or (twice and state.terms is not None and _differs(state.terms, own[0])):
        done = done.doubting("review_target_ambiguous", f"Two covenants stand under {section}.", operation)
    codes = done.codes
    if operation.op is not Op.STATE_COVENANT and state.terms is not None:
        changed = (state.terms.metric, state.terms.comparator, state.terms.tested) != (own[0].metric, own[0].comparator, own[0].tested)
        codes = tuple(dict.fromkeys((*codes, *(["finding_metric_changed"] if changed else []))))
    return _superseding(replace(done, codes=codes), state, terms=own[0], text=payload, setter=operation, how=how, deleted=None)


def _table(done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None) -> State:
    if not own:
        return done.doubting("review_clause_not_fully_read", "A table of the provision was replaced and no levels could be read in it.", operation)
    new, old, start = own[0], state.terms, operation.from_period
    if len(own) > 1:
        done = done.doubting("review_target_ambiguous", "The new table gives two sets of levels.", operation)
    if old is None:
        return _superseding(done, state, terms=new, text=payload, setter=operation, how="accept_amended_provision")
    if not isinstance(new.comparator, Missing) and not isinstance(old.comparator, Missing) and new.comparator.value[0] != old.comparator.value[0]:
        done = done.doubting("review_comparator_ambiguous", "The new table and the provision disagree on the direction.", operation)
    rows = (*clip(old.rows, start), *new.rows) if start else new.rows
    doubts = tuple(d for d in (*old.doubts, *new.doubts) if d.code != "finding_definition_not_in_pack")
    merged = old.model_copy(update={"rows": rows, "doubts": doubts, "spans": {**old.spans, "table": new.spans.get("clause", ())}})
    return _superseding(done, state, terms=merged, text=state.text, setter=operation, how="accept_amended_provision")


def _row(done: State, state: State, operation: Operation, own: list[CovenantTerms]) -> State:
    """One row replaced: the row of the same days, or of the same label; the others stay (PR-33)."""
    if state.terms is None:
        return done.doubting("review_target_not_found", "The table of which a row is replaced is not in the pack.", operation)
    if len(own) != 1 or len(own[0].rows) != 1:
        return done.doubting("review_clause_not_fully_read", "The new row could not be read.", operation)
    new = own[0].rows[0]
    named = " ".join(operation.target.row.split()).casefold()
    at = [i for i, r in enumerate(state.terms.rows) if r.window == new.window or (named and " ".join(r.label.split()).casefold() == named)]
    if len(at) != 1:
        return done.doubting("review_target_not_found", "The row to be replaced is not one row of the table in force.", operation)
    rows = tuple(new if i == at[0] else r for i, r in enumerate(state.terms.rows))
    terms = state.terms.model_copy(update={"rows": rows, "doubts": (*state.terms.doubts, *own[0].doubts)})
    return _superseding(done, state, terms=terms, text=state.text, setter=operation, how="accept_amended_provision")


def _moved(row: Row, operation: Operation) -> Limit:
    """A level after "increased by" (PR-28): the change is added to what stood there."""
    assert operation.delta is not None
    spans = operation.instruction or row.limit.spans
    return row.limit.model_copy(update={"value": row.limit.value + operation.delta, "raw": spans[0].text if spans else row.limit.raw, "spans": spans})


def _level(done: State, state: State, operation: Operation) -> State:
    if state.terms is None:
        return done.doubting("review_target_not_found", "The provision whose level is set is not in the pack.", operation)
    limit, start = operation.limit, operation.from_period
    if limit is not None:
        if any(r.limit.unit is not limit.unit for r in state.terms.rows):
            return done.doubting("review_target_ambiguous", "A ratio is set where an amount stands, or the other way round.", operation)
        new: tuple[Row, ...] = (Row(limit=limit, window=Window(start=start), spans=limit.spans),)
    elif operation.delta is not None:
        new = tuple(r.model_copy(update={"limit": _moved(r, operation)}) for r in state.terms.rows)
        new = _from(new, operation)
    else:
        return done.doubting("review_clause_not_fully_read", "A level is set and the level could not be read.", operation)
    rows = (*clip(state.terms.rows, start), *new) if start is not None else new
    terms = state.terms.model_copy(update={"rows": rows})
    return _superseding(done, state, terms=terms, text=state.text, setter=operation, how="accept_amended_provision")


def _from(rows: tuple[Row, ...], operation: Operation) -> tuple[Row, ...]:
    """Rows as they stand for periods from the first that a change covers."""
    start = operation.from_period
    if start is None:
        return rows
    return tuple(
        r.model_copy(update={"window": r.window.model_copy(update={"start": max(r.window.start or start, start)})})
        for r in rows
        if r.window.end is None or r.window.end >= start
    )


def _inside(spans: tuple[Span, ...], around: tuple[Span, ...]) -> bool:
    return bool(spans) and all(any(s.document == a.document and a.start <= s.start and s.end <= a.end for a in around) for s in spans)


def _substitute(done: State, state: State, operation: Operation, section: str, replacement: Traced | None, calendar: FiscalCalendar | None) -> State:
    old = state.terms
    if state.text is None or old is None or replacement is None:
        return done.doubting("review_target_not_found", "The text in which words are replaced is not in the pack.", operation)
    places = _places(state.text.text, operation.find)
    text, count = rewrite(state.text, operation.find, replacement)
    if text is None:
        return done.doubting("review_anchor_not_unique", f"The words to be replaced occur {count} times in {section}; they must occur once.", operation)
    read = read_terms(text, 0, len(text), section=section, caption=old.caption, calendar=calendar)
    same = [t for t in read if t.metric == old.metric] or list(read)
    if len(same) != 1:
        return replace(done, text=text).doubting("review_clause_not_fully_read", "The provision could not be read again after the words were replaced.", operation)
    removed = state.text.spans(*places[0])
    terms = _carried(old, same[0], removed)
    if old.first_test is not None and terms.first_test is None and re.search(r"\d{4}", operation.find):
        done = done.doubting("review_clause_not_fully_read", "A date was replaced and the first test date could not be read again.", operation)
    if operation.from_period is not None:
        terms = terms.model_copy(update={"rows": (*clip(old.rows, operation.from_period), *_from(terms.rows, operation))})
    return _superseding(done, state, terms=terms, text=text, setter=operation, how="accept_substituted_text")


def _carried(old: CovenantTerms, new: CovenantTerms, removed: tuple[Span, ...]) -> CovenantTerms:
    """The terms read again, with what was known of the covenant from elsewhere; a doubt ends only with the words that raised it."""
    told = {d.code for d in new.doubts}
    doubts = [d for d in old.doubts if d.code.startswith("review") and d.code not in told and not _inside(d.spans, removed)]
    kept = {
        "trigger": new.trigger or old.trigger,
        "selected": old.selected if new.selected is None else new.selected,
        "increases": new.increases or tuple(i for i in old.increases if not _inside(i.spans, removed)),
        "first_test": new.first_test or old.first_test,
    }
    return new.model_copy(update={**kept, "doubts": (*new.doubts, *doubts)})
