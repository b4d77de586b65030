"""The shape of a file of packs: documents with dates, status and operations as data, and what must come out."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field, model_validator

from conformed.app.rule_cases.shapes import Case, Comparator, Day, Number, Shape, once
from conformed.policy.refused import RefusedError

__all__ = ["Conditions", "Consent", "Figures", "Op", "PackCase", "PackDocument", "PackEffect", "PackFile", "Row", "Use"]


class Conditions(Shape):
    """Evidence that conditions were met."""

    evidenced: bool
    """Whether a document of the pack shows it."""
    date: dt.date | None = None
    """The day."""


class PackEffect(Shape):
    """When a document's operations count."""

    mode: Literal["on_signing", "on_closing", "fixed", "fixed_date", "on_cp", "on_event", "later_of", "as_of", "as_of_on_cp"]
    """How the date is found."""
    date: dt.date | None = None
    """Fixed date, or the fixed limb of ``later_of``."""
    reach_back_to: dt.date | None = None
    """For ``as_of``."""
    waives_default: bool = False
    """For ``as_of``."""
    long_stop: dt.date | None = None
    """Day after which unmet conditions end the instrument."""
    cp: Conditions | None = None
    """Evidence of conditions or event."""


class Consent(Shape):
    """Who had to agree, and who did."""

    class_: str = Field(default="required_lenders", alias="class")
    """Class needed by the agreement."""
    given_by: str = "required_lenders"
    """Class that gave it."""
    shown: bool = True
    """Whether the needed share is recited, shown or confirmed."""


class Use(Shape):
    """Use of a facility on the test date, or the trigger that it is compared with."""

    utilised: Number | None = None
    commitments: Number | None = None
    comparator: Comparator | None = None
    level: Number | None = None


class Row(Shape):
    """One row of a schedule."""

    from_: dt.date | None = Field(default=None, alias="from")
    to: dt.date | None = None
    level: Number


class Op(Shape):
    """What a document does."""

    op: Literal["state", "set_level", "restate", "temporary_level", "suspend", "increase", "waive", "delete"]
    section: str
    comparator: Comparator | None = None
    level: Number | None = None
    schedule: tuple[Row, ...] = ()
    trigger: Use | None = None
    from_: dt.date | None = Field(default=None, alias="from")
    to: dt.date | None = None
    windows: tuple[dt.date, ...] = ()
    dates: tuple[dt.date, ...] = ()
    ends_early: str = ""
    ceiling: Number | None = None
    delta: Number | None = None
    cap: Number | None = None
    event_date: dt.date | None = None
    notice_days: int | None = None
    size_evidenced: bool | None = None
    gap_quarters: int | None = None
    previous_window_end: Day | None = None

    @model_validator(mode="after")
    def _has_level(self) -> Op:
        if self.op in {"state", "restate"} and (self.comparator is None or (self.level is None and not self.schedule)):
            raise RefusedError(f"the operation {self.op!r} has no comparator, or no level.", "Give both.")
        if self.op in {"set_level", "temporary_level"} and self.level is None:
            raise RefusedError(f"the operation {self.op!r} has no level.", "Give it.")
        return self


class PackDocument(Shape):
    """One document of a pack."""

    doc: str = Field(min_length=1)
    kind: str
    number: int | None = None
    dated: dt.date | None = None
    signed_on: dt.date | None = None
    execution: Literal["executed", "partial", "unsigned", "draft"] = "executed"
    effective: PackEffect | None = None
    recites: tuple[str, ...] = ()
    consent: Consent | None = None
    states_level: Number | None = None
    states_ratio: Number | None = None
    ops: tuple[Op, ...] = ()


class Figures(Shape):
    """Upper and lower term of the ratio, whole units of one currency."""

    numerator: Number
    denominator: Number


class PackCase(Case):
    """Documents with dates and status, and what must come out."""

    metric: str
    test_date: dt.date
    known_at: dt.date
    figures: Figures | None = None
    trigger: Use | None = None
    documents: tuple[PackDocument, ...] = Field(min_length=1)
    expected: dict[str, Any]


class PackFile(Shape):
    """A file of packs."""

    kind: Literal["covenant-packs/1"] = Field(alias="schema")
    packs: tuple[PackCase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> PackFile:
        once(self.packs, "packs")
        return self
