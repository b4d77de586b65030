"""Shapes of case files: what all share, patterns and calculations. Their keys are those of the rule book's own data files.

What a case expects is free data (any field, any name), because it is compared and never used; what a case gives to the
product is typed, so that a slip of the pen is refused with its place.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from conformed.policy.nulls import NOTHING
from conformed.policy.refused import RefusedError

__all__ = [
    "CalculationCase",
    "CalculationFile",
    "Case",
    "Comparator",
    "Comparing",
    "Day",
    "Effect",
    "Number",
    "PatternCase",
    "PatternFile",
    "Shape",
    "once",
]


_EXACT = re.compile(r"-?\d+(?:\.\d+|/[1-9]\d*)?\Z", re.ASCII)


def _number(text: str) -> str:
    """A number kept as it is written; an exponent, an underscore or a sign of plus is refused."""
    if not _EXACT.match(text):
        raise RefusedError(f"{text!r} is not an exact number.", "Write a decimal or a fraction: 3.50 or 7/2.")
    return text


def _day(text: str) -> str:
    try:
        dt.date.fromisoformat(text)
    except ValueError as problem:
        raise RefusedError(f"{text!r} is not a date.", "Write year, month and day: 2024-12-31.") from problem
    return text


def _name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII):
        raise RefusedError(f"{text!r} is not a name.", "Use letters, digits and underscores.")
    return text


Number = Annotated[str, AfterValidator(_number)]
"""An exact number as it is written."""
Day = Annotated[str, AfterValidator(_day)]
"""A date that may also be ``null``."""
Name = Annotated[str, AfterValidator(_name)]
"""A name of an input or a step."""
Comparator = Literal["le", "lt", "ge", "gt"]
"""What compliance needs."""


_LONGEST = 20_000
"""Longest clause, in characters."""


class Shape(BaseModel):
    """Closed, frozen; a key whose value is ``null`` counts as left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if v != NOTHING} if isinstance(data, dict) else data


class Case(Shape):
    """What every case has."""

    id: str = Field(min_length=1)
    """Name of the case: any text, once a file."""
    title: str = ""
    """What it is about, for people."""
    note: str = ""
    """For people."""


class Effect(Shape):
    """How a pattern's clause gets its effective date."""

    mode: str
    """Expected: one of the modes of rule book 3.2."""
    date: Day | None = None
    """Given: the day, attested elsewhere, on which the clause came into effect or its event happened."""


class PatternCase(Case):
    """One clause and its right reading."""

    family: str = ""
    """For people."""
    style: str = ""
    """For people: us or uk."""
    clause: str = Field(min_length=1)
    """The text; everything is read from it."""
    facts: tuple[str, ...] = ()
    """For people."""
    test_date: dt.date | None = None
    """Given: the test date of the question, by definition the end of a period."""
    reading: dict[str, Any]
    """Expected fields."""
    effective: Effect | None = None
    """Expected mode, given day."""
    spans: dict[str, str] = {}
    """Expected: words of the clause, by role; each occurs once."""
    status: str = ""
    """For people."""
    codes: tuple[str, ...] = ()
    """For people: codes with the facts."""
    at_test: Any = None
    """For people."""
    candidates: Any = None
    """For people."""
    variants: Any = None
    """For people."""
    trap: str = ""
    """For people."""

    @model_validator(mode="after")
    def _quotes_once(self) -> PatternCase:
        if len(self.clause) > _LONGEST:
            raise RefusedError(
                f"the clause has {len(self.clause)} characters.", f"Keep one clause a case, of at most {_LONGEST}.", ("clause",)
            )
        plain = " ".join(self.clause.split())
        for role, quote in self.spans.items():
            count = plain.count(" ".join(quote.split()))
            if count != 1:
                found = f"the words of {role!r} stand {count} times in the clause."
                raise RefusedError(found, "Quote words that stand there exactly once.", ("spans", role))
        return self


class Comparing(Shape):
    """Which figure is compared with which."""

    left: Name
    comparator: Comparator
    right: Name


class CalculationCase(Case):
    """Terms, inputs, steps, and the exact answers."""

    terms: dict[str, str]
    inputs: dict[str, Number]
    steps: tuple[tuple[Name, str], ...] = Field(min_length=1)
    rounding: dict[str, str] = {}
    invariants: tuple[str, ...] = ()
    answers: dict[str, Number] = {}
    compare: Comparing | None = None
    result: str
    codes: tuple[str, ...] = ()
    display: str = ""
    naive: dict[str, str] = {}


def once(cases: tuple[Case, ...], key: str) -> None:
    """Refuses a file in which two cases have one name."""
    seen: set[str] = set()
    for index, case in enumerate(cases):
        if case.id in seen:
            raise RefusedError(f"the case {case.id!r} stands twice.", "Give each case a name of its own.", (key, index))
        seen.add(case.id)


class PatternFile(Shape):
    """A file of patterns."""

    kind: Literal["covenant-patterns/1"] = Field(alias="schema")
    patterns: tuple[PatternCase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> PatternFile:
        once(self.patterns, "patterns")
        return self


class CalculationFile(Shape):
    """A file of calculations."""

    kind: Literal["covenant-calculations/1"] = Field(alias="schema")
    cases: tuple[CalculationCase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> CalculationFile:
        once(self.cases, "cases")
        return self
