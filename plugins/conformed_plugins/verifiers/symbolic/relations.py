"""Equations and inequalities. Two equations are one where their differences are, up to a constant factor that is not zero."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from conformed_plugins.verifiers.symbolic.bounds import checked, must_not_vanish
from conformed_plugins.verifiers.symbolic.rational import degrees, difference, factor_between, grid, value_at
from conformed_plugins.verifiers.symbolic.realsets import FLIPPED
from conformed_plugins.verifiers.symbolic.tree import EXPRESSIONS, Node
from conformed_plugins.verifiers.symbolic.values import DIFFERENT, EQUAL, UNKNOWN, Finding, Values

__all__ = ["compare_relations", "solved"]

_MOST_LETTERS = 3


def solved(node: Node) -> tuple[str, str, Node] | None:
    """Letter, comparison and value of a relation that is solved for one letter; None where it is not."""
    if node.kind != "relation" or len(node.parts) != 2 or node.text not in FLIPPED:
        return None
    left, right = node.parts
    if left.kind == "name" and left.text not in right.names():
        return left.text, node.text, right
    if right.kind == "name" and right.text not in left.names():
        return right.text, FLIPPED[node.text], left
    return None


def compare_relations(one: Node, other: Node, values: Values) -> Finding:
    """Whether two equations, or two inequalities, are satisfied by the same numbers.

    ``2x = 4`` has the solution of the reference ``x = 2`` and is not solved: that is left open. Of a curve any equation will do.

    Args:
        one: the candidate.
        other: the reference.
        values: compares sides.

    Raises:
        RefusedError: where a side is too large.
    """
    if (
        any(part.kind not in EXPRESSIONS for node in (one, other) for part in node.parts)
        or len(one.parts) != 2
        or len(other.parts) != 2
    ):
        return Finding(UNKNOWN, "forms_differ:relation:relation")
    first, second = solved(one), solved(other)
    if first and second and first[:2] == second[:2]:
        found = values.compare(first[2], second[2])
        return found if one.text == "=" or found.status != DIFFERENT else Finding(UNKNOWN, "not_proved")
    gaps = [checked(difference(*node.parts)) for node in (one, other)]
    if not all(gap.names() for gap in gaps):
        return Finding(UNKNOWN, "no_letter")
    if any(must_not_vanish(gap) for gap in gaps):
        return Finding(UNKNOWN, "domains_differ")
    factor = factor_between(gaps[0], gaps[1])
    if factor is not None:
        expected = one.text if factor > 0 else FLIPPED[one.text]
        if expected == other.text:
            unsolved = first is None and second is not None and not second[2].names()
            return Finding(UNKNOWN, "not_solved") if unsolved else Finding(EQUAL, "same_relation")
    if one == other:
        return Finding(EQUAL, "same_relation")
    if _separated(one.text, gaps[0], other.text, gaps[1]):
        return Finding(DIFFERENT, "exact_counterexample")
    return Finding(UNKNOWN, "not_proved")


def _separated(sign: str, gap: Node, sign2: str, gap2: Node) -> bool:
    """Whether some rational point satisfies one relation and not the other."""
    names = sorted(gap.names() | gap2.names())
    if not names or len(names) > _MOST_LETTERS:
        return False
    for point in _tried(names, gap, gap2):
        found = value_at(gap, point), value_at(gap2, point)
        if None not in found and _holds(found[0] or Fraction(0), sign) != _holds(found[1] or Fraction(0), sign2):
            return True
    return False


def _tried(names: list[str], *gaps: Node) -> Iterator[dict[str, int | Fraction]]:
    """Small whole points, and for each gap that is linear in a letter the point where it vanishes."""
    for whole in grid(dict.fromkeys(names, 6)):
        yield dict(whole)
        for gap in gaps:
            for name, degree in (degrees(gap) or {}).items():
                if degree != (1, 0):
                    continue
                start, after = value_at(gap, {**whole, name: 0}), value_at(gap, {**whole, name: 1})
                if start is not None and after is not None and start != after:
                    yield {**whole, name: -start / (after - start)}


def _holds(value: Fraction, sign: str) -> bool:
    return {"=": value == 0, "!=": value != 0, "<": value < 0, ">": value > 0, "<=": value <= 0, ">=": value >= 0}[sign]
