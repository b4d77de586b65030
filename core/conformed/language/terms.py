"""Turns clause readings into covenant terms with exact spans."""

from __future__ import annotations

from conformed.language.boxes import without_choice
from conformed.language.clauses import ClauseReading, read_clauses
from conformed.language.increase_right import read_increase_right
from conformed.language.limits import LimitToken
from conformed.language.schedules import Step
from conformed.language.springing_clause import Springing, find_springing
from conformed.language.subjects import expected_direction, metric_of
from conformed.language.traced import Traced
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, CovenantKind, CovenantTerms, Doubt, Increase, Limit, Row, Unit
from conformed.model.dates import FiscalCalendar, Window
from conformed.model.span import Span

__all__ = ["limit_of", "read_terms", "rows_of", "terms_of", "with_condition"]


def limit_of(token: LimitToken, traced: Traced) -> Limit | None:
    """A limit with its span; None where the token could not be read."""
    if token.value is None:
        return None
    return Limit(unit=Unit(token.unit), value=token.value, raw=token.raw, places=token.places, currency=token.currency,
                 spans=traced.spans(token.start, token.end))  # fmt: skip


def rows_of(steps: tuple[Step, ...] | list[Step], traced: Traced) -> tuple[Row, ...]:
    """One row for each window of each step."""
    rows: list[Row] = []
    for step in steps:
        limits = [limit_of(step.limit, traced)]
        if limits == [None] and step.limit.readings:
            limits = [
                Limit(
                    unit=Unit(step.limit.unit), value=v, raw=step.limit.raw, spans=traced.spans(step.limit.start, step.limit.end)
                )
                for v in step.limit.readings
            ]
        whole_label = step.start, step.end
        label = " ".join(traced.text[whole_label[0] : whole_label[1]].split()).strip(" ,;|")
        flat = step.windows == (Window(),)
        windows = step.windows or ((Window(),) if len(steps) == 1 else ())
        rows.extend(
            Row(
                limit=limit,
                window=window,
                label="" if flat else label,
                near=step.near,
                unclear="review_boundary_date_ambiguous" if step.period else "",
                spans=() if flat else traced.spans(*whole_label),
            )
            for limit in limits
            if limit is not None
            for window in windows
        )
    return tuple(rows)


def _doubt(traced: Traced, code: str, sentence: str, start: int, end: int) -> Doubt:
    return Doubt(code=code, sentence=sentence, spans=traced.spans(start, min(end, start + 600)))


def terms_of(
    reading: ClauseReading, traced: Traced, *, section: str, caption: str = "", selected: bool | None = None
) -> CovenantTerms:
    """Terms of one clause.

    Args:
        reading: the clause as read.
        traced: the text that it was read from.
        section: its provision in normal form.
        caption: caption of the provision.
        selected: for a form with boxes, whether its box is ticked.
    """
    subject = reading.subject
    doubts = [_doubt(traced, d.what, d.sentence, d.start, d.end) for d in reading.doubts]
    comparator: Comparator | Missing = reading.comparator or Missing(
        reason="The clause does not say how equality is treated.", code="review_comparator_ambiguous"
    )
    direction = expected_direction(subject.name, subject.upper, subject.lower)
    if isinstance(comparator, Comparator) and direction and reading.kind is CovenantKind.MAINTENANCE:
        says = "max" if comparator in {Comparator.LE, Comparator.LT} else "min"
        if says != direction:
            # A caption alone would not matter; here the words turn the figure's own sense round (debt as a minimum).
            doubts.append(
                _doubt(
                    traced,
                    "review_comparator_ambiguous",
                    "The direction as written contradicts what the figure measures.",
                    *reading.comparator_at,
                )
            )
    increases = tuple(
        Increase(
            event=f.sentence,
            level=f.value if f.what == "level" else None,
            delta=f.value if f.what == "delta" else None,
            spans=traced.spans(f.start, f.end),
        )
        for f in reading.increases
    )
    spans: dict[str, tuple[Span, ...]] = {
        "metric": traced.spans(subject.start, subject.end),
        "comparator": traced.spans(*reading.comparator_at),
        "clause": traced.spans(reading.start, reading.end),
    }
    if reading.tested.end > reading.tested.start:
        spans["tested"] = traced.spans(reading.tested.start, reading.tested.end)
    return CovenantTerms(
        name=subject.name, metric=metric_of(subject.name, subject.upper, subject.lower), section=section, caption=caption,
        kind=reading.kind, comparator=comparator, rows=rows_of(reading.steps, traced), tested=reading.tested.what,
        first_test=reading.first, increases=increases, selected=selected, numerator=subject.upper, denominator=subject.lower,
        doubts=tuple(doubts), spans=spans,
    )  # fmt: skip


def read_terms(
    traced: Traced, start: int, end: int, *, section: str, caption: str = "", lead: str = "", selected: bool | None = None,
    calendar: FiscalCalendar | None = None,
) -> tuple[CovenantTerms, ...]:  # fmt: skip
    """Reads a stretch of text and gives the terms of every covenant in it."""
    text = without_choice(traced.text, start, end)
    springing = find_springing(text, start, end)
    if springing is not None:
        readings = read_clauses(springing.text, start, end, lead=lead, calendar=calendar)
        if len(readings) == 1 and readings[0].kind is CovenantKind.MAINTENANCE:
            terms = terms_of(readings[0], traced, section=section, caption=caption, selected=selected)
            terms = _with_right(terms, readings[0], springing.text, end, traced)
            return (with_condition(terms, springing, traced),)
    readings = read_clauses(text, start, end, lead=lead, calendar=calendar)
    found = tuple(terms_of(r, traced, section=section, caption=caption, selected=selected) for r in readings)
    return (_with_right(found[0], readings[0], text, end, traced),) if len(found) == 1 else found


def _with_right(terms: CovenantTerms, reading: ClauseReading, text: str, end: int, traced: Traced) -> CovenantTerms:
    """Terms whose right to an increase was read whole: one right with its conditions, in the place of what was seen of it."""
    right = read_increase_right(text, reading.end, end, terms.name) if terms.increases else None
    if right is None:
        return terms
    spans = traced.spans(right.start, right.end)
    asks = right.asks.model_copy(update={"spans": spans})
    one = Increase(event=right.event, delta=right.delta, cap=right.cap, asks=asks, spans=spans)
    return terms.model_copy(update={"increases": (one,)})


def with_condition(terms: CovenantTerms, springing: Springing, traced: Traced) -> CovenantTerms:
    """Terms of a covenant that depends on the use of a facility.

    Args:
        terms: the covenant.
        springing: the condition, found in the same text.
        traced: that text.
    """
    at = traced.spans(*springing.at)
    spans = {**terms.spans, "trigger": traced.spans(springing.start, springing.end)}
    whom = springing.beneficiary
    if springing.whom is not None:
        spans["beneficiary"] = traced.spans(*springing.whom)
    return terms.model_copy(
        update={
            "kind": CovenantKind.SPRINGING,
            "trigger": springing.trigger.model_copy(update={"spans": at}),
            "beneficiary": whom,
            "consent_class": f"required_{whom}" if whom else "",
            "spans": spans,
        }
    )
