"""Covenants: what a clause says, and what governs on a test date."""

from __future__ import annotations

import datetime
from enum import StrEnum

from conformed.model.base import Exact, Frozen, Missing
from conformed.model.dates import Window
from conformed.model.election import ElectionTerms
from conformed.model.span import Span

__all__ = [
    "Comparator",
    "Covenant",
    "CovenantKind",
    "CovenantTerms",
    "Definition",
    "Doubt",
    "Increase",
    "Limit",
    "Row",
    "TimelineEntry",
    "Trigger",
    "Unit",
]


class Comparator(StrEnum):
    """What compliance needs of the figure, as against the level."""

    LE = "le"
    LT = "lt"
    GE = "ge"
    GT = "gt"

    @property
    def sign(self) -> str:
        """The sign shown to people."""
        return {"le": "≤", "lt": "<", "ge": "≥", "gt": ">"}[self.value]

    @property
    def words(self) -> str:
        """Words that keep the treatment of equality."""
        return {"le": "not more than", "lt": "less than", "ge": "not less than", "gt": "more than"}[self.value]


class CovenantKind(StrEnum):
    """What a ratio in a text is for. Only the first two are tested on a test date."""

    MAINTENANCE = "maintenance"
    SPRINGING = "springing"
    INCURRENCE = "incurrence"
    PRICING = "pricing"
    OTHER_RATIO = "other_ratio"
    OTHER_FACILITY = "other_facility"
    FORM = "form"


class Unit(StrEnum):
    """What a limit is measured in."""

    RATIO = "ratio"
    AMOUNT = "amount"


class Limit(Frozen):
    """A level or an amount, with its raw token beside its value (rule CA-02)."""

    unit: Unit
    """Ratio or amount."""
    value: Exact
    """For a ratio the exact quotient; for an amount whole units of the currency."""
    raw: str
    """As written."""
    places: int | None = None
    """Decimals of the level as written; None where it is not written as a decimal."""
    currency: str | None = None
    """ISO 4217 code, for amounts."""
    spans: tuple[Span, ...] = ()
    """Where the token stands."""


class Row(Frozen):
    """One step of a covenant: a limit and the days on which it is the one."""

    limit: Limit
    """The level."""
    window: Window = Window()
    """Days to which it applies; open at both ends for a level that never changes."""
    label: str = ""
    """The words that say when, as written (``December 31, 2024 and thereafter``)."""
    near: bool = False
    """The words say "nearest to" or "on or about": the day is not exact (finding_test_date_unconfirmed)."""
    unclear: str = ""
    """Reason code where the words of the window cannot be applied literally; empty where they can."""
    spans: tuple[Span, ...] = ()
    """Where the words stand."""


class Doubt(Frozen):
    """Something that the text leaves open."""

    code: str
    """Reason code, one of review_* or finding_*."""
    sentence: str
    """What is open, in plain words, without the document's text."""
    spans: tuple[Span, ...] = ()
    """Where."""


class Trigger(Frozen):
    """The condition of a springing covenant."""

    numerator: str
    """What is used, as written."""
    denominator: str
    """Of what, as written."""
    comparator: Comparator
    """The trigger's own words, not the covenant's."""
    level: Exact
    """Share, e.g. 2/5."""
    raw: str
    """As written."""
    spans: tuple[Span, ...] = ()
    """Where."""


class Increase(Frozen):
    """A right to a higher level for a time, or a level that applies instead after an event."""

    event: str
    """The event or election that it depends on, as written."""
    level: Exact | None = None
    """Level that applies instead, if the clause sets one."""
    delta: Exact | None = None
    """What is added, if the clause adds."""
    cap: Exact | None = None
    """Ceiling of the increased level."""
    asks: ElectionTerms | None = None
    """What an election must meet, where the words were read; None where they were not."""
    spans: tuple[Span, ...] = ()
    """Where."""


class CovenantTerms(Frozen):
    """What the text of one covenant says, read from that text alone."""

    name: str
    """Name of the tested figure as written (``Consolidated Total Leverage Ratio``, ``ratio of Net Debt to EBITDA``)."""
    metric: str
    """Normal name: total_leverage, net_leverage, senior_leverage, first_lien_net_leverage, interest_cover ..."""
    section: str
    """Number of the provision in normal form; empty where it has none."""
    caption: str = ""
    """Its caption as written."""
    kind: CovenantKind = CovenantKind.MAINTENANCE
    """What the ratio is for."""
    comparator: Comparator | Missing
    """What compliance needs, after one turn round for a negation."""
    rows: tuple[Row, ...] = ()
    """The levels, in the order of the text; one row for a level that never changes."""
    tested: str = "unstated"
    """each_fiscal_quarter_end, quarter_date, fiscal_year_end, month_end, test_period_end, any_time, listed_dates, unstated."""
    first_test: datetime.date | None = None
    """First date on which it is tested, if the text says."""
    trigger: Trigger | None = None
    """For a springing covenant."""
    beneficiary: str = ""
    """For whom it is made, where the clause says so (``revolving_lenders``); empty for all lenders."""
    consent_class: str = ""
    """The class that can change it, where the clause makes it for one class (``required_revolving_lenders``)."""
    increases: tuple[Increase, ...] = ()
    """Rights to another level."""
    selected: bool | None = None
    """For a form with boxes: ticked, not ticked; None where there is no box."""
    numerator: str = ""
    """Upper term of the ratio as written, if the clause or its definition shows it."""
    denominator: str = ""
    """Lower term."""
    doubts: tuple[Doubt, ...] = ()
    """What the text leaves open."""
    spans: dict[str, tuple[Span, ...]] = {}
    """Where each part stands: metric, comparator, level, tested, caption, clause ..."""


class Definition(Frozen):
    """A defined term as it reads in one instrument or on one date."""

    term: str
    """The term as written, without quotation marks."""
    text: str
    """Its words."""
    instrument: str
    """Document that put the words there."""
    spans: tuple[Span, ...] = ()
    """Where."""


class Covenant(Frozen):
    """A covenant on a test date: the one that governs, or one of the readings that remain open."""

    name: str
    """Name of the tested figure as written."""
    metric: str
    """Normal name."""
    section: str
    """Provision in normal form."""
    comparator: Comparator
    """What compliance needs."""
    limit: Limit
    """Level or amount."""
    document: str
    """Document whose words set the level."""
    instrument: str = ""
    """That document's title, or kind and date, for people."""
    tested: str = "unstated"
    """When it is tested."""
    row: str = ""
    """Label of the schedule row used, as written."""
    reading: str = ""
    """For a candidate: under which assumption it governs."""
    numerator: str = ""
    """Upper term as written."""
    denominator: str = ""
    """Lower term as written."""
    definitions: tuple[Definition, ...] = ()
    """Definitions used, as they read on the test date."""
    spans: tuple[Span, ...] = ()
    """Where the deciding words stand: level first."""


class TimelineEntry(Frozen):
    """One stretch of time with one level, as known on the knowledge date."""

    window: Window
    """Test dates to which it applies."""
    level: str
    """Level as shown (``≤ 3.75x``), or ``not tested``, or ``open``."""
    document: str
    """Document that sets it."""
    reason: str = ""
    """Plain words: schedule row, amendment, relief, ..."""
    spans: tuple[Span, ...] = ()
    """Where."""
