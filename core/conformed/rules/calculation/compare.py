"""Comparison at the boundary: exact, by cross-multiplication; what a person is shown never decides (rules CA-41 to CA-62)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from conformed.errors import RuleError
from conformed.language.rounding import RoundingTerms
from conformed.model.calculation import Comparison
from conformed.model.covenant import Comparator
from conformed.rules.calculation.formula import ceil_to, round_up_half, trunc

__all__ = [
    "Headroom",
    "Rounded",
    "Shown",
    "compare",
    "compare_amounts",
    "compare_shown",
    "headroom",
    "round_by_clause",
    "show_decimal",
    "show_pair",
]

CROSSES = "finding_display_rounding_crosses_level"
_MOST_PLACES = 6


def compare(left: Fraction, comparator: Comparator, right: Fraction) -> bool:
    """Whether ``left comparator right``, by cross-multiplication of whole numbers."""
    one, other = left.numerator * right.denominator, right.numerator * left.denominator
    return {Comparator.LE: one <= other, Comparator.LT: one < other, Comparator.GE: one >= other, Comparator.GT: one > other}[
        comparator
    ]


def compare_amounts(debt: Fraction, earnings: Fraction, comparator: Comparator, level: Fraction) -> bool:
    """Whether debt over earnings meets the level, without dividing: debt x q against p x earnings for level p/q.

    Args:
        debt: upper term, whole units of a currency.
        earnings: lower term, same currency.
        comparator: what compliance needs.
        level: exact level.

    Raises:
        RuleError: where earnings are not positive (rule CA-40: no result comes from that).
    """
    if earnings <= 0:
        raise RuleError(
            f"Earnings of {earnings} are not positive, so debt over earnings cannot be compared.", "Send the run to a person."
        )
    return compare(debt * level.denominator, comparator, level.numerator * earnings)


def show_decimal(value: Fraction, places: int) -> str:
    """A value with that many decimals, rounded half up. For people only."""
    shown = round_up_half(value, places)
    digits = str(abs(shown.numerator) * 10**places // shown.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if shown < 0 else text


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure and a level as people see them.

    Attributes:
        left: the figure, e.g. ``3.4999x``; ``exactly 3.50x`` where equal.
        right: the level, e.g. ``3.50x``.
        crosses: whether two decimals would have hidden the difference.
    """

    left: str
    right: str
    crosses: bool


def _own_places(value: Fraction) -> int:
    """The fewest decimals from 2 to 6 that show a value exactly; 2 where none do."""
    return next((n for n in range(2, _MOST_PLACES + 1) if round_up_half(value, n) == value), 2)


def show_pair(left: Fraction, right: Fraction, unit: str = "x") -> Shown:
    """Shows figure and level with the fewest decimals, from 2 to 6, at which they differ (rule CA-60)."""
    level_places = _own_places(right)
    level = show_decimal(right, level_places) + unit
    if left == right:
        return Shown(f"exactly {level}", level, crosses=False)
    apart = [n for n in range(2, _MOST_PLACES + 1) if round_up_half(left, n) != round_up_half(right, n)]
    if not apart:
        gap, word = abs(left - right), "above" if left > right else "below"
        return Shown(f"{show_decimal(left, _MOST_PLACES)}{unit} ({gap} {word} the level)", level, crosses=True)
    exact_level = round_up_half(right, level_places) == right
    right_text = level if exact_level else show_decimal(right, apart[0]) + unit
    return Shown(show_decimal(left, apart[0]) + unit, right_text, crosses=apart[0] > 2)


def compare_shown(left: Fraction, comparator: Comparator, right: Fraction, unit: str = "x") -> tuple[Comparison, tuple[str, ...]]:
    """The comparison as a record, with the finding where two decimals would have misled."""
    shown = show_pair(left, right, unit)
    record = Comparison(
        left=left,
        comparator=comparator,
        right=right,
        met=compare(left, comparator, right),
        shown_left=shown.left,
        shown_right=shown.right,
    )
    return record, (CROSSES,) if shown.crosses else ()


@dataclass(frozen=True, slots=True)
class Rounded:
    """A ratio under a rounding clause.

    Attributes:
        carried: the ratio to one place more than the level's, cut.
        tested: the carried figure rounded half up to the level's places.
        other: what carrying by rounding would test; equal to ``tested`` where the clause says how to carry.
    """

    carried: Fraction
    tested: Fraction
    other: Fraction


def round_by_clause(ratio: Fraction, level_places: int, clause: RoundingTerms) -> Rounded:
    """Applies a rounding clause: the places are those of the level as the agreement writes it (rule CA-51), or the clause's own."""
    places = clause.places if clause.places is not None else level_places
    last = {"down": trunc, "ceiling": ceil_to}.get(clause.half, round_up_half)
    if clause.carry == "none":
        tested = last(ratio, places)
        return Rounded(tested, tested, tested)
    cut = trunc(ratio, places + 1)
    near = round_up_half(ratio, places + 1)
    carried = near if clause.carry == "round" else cut
    tested = last(carried, places)
    other = last(near, places) if clause.carry == "unstated" else tested
    return Rounded(carried, tested, other)


@dataclass(frozen=True, slots=True)
class Headroom:
    """Distance to the level.

    Attributes:
        debt: level x earnings - debt, whole units; negative where the level is passed.
        earnings: 1 - debt / (level x earnings), a share; None where earnings or level are not positive.
    """

    debt: Fraction
    earnings: Fraction | None


def headroom(debt: Fraction, earnings: Fraction, level: Fraction) -> Headroom:
    """Headroom under a maximum of debt over earnings."""
    room = level * earnings
    return Headroom(room - debt, 1 - debt / room if room > 0 and earnings > 0 else None)
