"""Rights to cure, their use and the next test of a pack that is given as data, as the rules know them."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from conformed.app.rule_cases.shapes import Number, Shape
from conformed.language.agreement import CureTerms
from conformed.language.cure_limits import CureLimits
from conformed.language.delivery import Delivery
from conformed.model.base import exact
from conformed.rules.beside.cure_conditions import CureUse

__all__ = ["CureFacts", "CureRight", "NextFigures", "deliveries_of", "right_of", "use_of"]


class CureRight(Shape):
    """What the agreement lets new money do."""

    counts_as: Literal["ebitda", "debt"]
    """What the money counts as."""
    days: int | None = None
    """Within how many days it must have come, with notice."""
    business_days: bool = False
    """Whether these are business days."""
    runs_from: Literal["certificate_due", "quarter_end"] = "quarter_end"
    """From which day they run."""
    max_uses: int | None = None
    """Most uses in the life of the agreement."""
    max_in: tuple[int, int] | None = None
    """Most uses, and in how many quarters."""
    consecutive_allowed: bool = True
    """Whether two quarters running may be cured."""
    no_more_than_needed: bool = False
    """Whether the amount may not pass what is needed."""
    deemed: bool = False
    """Whether meeting the next test mends the earlier failure."""
    barred_by_notice: bool = False
    """Whether a notice of acceleration or enforcement stands against that."""


class CureFacts(Shape):
    """What the papers show of one use of a right to cure."""

    test_date: dt.date | None = None
    amount: Number | None = None
    received_on: dt.date | None = None
    """Day on which the money came; left out, no paper shows it."""
    earlier: tuple[dt.date, ...] | None = None
    """Test dates cured before: ``[]`` for none; left out, nothing is said."""
    netted: bool | None = None
    """Whether the money also counts as cash that is taken off debt."""


class NextFigures(Shape):
    """Figures of the test after the one asked about."""

    test_date: dt.date
    numerator: Number
    denominator: Number
    no_enforcement: bool = False
    """Whether it is confirmed that no notice of acceleration or enforcement was given."""


def right_of(right: CureRight) -> CureTerms:
    """The right, as read from an agreement."""
    limits = CureLimits(
        days=right.days,
        business=right.business_days,
        runs_from="" if right.days is None else "due" if right.runs_from == "certificate_due" else "test",
        most_uses=right.max_uses,
        most_in=right.max_in,
        consecutive=right.consecutive_allowed,
        no_more_than_needed=right.no_more_than_needed,
        deemed=right.deemed,
        barred=right.barred_by_notice,
    )
    return CureTerms(kind=right.counts_as, limits=limits)


def use_of(facts: CureFacts, document: str, noticed_on: dt.date | None) -> CureUse:
    """The use, as the papers show it.

    Args:
        facts: as given.
        document: the notice.
        noticed_on: its day, where it is executed.
    """
    return CureUse(
        document=document,
        test_date=facts.test_date,
        amount=None if facts.amount is None else exact(facts.amount),
        received_on=facts.received_on,
        noticed_on=noticed_on,
        earlier=facts.earlier,
        netted=facts.netted,
    )


def deliveries_of(quarter: int | None, year: int | None) -> tuple[Delivery, ...]:
    """Duties to deliver a certificate so many days after the end of a quarter or a year."""
    days = (("quarter", quarter), ("year", year))
    return tuple(Delivery(period=period, days=count, certificate=True) for period, count in days if count is not None)
