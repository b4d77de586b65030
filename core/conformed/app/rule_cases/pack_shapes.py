"""The shape of a file of packs: documents with dates, status and operations as data, and what must come out."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field, model_validator

from conformed.app.rule_cases.pack_cures import CureFacts, CureRight, NextFigures
from conformed.app.rule_cases.shapes import Case, Comparator, Day, Number, Shape, once
from conformed.policy.nulls import NOTHING
from conformed.policy.refused import RefusedError

__all__ = ["Conditions", "Consent", "Figures", "Op", "PackCase", "PackDocument", "PackEffect", "PackFile", "Row", "Use"]


class Conditions(Shape):
    """Evidence that conditions were met."""

    evidenced: bool
    """Whether a document of the pack shows it."""
    date: dt.date | None = None
    """The day."""
    failed: bool = False
    """Whether a document of the pack shows that they failed and the instrument ended; ``date`` is then the day of that."""


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

    op: Literal[
        "state",
        "set_level",
        "restate",
        "temporary_level",
        "suspend",
        "increase",
        "waive",
        "delete",
        "consent",
        "cure_right",
        "cure",
    ]
    section: str
    comparator: Comparator | None = None
    level: Number | None = None
    schedule: tuple[Row, ...] = ()
    trigger: Use | None = None
    from_: dt.date | None = Field(default=None, alias="from")
    to: dt.date | None = None
    windows: tuple[dt.date, ...] = ()
    dates: tuple[dt.date, ...] = ()
    periods_after: dt.date | None = None
    """Of ``set_level``: the words confine it to periods ending after this day."""
    of: str | None = None
    """Of ``set_level``: the amendment whose own words are changed, and not the agreement's (``Amendment No. 1``)."""
    ends_early: str = ""
    ended_on: dt.date | None = None
    """Of a suspension: the day on which a notice that is shown ended it early."""
    end_unclear: bool = False
    """Of a suspension: whether the words leave open whether its last day is inside."""
    right: CureRight | None = None
    """Of ``cure_right``: what the agreement gives."""
    use: CureFacts | None = None
    """Of ``cure``: what the papers show."""
    ceiling: Number | None = None
    delta: Number | None = None
    cap: Number | None = None
    event_date: dt.date | None = None
    """Of an increase: the day of its event."""
    notice_date: dt.date | None = None
    """Day on which notice was given, where it is not the document's own."""
    notice_days: int | None = None
    """Most days from the event to the notice."""
    size_evidenced: bool | None = None
    """Whether a document shows that the event is of the size asked."""
    size_met: Literal[False] | None = None
    """``false`` where a document shows that it is not."""
    gap_quarters: int | None = None
    """Least quarter ends between two increases."""
    previous_window_end: Day | None = None
    """Last quarter end of the increase before; ``null`` where there was none; left out where nothing shows it."""
    first_election: bool | None = None
    """Whether there was no increase before, as ``previous_window_end: null`` says too."""
    most_quarters: int | None = None
    """Most quarter ends of one increase, where the agreement sets a number."""
    number: int | None = None
    """How many elections there are with this one."""
    most: int | None = None
    """Most elections, where the agreement sets a number."""

    @model_validator(mode="before")
    @classmethod
    def _none_before(cls, data: Any) -> Any:
        """A ``null`` that says something is kept as what it says, before keys without a value are left out."""
        said = isinstance(data, dict) and data.get("previous_window_end") == NOTHING and data.get("first_election") is None
        return {**data, "first_election": True} if said else data

    @model_validator(mode="after")
    def _has_level(self) -> Op:
        if self.op in {"state", "restate"} and (self.comparator is None or (self.level is None and not self.schedule)):
            raise RefusedError(f"the operation {self.op!r} has no comparator, or no level.", "Give both.")
        if self.op in {"set_level", "temporary_level"} and self.level is None:
            raise RefusedError(f"the operation {self.op!r} has no level.", "Give it.")
        if (self.op == "cure_right" and self.right is None) or (self.op == "cure" and self.use is None):
            raise RefusedError(f"the operation {self.op!r} does not say what it is.", "Give right, or use.")
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
    says: tuple[str, ...] = ()
    """Further sentences of the document, which the rules read as its text."""
    finance_document: bool | None = None
    """For a side letter: whether it is one of the agreement's finance documents."""
    consent: Consent | None = None
    states_level: Number | None = None
    states_ratio: Number | None = None
    delivery_days: int | None = None
    """Of an agreement: within how many days of a quarter's end the certificate is due."""
    annual_delivery_days: int | None = None
    """The same for the end of a year; the test date of a pack is one."""
    delivered_on: dt.date | None = None
    """Of a certificate: the day on which it came, where shown; else not before its own date."""
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
    attested: tuple[Literal["chain_complete", "no_tighter_terms", "side_letters_apart"], ...] = ()
    """What a person attests in pack.yaml."""
    next_test: NextFigures | None = None
    """The test after the one asked about."""
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
