"""The levels of a covenant over time, as known on the knowledge date."""

from __future__ import annotations

import datetime

from conformed.model.covenant import Covenant, TimelineEntry, Unit
from conformed.model.dates import Window
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.outcome import evaluate
from conformed.rules.precedence.reading import Outcome
from conformed.rules.precedence.targets import section_of
from conformed.rules.timed.election_conditions import quarter_ends_after

__all__ = ["shown_level", "timeline"]

_DAY = datetime.timedelta(days=1)
_MOST = 48
_INCREASE = 9  # quarter ends looked at after the event of an election: twice the usual four, and the one that follows


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


def _around(window: Window) -> tuple[datetime.date | None, datetime.date | None]:
    return window.start, window.end + _DAY if window.end else None


def _quarters(ground: Ground, event: datetime.date | None) -> set[datetime.date]:
    """Quarter ends after an event, and the days after them: an increase counts from one of them to another."""
    ends = quarter_ends_after(event, _INCREASE, ground.calendar) if event is not None and ground.calendar is not None else ()
    return {day for end in ends for day in (end, end + _DAY)}


def _edges(ground: Ground, slot: str) -> list[datetime.date]:
    """Days on which the level may change."""
    days: set[datetime.date | None] = set()
    for operation in (*ground.operations, *(o for o in ground.elections if o not in ground.operations)):
        instrument = ground.instruments[operation.document]
        days |= {instrument.effective_on, instrument.signed_on, operation.effective.date, operation.from_period}
        if instrument.effective_on is None:
            days.add(instrument.dated)
        for window in operation.windows:
            days.update(_around(window))
        if operation.election is not None and not operation.windows:
            days.update(_quarters(ground, operation.election.event_date))
        for terms in operation.terms:
            if terms.section == section_of(slot):
                days.add(terms.first_test)
                for row in terms.rows:
                    days.update(_around(row.window))
    return sorted(d for d in days if d is not None)


def _shown(outcomes: list[Outcome]) -> tuple[str, str, str]:
    """Level, document and reason of one stretch; more than one agreement in force is open unless they agree."""
    first = outcomes[0]
    document = first.state.setter.document if first.state.setter else ""
    if len({o.key for o in outcomes}) == 1 and first.result == "determined" and first.covenant is not None:
        return shown_level(first.covenant), first.covenant.document, first.covenant.row or first.covenant.reading
    if len({o.key for o in outcomes}) == 1 and first.result == "not_tested":
        return "not tested", document, first.not_tested.replace("_", " ")
    shown = [c for o in outcomes for c in ((o.covenant,) if o.covenant else o.candidates)]
    levels = " or ".join(dict.fromkeys(shown_level(c) for c in shown))
    return f"open: {levels}" if levels else "open", document, ""


def timeline(ground: Ground, slot: str) -> tuple[TimelineEntry, ...]:
    """One entry for each stretch of time with one level. Dates between listed test dates are left out.

    Args:
        ground: the case.
        slot: the covenant.
    """
    every = _edges(ground, slot)
    edges = every[:_MOST]
    entries: list[TimelineEntry] = []
    for position, day in enumerate(edges):
        outcomes = [evaluate(ground, chain, slot, day) for chain in ground.chains_on(day)]
        outcomes = [o for o in outcomes if o.state.terms is not None or o.state.deleted is not None or o.result == "not_tested"]
        # Beyond the last day that is looked at nothing is said.
        end = every[position + 1] - _DAY if position + 1 < len(every) else None
        if not outcomes or any(r.code in {"review_schedule_gap", "not_tested_not_a_test_date"} for r in outcomes[0].reasons):
            continue
        level, document, reason = _shown(outcomes)
        covenant = outcomes[0].covenant
        last = entries[-1] if entries else None
        if (
            last is not None
            and (last.level, last.document, last.reason) == (level, document, reason)
            and last.window.end == day - _DAY
        ):
            entries[-1] = last.model_copy(update={"window": Window(start=last.window.start, end=end)})
        else:
            spans = covenant.spans[:1] if covenant else ()
            entries.append(
                TimelineEntry(window=Window(start=day, end=end), level=level, document=document, reason=reason, spans=spans)
            )
    return tuple(entries)
