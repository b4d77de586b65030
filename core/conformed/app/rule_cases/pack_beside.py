"""What stands beside the result of a pack that is given as data: cures, days of delivery, the next test."""

from __future__ import annotations

import datetime as dt
import re

from conformed.app.rule_cases.pack_cures import deliveries_of, right_of, use_of
from conformed.app.rule_cases.pack_shapes import PackCase, PackDocument
from conformed.model.base import exact
from conformed.model.calculation import Certificate
from conformed.model.covenant import Comparator
from conformed.model.dates import FiscalCalendar
from conformed.rules.beside.beside import NextTest, Papers
from conformed.rules.beside.deadlines import Arrival
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.compare import compare

__all__ = ["papers_of_case"]

_BARS = re.compile(r"accelerat|enforcement", re.IGNORECASE)


def papers_of_case(case: PackCase) -> Papers:
    """What the documents of a pack say beside covenant and ratio, as far as they were known.

    Args:
        case: a pack as data.
    """
    known = [d for d in case.documents if d.dated is None or d.dated <= case.known_at]
    rights = [op.right for d in known for op in d.ops if op.right is not None and _made(d)]
    quarter = next((d.delivery_days for d in known if d.delivery_days is not None), None)
    year = next((d.annual_delivery_days for d in known if d.annual_delivery_days is not None), None)
    agreement = AgreementTerms(
        cure=right_of(rights[-1]) if rights else None, deliveries=deliveries_of(quarter, year if year is not None else quarter)
    )
    filed = next((d for d in known if d.kind == "compliance_certificate"), None)
    end = case.test_date
    return Papers(
        test=case.test_date,
        known=case.known_at,
        agreement=agreement,
        calendar=FiscalCalendar(end_month=end.month, end_day=end.day),
        uses=tuple(use_of(op.use, d.doc, d.dated if _made(d) else None) for d in known for op in d.ops if op.use is not None),
        arrival=_arrival(filed),
        certificate=None if filed is None else _certificate(filed, case.test_date),
        next_test=lambda: _next(case),
        barring=_barring(case, known),
    )


def _made(document: PackDocument) -> bool:
    return document.execution == "executed"


def _arrival(filed: PackDocument | None) -> Arrival | None:
    day = None if filed is None else filed.delivered_on or filed.dated
    return None if filed is None or day is None else Arrival(filed.doc, day)


def _certificate(filed: PackDocument, test: dt.date) -> Certificate:
    level = None if filed.states_level is None else exact(filed.states_level)
    return Certificate(document=filed.doc, test_date=test, states_level=level)


def _next(case: PackCase) -> NextTest | None:
    """The next test, on the level that the pack states last for it: the figures are the case's own."""
    after = case.next_test
    stated = [op for d in case.documents for op in d.ops if op.op == "state" and op.level is not None]
    if after is None or len(stated) != 1 or exact(after.denominator) <= 0:
        return None
    ratio = exact(after.numerator) / exact(after.denominator)
    level = exact(stated[0].level or "0")
    return NextTest(after.test_date, compare(ratio, Comparator(stated[0].comparator or "le"), level))


def _barring(case: PackCase, known: list[PackDocument]) -> tuple[dt.date, ...] | None:
    days = [d.dated or dt.date.min for d in known if _BARS.search(f"{d.kind} {' '.join(d.says)}")]
    denied = case.next_test is not None and case.next_test.no_enforcement
    return tuple(sorted(days)) if days else () if denied else None
