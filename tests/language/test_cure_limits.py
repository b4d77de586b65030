"""Limits of a right to cure, and days of delivery, from the words of an agreement (P40, PR-45)."""

from __future__ import annotations

import pytest

from conformed.language.cure_limits import CureLimits, merged_limits, read_cure_limits
from conformed.language.delivery import read_deliveries

WHOLE = (
    "Cure Amounts received by the Borrower within ten (10) Business Days after the date on which the Compliance Certificate is required to be "
    "delivered count as EBITDA; no more than two Cure Amounts may be used in any four consecutive fiscal quarters and no more than five times "
    "over the life of the Facilities; a Cure Amount shall be no greater than the amount required to cause the level to be met."
)


def test_every_limit_of_a_clause() -> None:
    """Time, number in a stretch of quarters, number in all, and the amount."""
    limits = read_cure_limits(WHOLE)
    assert (limits.days, limits.business, limits.runs_from) == (10, True, "due")
    assert (limits.most_uses, limits.most_in, limits.consecutive) == (5, (2, 4), True)
    assert (limits.no_more_than_needed, limits.unread, limits.deemed) == (True, False, False)


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("within 20 days after the end of the relevant fiscal quarter", "runs_from", "test"),
        ("within 20 days after delivery of the Compliance Certificate", "runs_from", "delivered"),
        ("within 20 days after the accounts were due", "runs_from", "due"),
        ("not later than 20 days following the date on which the financial statements are required to be delivered", "runs_from", "due"),
        ("within 20 days after the Sponsor has been told", "runs_from", "other"),
        ("at most three times before the Termination Date", "most_uses", 3),
        ("not more than twice in any four fiscal quarters", "most_in", (2, 4)),
        ("in any four fiscal quarters there shall be at least two fiscal quarters in which no cure is made", "most_in", (2, 4)),
        ("and not in consecutive Quarter Dates", "consecutive", False),
        ("and no two consecutive fiscal quarters may be cured", "consecutive", False),
        ("it may not be exercised in successive periods", "consecutive", False),
        ("limited to the amount needed to meet the level", "no_more_than_needed", True),
        ("no more than such number as the Agent may tell", "unread", True),
        ("within such days after the accounts were due as the Agent may tell", "days", None),
        ("If the level is met on the next test date, the earlier breach is deemed remedied.", "deemed", True),
        ("If the level is met on the next test date, the earlier breach is not deemed remedied.", "deemed", False),
        ("If the level is met on that test date, the earlier breach is deemed remedied.", "deemed", False),
        ("If the level is met on the next Quarter Date, that breach is treated as remedied unless notice was given.", "barred", True),
    ],
)  # fmt: skip
def test_each_limit_by_itself(words: str, field: str, value: object) -> None:
    """Other words for each limit, and a change of each that is not read as the original."""
    assert getattr(read_cure_limits(words), field) == value


def test_places_that_contradict_each_other_are_not_understood() -> None:
    """One right read in two places: what one place leaves out the other gives; two numbers for one limit are none."""
    days, uses = read_cure_limits("within 20 days after the accounts were due"), read_cure_limits("at most three times")
    both = merged_limits([days, uses])
    assert (both.days, both.most_uses, both.unread) == (20, 3, False)
    assert merged_limits([days, read_cure_limits("within 15 days after the accounts were due")]).unread
    assert merged_limits([uses, read_cure_limits("at most four times")]).unread
    assert merged_limits([]) == CureLimits()


@pytest.mark.parametrize(
    ("words", "duties"),
    [
        ("within 45 days after the end of each fiscal quarter, a Compliance Certificate", [("quarter", 45, False, True)]),
        ("its audited accounts within 120 days of its financial year end", [("year", 120, False, False)]),
        ("in any event within ninety (90) days after the end of each of its financial years, audited financial statements", [("year", 90, False, False)]),
        ("within 60 days of the end of each of the first three fiscal quarters of each fiscal year, unaudited balance sheets", [("quarter", 60, False, False)]),
        ("no later than 15 Business Days after each quarter end, a certificate", [("quarter", 15, True, True)]),
        ("within 45 days after the end of each fiscal quarter, pay the fee", []),
        ("within 5 days after a default becomes known, a certificate of its nature", []),
        ("within 10 days after the end of each Interest Period, a certificate", []),
        (
            "(a) within 120 days after the end of each fiscal year, audited financial statements; (b) within 45 days after the end of each fiscal quarter, a certificate",
            [("year", 120, False, False), ("quarter", 45, False, True)],
        ),
    ],
)  # fmt: skip
def test_days_of_delivery(words: str, duties: list[tuple[str, int, bool, bool]]) -> None:
    """Accounts and certificates after a quarter or a year; not payments, other papers or other periods."""
    assert [(d.period, d.days, d.business, d.certificate) for d in read_deliveries(words)] == duties
