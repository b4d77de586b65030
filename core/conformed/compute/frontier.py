"""The Pareto frontier: methods that no other beats on everything at once.

V. Pareto, "Manuale di economia politica" (1906). Nothing is weighed against anything: that is the owner's (``utility``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite
from conformed.model.base import Frozen, Missing

__all__ = ["Frontier", "Objective", "dominates", "pareto_frontier"]

Figures = Mapping[str, float | Fraction | Missing]
"""A method's figures by objective."""


class Objective(Frozen):
    """What is compared, and which way is better."""

    name: Annotated[str, Field(min_length=1)]
    """Name of the figure."""
    more_is_better: Annotated[bool, Field(strict=True)]
    """True for accuracy, False for cost."""


class Frontier(Frozen):
    """Which methods are left when those that are beaten are taken out."""

    objectives: tuple[Objective, ...]
    """What was compared."""
    on: tuple[str, ...]
    """Methods that nothing beats, sorted. Two with the same figures are both here."""
    beaten: tuple[tuple[str, tuple[str, ...]], ...]
    """Every other method, and those on the frontier that beat it."""
    not_compared: tuple[tuple[str, tuple[str, ...]], ...]
    """Methods that lack a figure, and which: they are neither on the frontier nor beaten."""


def _checked(method: str, figures: Figures, objectives: Sequence[Objective]) -> list[float | Fraction]:
    """Figures turned so that more is better."""
    turned = []
    for one in objectives:
        value = figures[one.name]
        assert not isinstance(value, Missing), "methods that lack a figure were set apart"
        value = finite(f"{one.name} of {method}", value)
        turned.append(value if one.more_is_better else -value)
    return turned


def dominates(one: Sequence[float | Fraction], other: Sequence[float | Fraction]) -> bool:
    """Whether the first is at least as good everywhere and better somewhere; more is better.

    Args:
        one: figures.
        other: as many figures.
    """
    pairs = list(zip(one, other, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def pareto_frontier(methods: Mapping[str, Figures], objectives: Sequence[Objective]) -> Frontier:
    """The frontier of methods judged on the same items.

    Point figures are compared, not their intervals: a method just behind the frontier may belong on it, so read the intervals.

    Args:
        methods: figures by method.
        objectives: what to compare, at least one.

    Raises:
        GivenTypeError: for a figure that is no number.
        GivenValueError: for a figure that is not finite, no objective, one twice, or a method without an entry for one.
    """
    names = [one.name for one in objectives]
    if not names or len(set(names)) != len(names):
        raise GivenValueError("There is no objective, or one stands twice.", "Name each once.")
    for method, figures in methods.items():
        if absent := sorted(set(names) - set(figures)):
            raise GivenValueError(f"{method} has no {', '.join(absent)}.", "Give the figure, or Missing with its reason.")
    lacking = {method: tuple(name for name in names if isinstance(figures[name], Missing)) for method, figures in methods.items()}
    complete = {method: _checked(method, methods[method], objectives) for method in sorted(methods) if not lacking[method]}
    on = [method for method in complete if not any(dominates(other, complete[method]) for other in complete.values())]
    return Frontier(
        objectives=tuple(objectives),
        on=tuple(on),
        beaten=tuple(
            (method, tuple(best for best in on if dominates(complete[best], figures)))
            for method, figures in complete.items()
            if method not in on
        ),
        not_compared=tuple((method, lacking[method]) for method in sorted(lacking) if lacking[method]),
    )
