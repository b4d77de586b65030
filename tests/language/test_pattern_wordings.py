"""Any wording that is put together from ordinary parts is read the same: commands, comparisons, times, triggers, windows, clarifications."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from conformed.language.pattern_reading import Ask, PatternReading, read_pattern

ASK = Ask(test_date=dt.date(2026, 3, 31), effective=dt.date(2025, 5, 1))
FIGURES = ("the Total Leverage Ratio", "the Consolidated Leverage Ratio", "the ratio of Total Debt to EBITDA")
TIMES = (
    "as of the last day of any fiscal quarter",
    "at the end of each fiscal quarter",
    "on each Quarter Date",
    "for any Relevant Period",
    "as at the last day of each Financial Quarter",
    "on the last day of each Test Period",
)
LEVELS = ("3.65 to 1.00", "3.65:1", "3.65:1.00", "3.65x", "3.65 to 1")
AT_MOST = ("no more than", "not greater than", "no higher than", "at most", "less than or equal to", "equal to or less than")
ABOVE = ("exceed", "be more than", "be greater than", "be in excess of", "be higher than", "rise above")
BELOW = ("less than", "lower than", "below", "under")
FORBID = (
    "The Borrower shall not permit",
    "The Parent must not allow",
    "No Obligor shall suffer",
    "Neither Holdings nor the Borrower will permit",
)
SECURE = (
    "The Parent shall ensure that",
    "The Company must procure that",
    "The Borrower agrees that",
    "Each Obligor undertakes that",
)
USED = ("the aggregate outstanding amount of Revolving Loans", "Revolving Loans then outstanding", "the Revolving Loans")
SHARE = ("exceeds 35% of the Revolving Commitments", "is greater than 35% of the aggregate Revolving Commitments")
TRIGGERED = (
    "{C}, but only if on such day {u} {s}.",
    "If on the last day of any Test Period {u} {s}, {c}.",
    "{C}. This Section shall not be tested unless {u} {s}.",
    "{C}; provided that the foregoing shall only be tested when {u} {s}.",
)
UNTIL = (
    "from the Closing Date through and including March 31, 2026",
    "on or before March 31, 2026",
    "up to and including March 31, 2026",
)
BETWEEN = (
    "from April 1, 2026 to and including December 31, 2026",
    "on or after April 1, 2026 and on or before December 31, 2026",
    "thereafter through and including December 31, 2026",
)
AFTER = ("thereafter", "on and after January 1, 2027", "after December 31, 2026", "from January 1, 2027 onwards")
MARKS = ("For the avoidance of doubt, ", "To avoid doubt, ", "It is understood that ")
STRICTER = (
    "the Borrower is in compliance only where that ratio is less than {l}",
    "a breach occurs where the Total Leverage Ratio is equal to or greater than {l}",
    "a Total Leverage Ratio of exactly {l} is a breach",
)
SAME = (
    "the Borrower is in compliance where the Total Leverage Ratio is equal to or less than {l}",
    "a breach occurs only where the Total Leverage Ratio is greater than {l}",
    "a Total Leverage Ratio of exactly {l} is not a breach",
)


def _read(text: str) -> PatternReading:
    found = read_pattern(text, ASK)
    assert found is not None, text
    return found


def _is(found: PatternReading, comparator: str) -> bool:
    wanted = ("state_covenant", "7.1", "total_leverage", comparator, Fraction(73, 20))
    return tuple(found.fields.get(k) for k in ("op", "target", "metric", "comparator", "level")) == wanted and found.doubts == ()


@given(st.sampled_from(FORBID), st.sampled_from(FIGURES), st.sampled_from(TIMES), st.sampled_from(ABOVE), st.sampled_from(LEVELS))
def test_what_may_not_be_above(who: str, figure: str, time: str, above: str, level: str) -> None:
    """Whoever may not permit a figure to be above a level, at any time of test, has a maximum that equality passes."""
    assert _is(_read(f"Section 7.1. {who} {figure} {time} to {above} {level}."), "le")


@given(
    st.sampled_from(SECURE), st.sampled_from(FIGURES), st.sampled_from(TIMES), st.sampled_from(AT_MOST), st.sampled_from(LEVELS)
)
def test_what_is_to_be_at_most(who: str, figure: str, time: str, at_most: str, level: str) -> None:
    """Whoever has to see to it that a figure is at most a level has the same maximum."""
    assert _is(_read(f"Clause 7.1. {who} {figure} {time} is {at_most} {level}."), "le")


@given(st.sampled_from(SECURE), st.sampled_from(FIGURES), st.sampled_from(TIMES), st.sampled_from(BELOW), st.sampled_from(LEVELS))
def test_what_is_to_be_below(who: str, figure: str, time: str, below: str, level: str) -> None:
    """A figure that is to be below a level fails at the level; without "not" it is never read as one that may reach it."""
    assert _is(_read(f"Clause 7.1. {who} {figure} {time} is {below} {level}."), "lt")
    turned = read_pattern(f"Clause 7.1. {who} {figure} {time} is not {below} {level}.", ASK)
    assert turned is None or turned.fields.get("comparator") not in {"le", "lt"}


@given(st.sampled_from(TRIGGERED), st.sampled_from(USED), st.sampled_from(SHARE))
def test_triggers(form: str, used: str, share: str) -> None:
    """A trigger before, behind or beside the covenant, or turned round by "unless", is read with its own comparison and share."""
    covenant = "the Net Leverage Ratio as of the last day of any Test Period shall not exceed 5.15 to 1.00"
    found = _read("Section 7.1. " + form.format(C=covenant[0].upper() + covenant[1:], c=covenant, u=used, s=share))
    assert (found.fields["kind"], found.fields["comparator"], found.fields["level"]) == ("springing", "le", Fraction(103, 20))
    assert found.fields["trigger"] == {
        "numerator": "revolving loans",
        "denominator": "revolving commitments",
        "comparator": "gt",
        "level": Fraction(7, 20),
    }
    assert found.doubts == ()


@given(st.sampled_from(UNTIL), st.sampled_from(BETWEEN), st.sampled_from(AFTER), st.booleans())
def test_steps(until: str, between: str, after: str, first: bool) -> None:
    """Three steps, however their windows are worded, and on whichever side of their levels, meet without a gap of a day."""
    parts = [f"{w}, {n}" if first else f"{n} {w}" for n, w in (("4.55:1", until), ("4.05:1", between), ("3.55:1", after))]
    found = _read(
        f"The Net Leverage Ratio at each fiscal quarter end shall not exceed (a) {parts[0]}, (b) {parts[1]} and (c) {parts[2]}."
    )
    rows = found.fields["schedule"]
    assert isinstance(rows, list)
    shown = [(r["level"], r["to"]) for r in rows if isinstance(r, dict)]
    assert shown == [
        (Fraction(91, 20), dt.date(2026, 3, 31)),
        (Fraction(81, 20), dt.date(2026, 12, 31)),
        (Fraction(71, 20), None),
    ]
    assert [r["from"] for r in rows if isinstance(r, dict)][1:] == [dt.date(2026, 4, 1), dt.date(2027, 1, 1)]


@given(st.sampled_from(MARKS), st.sampled_from(STRICTER), st.sampled_from(SAME))
def test_clarifications(mark: str, stricter: str, same: str) -> None:
    """A clarification that says what the covenant says changes nothing; one that treats the level itself otherwise is a conflict."""
    covenant = "Section 7.1. The Total Leverage Ratio shall not exceed 3.65 to 1.00. "
    assert _is(_read(covenant + mark + same.format(l="3.65 to 1.00") + "."), "le")
    found = _read(covenant + mark + stricter.format(l="3.65 to 1.00") + ".")
    assert (found.fields["comparator"], found.fields["level"], found.doubts) == (
        None,
        Fraction(73, 20),
        ("review_gloss_conflict",),
    )
