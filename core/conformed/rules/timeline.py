"""The levels of a covenant over time, as known on the knowledge date."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from conformed.model.covenant import Covenant, TimelineEntry, Unit
from conformed.model.dates import Window
from conformed.rules.admit import Admitted
from conformed.rules.chains import Chain
from conformed.rules.outcome import Ground, Outcome, evaluate

__all__ = ["shown_level", "timeline"]

_DAY = datetime.timedelta(days=1)
_MOST = 48


def shown_level(covenant: Covenant) -> str:
    """Level as shown to people: sign, then the number as written."""
    limit = covenant.limit
    if limit.unit is Unit.AMOUNT:
        return f"{covenant.comparator.sign} {limit.currency} {limit.value}"
    if limit.places is not None:
        whole = limit.value * 10**limit.places
        if whole.denominator == 1:
            digits = str(whole.numerator).rjust(limit.places + 1, "0")
            head, tail = digits[: len(digits) - limit.places], digits[len(digits) - limit.places :]
            return f"{covenant.comparator.sign} {head}{'.' + tail if tail else ''}x"
    return f"{covenant.comparator.sign} {limit.value}x"


def _edges(ground: Ground, section: str) -> list[datetime.date]:
    days: set[datetime.date] = set()
    for operation in ground.operations:
        instrument = ground.instruments[operation.document]
        days.update(d for d in (instrument.effective_on, operation.effective.date, operation.from_period) if d is not None)
        if instrument.effective_on is None and instrument.dated is not None:
            days.add(instrument.dated)
        for window in operation.windows:
            days.update(d for d in (window.start, window.end + _DAY if window.end else None) if d is not None)
        for terms in operation.terms:
            if terms.section != section.partition("#")[0]:
                continue
            for row in terms.rows:
                days.update(d for d in (row.window.start, row.window.end + _DAY if row.window.end else None) if d is not None)
            if terms.first_test:
                days.add(terms.first_test)
    return sorted(days)


def _shown(outcome: Outcome) -> tuple[str, str, str]:
    if outcome.result == "determined" and outcome.covenant is not None:
        return shown_level(outcome.covenant), outcome.covenant.document, outcome.covenant.row or outcome.covenant.reading
    if outcome.result == "not_tested":
        return "not tested", outcome.state.setter.document if outcome.state.setter else "", outcome.not_tested.replace("_", " ")
    levels = " or ".join(dict.fromkeys(shown_level(c) for c in outcome.candidates))
    return f"open: {levels}" if levels else "open", outcome.state.setter.document if outcome.state.setter else "", ""


def timeline(ground: Ground, admitted: Admitted, section: str, chains_on: Callable[[Ground, Admitted, datetime.date], tuple[Chain, ...]]) -> tuple[TimelineEntry, ...]:
    """One entry for each stretch of time with one level. Dates between listed test dates are left out."""
    edges = _edges(ground, section)[:_MOST]
    entries: list[TimelineEntry] = []
    for position, day in enumerate(edges):
        chains = [c for c in chains_on(ground, admitted, day)]
        outcomes = [evaluate(ground, c, section, day) for c in chains]
        outcomes = [o for o in outcomes if o.state.terms is not None or o.state.deleted is not None or o.result == "not_tested"]
        end = edges[position + 1] - _DAY if position + 1 < len(edges) else None
        if not outcomes or any(r.code in {"review_schedule_gap", "not_tested_not_a_test_date"} for r in outcomes[0].reasons):
            continue
        level, document, reason = _shown(outcomes[0])
        spans = outcomes[0].covenant.spans[:1] if outcomes[0].covenant else ()
        last = entries[-1] if entries else None
        if last is not None and (last.level, last.document, last.reason) == (level, document, reason) and last.window.end == day - _DAY:
            entries[-1] = last.model_copy(update={"window": Window(start=last.window.start, end=end)})
        else:
            entries.append(TimelineEntry(window=Window(start=day, end=end), level=level, document=document, reason=reason, spans=spans))
    return tuple(entries)
