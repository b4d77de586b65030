"""A decision in short: what two runs must share to be called the same decision, and one line of it for people."""

from __future__ import annotations

from typing import Any

from conformed.engine.judge import stops
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision

__all__ = ["in_short", "same_decision"]

_SIGNS = {"le": "≤", "lt": "<", "ge": "≥", "gt": ">"}


def same_decision(one: Decision, other: Decision) -> bool:
    """Whether two records say the same: result, overlay, governing levels, ratio, comparison, and every code that stops a run."""
    return _essence(one) == _essence(other)


def in_short(decision: Decision) -> str:
    """Result, level and ratio on one line; no word of a document but the covenant's section."""
    parts = [decision.result.value]
    if isinstance(decision.covenant, Covenant):
        limit = decision.covenant.limit
        parts.append(f"{_SIGNS[decision.covenant.comparator.value]} {limit.value} ({decision.covenant.section})")
    ratio = decision.calculation.ratio if isinstance(decision.calculation, Calculation) else None
    if ratio is not None and not isinstance(ratio, Missing):
        parts.append(f"ratio {ratio}")
    parts += sorted({reason.code for reason in decision.reasons if stops(reason.code)})
    return "; ".join(parts)


def _essence(decision: Decision) -> tuple[Any, ...]:
    calculation = decision.calculation if isinstance(decision.calculation, Calculation) else None
    comparison = calculation.comparison if calculation else None
    return (
        decision.result, decision.overlay, _governs(decision.covenant), tuple(map(_governs, decision.candidates)),
        calculation.ratio if calculation and not isinstance(calculation.ratio, Missing) else None,
        None if comparison is None or isinstance(comparison, Missing) else comparison.met,
        tuple(sorted({(reason.code, reason.subject) for reason in decision.reasons if stops(reason.code)})),
    )  # fmt: skip


def _governs(covenant: Covenant | Missing) -> tuple[Any, ...]:
    if isinstance(covenant, Missing):
        return (covenant.code,)
    limit = covenant.limit
    return covenant.metric, covenant.section, covenant.comparator, limit.unit, limit.value, limit.currency
