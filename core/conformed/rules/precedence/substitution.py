"""Find-and-replace instructions (PR-23): the words must stand once, and the provision is read again."""

from __future__ import annotations

import re
from dataclasses import replace

from conformed.language.terms import read_terms
from conformed.language.traced import Traced, join
from conformed.model.covenant import CovenantTerms, Row
from conformed.model.dates import FiscalCalendar
from conformed.model.operation import Operation, Place
from conformed.model.span import Span
from conformed.rules.precedence.schedule import clip
from conformed.rules.precedence.state import State, rows_from, superseding

__all__ = ["edit", "rewrite", "substitute"]

_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"])(?<!\bNo)(?<!\bInc)\.(?=\s+[A-Z(\"])")


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


def edit(text: Traced, find: str, new: Traced | None, place: Place) -> tuple[Traced | None, int]:
    """Carries out one edit at the place that it names; None and how often the place occurs where it is not one place.

    Args:
        text: the text in force.
        find: the words that name the place.
        new: the words that are put in; None where words only go.
        place: where.
    """
    if place is Place.LAST_SENTENCE:
        ends = [m.end() for m in _SENTENCE_END.finditer(text.text)]
        return (text.slice(0, ends[-1]), 1) if ends and new is None else (None, len(ends))
    if place is Place.END:
        if new is None:
            return None, 1
        stop = len(text.text.rstrip())
        inside = text.text[:stop].endswith(".") and (new.text.lstrip()[:1].islower() or new.text.lstrip()[:1] in ",;:(")
        at = stop - 1 if inside else stop
        if inside and new.text.rstrip().endswith("."):
            new = new.slice(0, len(new.text.rstrip()) - 1)
        return _put(text, at, at, new), 1
    places = _places(text.text, find)
    if len(places) != 1:
        return None, len(places)
    a, b = places[0]
    if place is Place.CUT:
        b += len(text.text[b:]) - len(text.text[b:].lstrip(" ")) if text.text[:a].endswith(" ") or not a else 0
        return join([text.slice(0, a), text.slice(b, len(text))]), 1
    if new is None:
        return None, 1
    if place is Place.INSTEAD:
        return join([text.slice(0, a), new, text.slice(b, len(text))]), 1
    at = b if place is Place.AFTER else a
    return _put(text, at, at, new), 1


def _put(text: Traced, a: int, b: int, new: Traced) -> Traced:
    """Words put in, set apart by a blank where letters would run together."""
    before, after = text.text[:a], text.text[b:]
    left = " " if before[-1:].isalnum() and new.text[:1] and new.text[:1] not in " ,;:.)" else ""
    right = " " if after[:1].isalnum() and not new.text[-1:].isspace() else ""
    blanks = [Traced(blank, ()) for blank in (left, right)]
    return join([text.slice(0, a), blanks[0], new, blanks[1], text.slice(b, len(text))])


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
    kept = _kept_rows(state, terms, section, calendar)
    if kept is None:
        return replace(done, text=text).doubting(
            "review_clause_not_fully_read",
            "Words beside the level were replaced in a text that does not show the level in force.",
            operation,
        )
    terms = terms.model_copy(update={"rows": kept})
    if operation.from_period is not None:
        terms = terms.model_copy(update={"rows": (*clip(old.rows, operation.from_period), *rows_from(terms.rows, operation))})
    return superseding(done, state, terms=terms, text=text, setter=operation, how="accept_substituted_text")


def _kept_rows(state: State, new: CovenantTerms, section: str, calendar: FiscalCalendar | None) -> tuple[Row, ...] | None:
    """The rows after words were replaced, or None where that is open.

    The text may not show the level in force: an instrument may have set a level without giving new words for it. Then the rows
    in force stay, if the replaced words were none of the old rows'; words that touched those change what is no longer in force.
    """
    old = state.terms
    assert old is not None
    assert state.text is not None
    read = read_terms(state.text, 0, len(state.text), section=section, caption=old.caption, calendar=calendar)
    own = [t for t in read if t.metric == old.metric] or list(read)
    if len(own) == 1 and _steps(own[0].rows) == _steps(old.rows):
        return new.rows
    if len(own) == 1 and _steps(own[0].rows) == _steps(new.rows):
        return old.rows
    return None


def _steps(rows: tuple[Row, ...]) -> list[tuple[object, ...]]:
    return [(r.limit.value, r.limit.unit, r.window, r.near, r.unclear) for r in rows]


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
