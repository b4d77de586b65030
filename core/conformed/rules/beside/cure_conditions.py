"""Whether every condition of a cure is evidenced (rule book PR-45): day, amount, number and use of the money."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.agreement import CureTerms
from conformed.model.calculation import Cure
from conformed.model.span import Span
from conformed.rules.beside.deadlines import Due

__all__ = ["CureUse", "unproven"]

_QUARTER = 92


@dataclass(frozen=True, slots=True)
class CureUse:
    """What the papers show of one use of a right to cure.

    Attributes:
        document: the notice.
        test_date: the test that is to be cured; None where the papers do not say.
        amount: whole units of the currency; None where not shown.
        currency: of the amount.
        received_on: day on which the money came, where a paper other than the borrower's claim shows it.
        noticed_on: day of the notice.
        earlier: test dates cured before; empty where it is said that there was none, None where nothing is said.
        netted: whether the money also counts as cash that is taken off debt; None where nothing is said.
        spans: where this is shown.
    """

    document: str
    test_date: dt.date | None = None
    amount: Fraction | None = None
    currency: str | None = None
    received_on: dt.date | None = None
    noticed_on: dt.date | None = None
    earlier: tuple[dt.date, ...] | None = None
    netted: bool | None = None
    spans: tuple[Span, ...] = ()


def unproven(
    right: CureTerms, use: CureUse, cure: Cure, test: dt.date, known: dt.date, due: Due | None, *, net: bool, currency: str | None
) -> list[str]:
    """What is not shown, or shown to fail, each a sentence; nothing where the cure stands.

    Args:
        right: the right to cure.
        use: what the papers show of its use.
        cure: the second calculation, with the amount of the use.
        test: the test date.
        known: the knowledge date.
        due: until when the right may be used; None where that is not fixed.
        net: whether the covenant takes cash off debt.
        currency: of the calculation.
    """
    limits, said = right.limits, []
    if right.kind == "" or limits.unread:
        said.append("The words of the right to cure were not understood whole.")
    if use.test_date != test:
        said.append("It is not shown that the cure is for this test date.")
    if use.amount is None or use.received_on is None:
        said.append("Amount and day of receipt are not both shown.")
    if use.currency and currency and use.currency != currency:
        said.append(f"The money is in {use.currency} and the ratio in {currency}.")
    if use.noticed_on is None:
        said.append("No notice of the cure is in the pack.")
    if limits.runs_from:
        said += _in_time(use, due)
    if any(day is not None and day > known for day in (use.received_on, use.noticed_on)):
        said.append("The cure came after the knowledge date.")
    if use.amount is not None:
        if not cure.met:
            said.append("The amount does not bring the ratio to its level.")
        if limits.no_more_than_needed and use.amount > cure.least:
            said.append("The amount is above what is needed to meet the level, which the agreement does not allow.")
    said += _number(right, use, test)
    before = use.received_on is not None and use.received_on <= test
    if use.netted or (net and before and use.netted is None):
        said.append("The money is, or may be, taken off debt as cash in the same test.")
    return said


def _in_time(use: CureUse, due: Due | None) -> list[str]:
    if due is None:
        return ["The last day for the cure cannot be worked out from the papers."]
    late = [day for day in (use.received_on, use.noticed_on) if day is not None and day > due.earliest]
    return [f"{late[0].isoformat()} is not shown to be within the time for a cure."] if late else []


def _number(right: CureTerms, use: CureUse, test: dt.date) -> list[str]:
    """How often the right was used before."""
    limits = right.limits
    if limits.most_uses is None and limits.most_in is None and limits.consecutive:
        return []
    if use.earlier is None:
        return ["How often the right was used before is not shown."]
    before = sorted({day for day in use.earlier if day < test})
    said = []
    if limits.most_uses is not None and len(before) + 1 > limits.most_uses:
        said.append(f"The right was used {len(before)} times before, and it may be used {limits.most_uses} times.")
    if limits.most_in is not None:
        most, quarters = limits.most_in
        # A quarter has at most 92 days: a test that many quarters back lies outside, half a quarter is room for odd ends.
        near = [day for day in before if (test - day).days < quarters * _QUARTER - _QUARTER // 2]
        if len(near) + 1 > most:
            said.append(f"The right would be used {len(near) + 1} times in {quarters} quarters, and it may be used {most} times.")
    if not limits.consecutive and before and (test - before[-1]).days < _QUARTER + _QUARTER // 2:
        said.append("The quarter before was cured too, which the agreement does not allow.")
    return said
