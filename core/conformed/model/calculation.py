"""The calculation: figures, the trace of exact steps, the comparison."""

from __future__ import annotations

import datetime

from conformed.model.base import Exact, Frozen, Missing
from conformed.model.covenant import Comparator, Doubt
from conformed.model.span import Span

__all__ = ["Calculation", "Certificate", "Comparison", "Cure", "Figure", "LineCheck", "Step"]


class Figure(Frozen):
    """One figure of a certificate or of accounts."""

    name: str
    """Name inside the calculation, lower case with underscores (``total_debt``)."""
    label: str
    """Label as written."""
    value: Exact
    """In whole units of the currency; a pure number for ratios."""
    currency: str | None = None
    """ISO 4217 code; None for a pure number."""
    scale: int = 1
    """What one unit of the written figure stands for (1000 for thousands)."""
    raw: str = ""
    """As written."""
    as_of: datetime.date | None = None
    """Day or period end to which it belongs."""
    months: int | None = None
    """How many months, ending on ``as_of``, a figure of earnings covers; None where it is a balance or nothing is said."""
    basis: str = ""
    """``restated`` where its column says that the comparative was restated; else empty."""
    spans: tuple[Span, ...] = ()
    """Where figure, label and scale stand."""


class Certificate(Frozen):
    """What a compliance certificate says. Evidence of figures, never authority for the level (rule G5)."""

    document: str
    """Document."""
    test_date: datetime.date | None = None
    """Test date that it states."""
    figures: tuple[Figure, ...] = ()
    """Its lines."""
    states_level: Exact | None = None
    """Level that it says it tests against."""
    states_ratio: Exact | None = None
    """Ratio that it states."""
    signed: bool | None = None
    """Whether it bears a signature; None where that cannot be told."""
    accounting: str = ""
    """``changed`` where it says that an accounting standard was adopted or changed, ``leases`` where a line follows the lease
    standards of 2019 to 2022, ``frozen`` where its figures keep the earlier accounting; else empty."""
    supports: tuple[str, ...] = ()
    """What it states in support of its items: certified, actions, horizon, net_realised, reconciliation."""
    spans: dict[str, tuple[Span, ...]] = {}
    """Where the statements stand."""
    doubts: tuple[Doubt, ...] = ()
    """What its words leave open: no statement of scale, a token that cannot be read, a date that is not clear."""


class Step(Frozen):
    """One line of the trace: ``name = expression`` over earlier names, with its exact value."""

    name: str
    """Name of the result."""
    expression: str
    """In the closed expression language: names, integers, fractions, + - * / ( ) and min, max, trunc, round_up_half, ceil_to."""
    value: Exact
    """Exact value."""
    unit: str = ""
    """Currency code, ``x`` for a ratio, empty for a pure number."""


class Comparison(Frozen):
    """Ratio against level."""

    left: Exact
    """The tested figure (after a rounding clause, where the agreement has one)."""
    comparator: Comparator
    """What compliance needs."""
    right: Exact
    """The level."""
    met: bool
    """Whether it is met."""
    shown_left: str
    """Shown for people under rules CA-60 to CA-62."""
    shown_right: str
    """Shown for people."""


class LineCheck(Frozen):
    """One line of a certificate against the same line worked again by rule."""

    name: str
    """Name of the line inside the calculation."""
    label: str
    """Label as written."""
    stated: Exact
    """What the certificate says, whole units or a pure number."""
    recalculated: Exact
    """What its inputs and the agreement's words give."""
    agrees: bool
    """Whether they are the same within the certificate's own rounding."""
    spans: tuple[Span, ...] = ()
    """Where the stated figure stands."""


class Cure(Frozen):
    """A second calculation beside one that did not meet its level (rule CA-53). It never changes the first result."""

    kind: str
    """``ebitda`` (counted as earnings) or ``debt`` (counted as less debt), as the agreement says."""
    steps: tuple[Step, ...]
    """Further lines of the trace, over the names of the calculation."""
    least: Exact
    """Least amount that would meet the level, rounded up to the smallest unit payable; whole units of the currency."""
    claimed: Exact | None = None
    """Amount that the certificate claims as a cure, if it does."""
    ratio: Exact
    """The ratio with the claimed amount, or with the least one where none is claimed."""
    met: bool
    """Whether that ratio meets the level."""


class Calculation(Frozen):
    """An exact calculation whose every line can be worked again by another program."""

    figures: tuple[Figure, ...]
    """Inputs, each with spans."""
    steps: tuple[Step, ...]
    """In order."""
    ratio: Exact | Missing
    """The ratio, unrounded; missing where earnings are not positive."""
    comparison: Comparison | Missing
    """Ratio against level."""
    headroom_debt: Exact | None = None
    """level x EBITDA - debt, in whole units of the currency."""
    headroom_ebitda: Exact | None = None
    """1 - debt / (level x EBITDA), a share; None where EBITDA is not positive."""
    currency: str | None = None
    """Currency of the inputs."""
    lines: tuple[LineCheck, ...] = ()
    """The certificate's own results, each worked again."""
    cure: Cure | None = None
    """The second calculation, where the level is not met and the agreement has a right to cure."""
    codes: tuple[str, ...] = ()
    """Reason codes."""
