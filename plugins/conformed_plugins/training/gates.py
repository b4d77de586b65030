"""Whether a checkpoint is eligible on point values: the six gates of a policy, with the owner's minimum of accuracy.

The gates themselves, and those on counts with intervals that a promotion asks for, are in ``conformed.evaluation.weight_gates``.
"""

from __future__ import annotations

from fractions import Fraction

from conformed.evaluation.given import share
from conformed.evaluation.weight_gates import EvalSummary, GateResult, WeightGates, interval_gates, point_gates

__all__ = ["EvalSummary", "GateResult", "WeightGates", "checkpoint_gates", "checkpoint_is_eligible", "interval_gates"]


def checkpoint_is_eligible(summary: EvalSummary, minimum_accuracy: float) -> bool:
    """Whether every gate is passed on point values.

    Accuracy at least the minimum, coverage at least 0.98, false accepts at most 0.01, invalid at most 0.01, mean response tokens
    at most 512, retention at least 0.95; equal to the bound is passed.

    Args:
        summary: point values of an evaluation on items that were not trained on.
        minimum_accuracy: the owner's minimum, 0 to 1.

    Raises:
        ValueError: for a value that is not finite or outside its range; a value that cannot be is never a gate that is not passed.
        TypeError: for a value that is no number, a bool included.
    """
    return all(one.passed for one in checkpoint_gates(summary, minimum_accuracy))


def checkpoint_gates(summary: EvalSummary, minimum_accuracy: float) -> tuple[GateResult, ...]:
    """The same, gate by gate, with what was found.

    Args:
        summary: as in ``checkpoint_is_eligible``.
        minimum_accuracy: as in ``checkpoint_is_eligible``.

    Raises:
        ValueError: as in ``checkpoint_is_eligible``.
        TypeError: as in ``checkpoint_is_eligible``.
    """
    minimum = share("minimum_accuracy", minimum_accuracy)
    least = minimum if isinstance(minimum, int | Fraction) else Fraction(repr(float(minimum)))
    return point_gates(summary, WeightGates(name="checkpoint", least_accuracy=Fraction(least)))
