"""Find-and-replace instructions (PR-23): the words must stand once, and the provision is read again."""

from __future__ import annotations

import re
from dataclasses import replace

from conformed.language.terms import read_terms
from conformed.language.traced import Traced, join
from conformed.model.covenant import CovenantTerms
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Operation
from conformed.model.span import Span
from conformed.rules.schedule import clip
from conformed.rules.state import State, rows_from, superseding

__all__ = ["rewrite", "substitute"]


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


def _inside(spans: tuple[Span, ...], around: tuple[Span, ...]) -> bool:
    return bool(spans) and all(
        any(s.document == a.document and a.start <= s.start and s.end <= a.end for a in around) for s in spans
    )


def substitute(
    done: State, state: State, operation: Operation, section: str, replacement: Traced | None, calendar: FiscalCalendar | None
) -> State:
    """Carries out one find-and-replace instruction on the covenant's text, or says why it could not be.

    Args:
        done: the state with the operation noted.
        state: the state as it stood.
        operation: the instruction.
        section: the covenant's provision.
        replacement: the words that it puts in.
        calendar: fiscal calendar, for the text that is read again.
    """
    old = state.terms
    if state.text is None or old is None or replacement is None:
        return done.doubting("review_target_not_found", "The text in which words are replaced is not in the pack.", operation)
    places = _places(state.text.text, operation.find)
    text, count = rewrite(state.text, operation.find, replacement)
    if text is None:
        return done.doubting(
            "review_anchor_not_unique",
            f"The words to be replaced occur {count} times in {section}; they must occur once.",
            operation,
        )
    read = read_terms(text, 0, len(text), section=section, caption=old.caption, calendar=calendar)
    same = [t for t in read if t.metric == old.metric] or list(read)
    if len(same) != 1:
        return replace(done, text=text).doubting(
            "review_clause_not_fully_read", "The provision could not be read again after the words were replaced.", operation
        )
    removed = state.text.spans(*places[0])
    terms = _carried(old, same[0], removed)
    if old.first_test is not None and same[0].first_test is None and re.search(r"\d{4}", operation.find):
        done = done.doubting(
            "review_clause_not_fully_read", "A date was replaced and the first test date could not be read again.", operation
        )
    if operation.from_period is not None:
        terms = terms.model_copy(update={"rows": (*clip(old.rows, operation.from_period), *rows_from(terms.rows, operation))})
    return superseding(done, state, terms=terms, text=text, setter=operation, how="accept_substituted_text")


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
