"""Applies operations, in order, to the text and terms of one covenant (rule book PR-22 to PR-28, PR-33)."""

from __future__ import annotations

from dataclasses import replace

from conformed.language.traced import Traced
from conformed.model.base import Missing
from conformed.model.covenant import CovenantTerms, Limit, Row
from conformed.model.dates import FiscalCalendar, Window
from conformed.model.operation import Op, Operation
from conformed.rules.precedence.schedule import clip
from conformed.rules.precedence.state import State, rows_from, superseding
from conformed.rules.precedence.substitution import substitute
from conformed.rules.precedence.targets import own_terms, section_of

__all__ = ["apply"]

_WHOLE = {Op.STATE_COVENANT, Op.REPLACE_PROVISION, Op.ADD_PROVISION}


def apply(
    state: State,
    operation: Operation,
    slot: str,
    payload: Traced | None,
    replacement: Traced | None,
    calendar: FiscalCalendar | None,
) -> State:
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
        return done.doubting(
            "review_clause_not_fully_read", "A change of the covenant's provision was not understood.", operation
        )
    if operation.op is Op.DELETE_PROVISION:
        return superseding(
            done, state, terms=None, text=None, setter=operation, how="not_tested_covenant_deleted", deleted=operation
        )
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
        return substitute(done, state, operation, section, replacement, calendar)
    return done.doubting("review_clause_not_fully_read", "An operation on the covenant was not understood.", operation)


def _differs(a: CovenantTerms, b: CovenantTerms) -> bool:
    return (a.metric, a.comparator, [(r.limit.value, r.window) for r in a.rows]) != (
        b.metric,
        b.comparator,
        [(r.limit.value, r.window) for r in b.rows],
    )


def _whole(
    done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None, section: str
) -> State:
    if not own:
        if operation.op is Op.ADD_PROVISION and operation.target.section != section:
            return done
        return done.doubting(
            "review_clause_not_fully_read",
            f"The provision {section} was replaced and no covenant could be read in the new text.",
            operation,
        )
    how = "accept_base_statement" if operation.op is Op.STATE_COVENANT else "accept_amended_provision"
    twice = (
        state.setter is not None
        and state.setter.op is Op.STATE_COVENANT is operation.op
        and state.setter.document == operation.document
    )
    if len(own) > 1 or (twice and state.terms is not None and _differs(state.terms, own[0])):
        done = done.doubting("review_target_ambiguous", f"Two covenants stand under {section}.", operation)
    if operation.op is Op.ADD_PROVISION and state.terms is not None and _differs(state.terms, own[0]):
        done = done.doubting(
            "review_target_ambiguous", f"A provision {section} is added where one already states a covenant.", operation
        )
    codes = done.codes
    if operation.op is not Op.STATE_COVENANT and state.terms is not None:
        changed = (state.terms.metric, state.terms.comparator, state.terms.tested) != (
            own[0].metric,
            own[0].comparator,
            own[0].tested,
        )
        codes = tuple(dict.fromkeys((*codes, *(["finding_metric_changed"] if changed else []))))
    new = own[0]
    if operation.from_period is not None and state.terms is not None and operation.op is not Op.STATE_COVENANT:
        # Earlier periods keep the old text: its rows stand up to the day from which the new text counts.
        if (state.terms.metric, state.terms.comparator) != (new.metric, new.comparator):
            done = done.doubting(
                "review_clause_not_fully_read",
                "The new text counts from a later period only, and is of another kind than the old one.",
                operation,
            )
        new = new.model_copy(update={"rows": (*clip(state.terms.rows, operation.from_period), *rows_from(new.rows, operation))})
    return superseding(replace(done, codes=codes), state, terms=new, text=payload, setter=operation, how=how, deleted=None)


def _table(done: State, state: State, operation: Operation, own: list[CovenantTerms], payload: Traced | None) -> State:
    if not own and any(t.metric == "unnamed" for t in operation.terms):
        return done.doubting(
            "review_target_ambiguous",
            "The provision holds more than one table, and the instruction does not say which.",
            operation,
        )
    if not own:
        return done.doubting(
            "review_clause_not_fully_read", "A table of the provision was replaced and no levels could be read in it.", operation
        )
    new, old, start = own[0], state.terms, operation.from_period
    if len(own) > 1:
        done = done.doubting("review_target_ambiguous", "The new table gives two sets of levels.", operation)
    if old is None:
        return superseding(done, state, terms=new, text=payload, setter=operation, how="accept_amended_provision")
    if (
        not isinstance(new.comparator, Missing)
        and not isinstance(old.comparator, Missing)
        and new.comparator.value[0] != old.comparator.value[0]
    ):
        done = done.doubting(
            "review_comparator_ambiguous", "The new table and the provision disagree on the direction.", operation
        )
    rows = (*clip(old.rows, start), *new.rows) if start else new.rows
    doubts = tuple(d for d in (*old.doubts, *new.doubts) if d.code != "finding_definition_not_in_pack")
    merged = old.model_copy(update={"rows": rows, "doubts": doubts, "spans": {**old.spans, "table": new.spans.get("clause", ())}})
    return superseding(done, state, terms=merged, text=state.text, setter=operation, how="accept_amended_provision")


def _row(done: State, state: State, operation: Operation, own: list[CovenantTerms]) -> State:
    """One row replaced: the row of the same days, or of the same label; the others stay (PR-33)."""
    if state.terms is None:
        return done.doubting("review_target_not_found", "The table of which a row is replaced is not in the pack.", operation)
    if len(own) != 1 or len(own[0].rows) != 1:
        return done.doubting("review_clause_not_fully_read", "The new row could not be read.", operation)
    new = own[0].rows[0]
    named = " ".join(operation.target.row.split()).casefold()
    at = [
        i
        for i, r in enumerate(state.terms.rows)
        if r.window == new.window or (named and " ".join(r.label.split()).casefold() == named)
    ]
    if len(at) != 1:
        return done.doubting("review_target_not_found", "The row to be replaced is not one row of the table in force.", operation)
    rows = tuple(new if i == at[0] else r for i, r in enumerate(state.terms.rows))
    terms = state.terms.model_copy(update={"rows": rows, "doubts": (*state.terms.doubts, *own[0].doubts)})
    return superseding(done, state, terms=terms, text=state.text, setter=operation, how="accept_amended_provision")


def _moved(row: Row, operation: Operation) -> Limit:
    """A level after "increased by" (PR-28): the change is added to what stood there."""
    assert operation.delta is not None
    spans = operation.instruction or row.limit.spans
    return row.limit.model_copy(
        update={"value": row.limit.value + operation.delta, "raw": spans[0].text if spans else row.limit.raw, "spans": spans}
    )


def _level(done: State, state: State, operation: Operation) -> State:
    if state.terms is None:
        return done.doubting("review_target_not_found", "The provision whose level is set is not in the pack.", operation)
    limit, start = operation.limit, operation.from_period
    if limit is not None:
        if any(r.limit.unit is not limit.unit for r in state.terms.rows):
            return done.doubting(
                "review_target_ambiguous", "A ratio is set where an amount stands, or the other way round.", operation
            )
        new: tuple[Row, ...] = (Row(limit=limit, window=Window(start=start), spans=limit.spans),)
    elif operation.delta is not None:
        new = tuple(r.model_copy(update={"limit": _moved(r, operation)}) for r in state.terms.rows)
        new = rows_from(new, operation)
    else:
        return done.doubting("review_clause_not_fully_read", "A level is set and the level could not be read.", operation)
    rows = (*clip(state.terms.rows, start), *new) if start is not None else new
    terms = state.terms.model_copy(update={"rows": rows})
    return superseding(done, state, terms=terms, text=state.text, setter=operation, how="accept_amended_provision")
