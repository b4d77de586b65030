"""Waivers that hold only up to a ratio of their own, judged once the ratio is known (rule book PR-44)."""

from __future__ import annotations

from fractions import Fraction

from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Comparison
from conformed.model.covenant import Limit
from conformed.model.decision import Effective, Overlaid, Overlay, Reason
from conformed.rules.calculation.compare import compare_shown

__all__ = ["judged_waivers", "pending"]


def pending(ceiling: Limit) -> str:
    """The sentence for a waiver whose ceiling is still to be judged."""
    return f"The waiver holds only within {ceiling.raw}; whether the ratio is within it must be shown."


def _tested(calculation: Calculation) -> Fraction | None:
    """The ratio as tested, a rounding clause applied; none where it was not worked out."""
    if isinstance(calculation.comparison, Comparison):
        return calculation.comparison.left
    return None if isinstance(calculation.ratio, Missing) else calculation.ratio


def judged_waivers(effective: Effective, calculation: Calculation | Missing, *, clean: bool) -> Overlaid:
    """The waivers of a covenant with their ceilings judged. The ratio is the one that the covenant is tested on.

    Args:
        effective: what precedence gives.
        calculation: the calculation, or why there is none.
        clean: whether nothing of the calculation is open.
    """
    reasons = list(effective.overlay_reasons)
    overlay = effective.overlay
    ratio = None if isinstance(calculation, Missing) or not clean else _tested(calculation)
    metric = "" if isinstance(effective.covenant, Missing) else effective.covenant.metric
    for waiver in effective.waivers:
        if ratio is None or waiver.metric not in ("", metric):
            continue  # another ratio than the one worked out
        found, _ = compare_shown(ratio, waiver.comparator, waiver.ceiling.value)
        reasons = [r for r in reasons if (r.subject, r.sentence) != (waiver.document, pending(waiver.ceiling))]
        shown = f"The ratio is {found.shown_left}, and the waiver holds only within {waiver.ceiling.raw}."
        code = "accept_waiver_overlay" if found.met else "reject_waiver_condition_failed"
        reasons.append(Reason(code=code, sentence=shown, subject=waiver.document, spans=waiver.spans))
        overlay = Overlay.WAIVED if found.met else overlay
    return Overlaid(overlay=overlay, reasons=tuple(reasons))
