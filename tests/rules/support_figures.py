"""Certificates and covenants of small figures, for the tests of a calculation."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

from conformed.model.calculation import Calculation, Certificate, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.rules.calculation.calculate import Calculated, CaseFacts, calculate
from conformed.rules.calculation.formula import run_steps

__all__ = ["BASE", "DAY", "GROSS", "PLAIN", "QUARTERS", "D", "codes", "covenant", "figure", "period", "record", "run", "value"]

DAY = dt.date(2024, 9, 30)
GROSS = "means all Indebtedness of the Group"
PLAIN = "means Net Income of the Group"


def figure(name: str, value: object, label: str = "", **more: Any) -> Figure:
    """A line in millions of dollars."""
    return Figure(
        name=name,
        label=label or name.replace("addback_", "").replace("_", " "),
        value=Fraction(str(value)) * 10**6,
        raw=str(value),
        **{"currency": "USD", "scale": 1000, **more},
    )


def period(value: object, months: int, end: dt.date, name: str = "net_income", **more: Any) -> Figure:
    """Earnings of one period, millions."""
    return figure(f"{name}__{months}m_{end:%Y%m%d}", value, name, months=months, as_of=end, **more)


def covenant(
    debt: str = GROSS, earnings: str = PLAIN, level: str = "4.00", metric: str = "", comparator: Comparator = Comparator.LE
) -> Covenant:
    """A covenant with definitions of its own wording."""
    words = {"Total Debt": debt, "EBITDA": earnings}
    return Covenant(
        name="Leverage Ratio",
        metric=metric or ("net_leverage" if "cash" in debt.lower() else "total_leverage"),
        section="7.1",
        comparator=comparator,
        limit=Limit(unit=Unit.RATIO, value=Fraction(level), raw=f"{level} to 1.00", places=len(level.partition(".")[2])),
        document="a",
        definitions=tuple(Definition(term=term, text=text, instrument="a") for term, text in words.items()),
    )


def run(terms: Covenant, *lines: Figure, paper: dict[str, Any] | None = None, **facts: Any) -> Calculated:
    """A calculation with one certificate."""
    certificate = Certificate(document="c", test_date=DAY, signed=True, figures=lines, **(paper or {}))
    return calculate(terms, (certificate,), CaseFacts(test_date=DAY, home="USD", **facts))


def record(done: Calculated) -> Calculation:
    """The record, each of its steps worked again from figures and expressions alone."""
    assert isinstance(done.calculation, Calculation)
    inputs = {f.name: f.value for f in done.calculation.figures}
    assert run_steps(inputs, [(s.name, s.expression, s.unit) for s in done.calculation.steps]) == done.calculation.steps
    return done.calculation


def value(done: Calculated, name: str) -> Fraction:
    """A line of the trace in millions."""
    return next(s.value for s in record(done).steps if s.name == name) / 10**6


def codes(done: Calculated) -> set[str]:
    """Codes of a calculation."""
    return {reason.code for reason in done.reasons}


D = dt.date
QUARTERS = tuple(period(v, 3, e) for v, e in ((41, D(2023, 12, 31)), (44, D(2024, 3, 31)), (48, D(2024, 6, 30)), (57, DAY)))
BASE = (figure("total_debt", 500), figure("net_income", 110))
