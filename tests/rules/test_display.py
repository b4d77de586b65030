"""What people see of a comparison: never equal to the level unless it is, never on the other side of it (CA-60 to CA-62)."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from conformed.language.rounding import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.calculate import CaseFacts, calculate
from conformed.rules.calculation.compare import show_pair

LEVELS = st.decimals(min_value=Decimal("0.5"), max_value=20, places=3, allow_nan=False).map(Fraction) | st.fractions(
    min_value=1, max_value=20, max_denominator=7
)
NEAR = st.integers(-30, 30).flatmap(lambda n: st.integers(0, 9).map(lambda e: Fraction(n, 10**e)))
DAY = dt.date(2024, 12, 31)


def first(text: str) -> Fraction:
    """The first number of a shown figure."""
    found = re.search(r"-?\d+(?:\.\d+)?", text)
    assert found is not None
    return Fraction(found[0])


@given(LEVELS, NEAR)
def test_a_figure_is_shown_on_its_own_side_of_the_level(level: Fraction, gap: Fraction) -> None:
    """For any level and any figure near it: equal only where it is equal, else strictly on its side, or with the difference written."""
    shown = show_pair(level + gap, level)
    if gap == 0:
        assert shown.left == f"exactly {shown.right}"
    elif "the level" in shown.left:
        word = "above" if gap > 0 else "below"
        assert f"({abs(gap)} {word} the level)" in shown.left
        assert abs(gap) < Fraction(1, 10**6)
        assert shown.crosses
    else:
        left, right = first(shown.left), first(shown.right)
        assert left != right
        assert (left > right) == (gap > 0)
    assert shown.crosses == (gap != 0 and not _apart_at_two(level + gap, level))


def _apart_at_two(left: Fraction, right: Fraction) -> bool:
    """Whether two decimals tell two figures apart, halves rounded away from zero."""

    def two(value: Fraction) -> int:
        whole = (abs(value) * 100 + Fraction(1, 2)).__floor__()
        return whole if value >= 0 else -whole

    return two(left) != two(right)


def comparison(ratio: Fraction, level: Fraction, places: int, clause: RoundingTerms | None) -> tuple[Comparison, str]:
    """The comparison of a ratio through the calculation, and the result."""
    words = {"Total Debt": "means all Indebtedness", "EBITDA": "means Net Income"}
    covenant = Covenant(
        name="Leverage", metric="total_leverage", section="7", comparator=Comparator.LE, document="a",
        limit=Limit(unit=Unit.RATIO, value=level, raw="x", places=places),
        definitions=tuple(Definition(term=term, text=text, instrument="a") for term, text in words.items()),
    )  # fmt: skip
    figures = tuple(
        Figure(name=n, label=n, value=v, currency="USD", raw="1")
        for n, v in (("total_debt", ratio * 10**9), ("net_income", Fraction(10**9)))
    )
    paper = Certificate(document="c", test_date=DAY, signed=True, figures=figures)
    done = calculate(covenant, (paper,), CaseFacts(test_date=DAY, agreement=AgreementTerms(rounding=clause)))
    assert isinstance(done.calculation, Calculation)
    assert not isinstance(done.calculation.comparison, Missing)
    return done.calculation.comparison, done.result


@given(st.integers(200, 900), NEAR, st.sampled_from([None, "truncate", "unstated", "none"]))
def test_no_screen_shows_equality_that_is_not_there(hundredths: int, gap: Fraction, carry: str | None) -> None:
    """Through the calculation, with and without a rounding clause: the ratio is shown as itself, and what is tested as what is tested."""
    level, ratio = Fraction(hundredths, 100), Fraction(hundredths, 100) + gap / 40
    if ratio < Fraction(1, 10):
        return
    clause = RoundingTerms(carry=carry, places=2 if carry == "none" else None) if carry else None
    found, result = comparison(ratio, level, 2, clause)
    tested = re.search(r"tested as (-?[\d.]+)x", found.shown_left)
    if tested is not None:
        assert Fraction(tested[1]) == found.left != ratio
        assert first(found.shown_left) != found.left or "that)" in found.shown_left
    elif found.left == level:
        assert found.shown_left == f"exactly {found.shown_right}"
    else:
        assert first(found.shown_left) != first(found.shown_right) or "the level)" in found.shown_left
    assert result in ("review", "pass" if found.met else "breach")
    assert found.met == (found.left <= level)
