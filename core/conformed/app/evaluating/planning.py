"""Planning: where the router should begin to sample, whether its traffic has moved, and what N samples will take."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from pydantic import ValidationError

from conformed.app.evaluating.choosing import Choice
from conformed.app.evaluating.report import EvaluationReport
from conformed.compute.capacity import Load, Measured, PlanRow, Price, Stages, capacity_table, cost_of
from conformed.compute.route_fit import Drift, FittedThreshold, RouteTrial, fit_threshold, route_drift
from conformed.errors import UsageError
from conformed.evaluation.intervals import Proportion
from conformed.model.answer import Outcome
from conformed.model.base import Exact, Frozen, Missing
from conformed.policy.comparison import Comparison, Values

__all__ = [
    "CapacityPlan",
    "Planned",
    "capacity",
    "capacity_lines",
    "drift_lines",
    "drift_of",
    "fit_lines",
    "fitted",
    "read_report",
]


class CapacityPlan(Frozen):
    """What is planned and what was measured, entered by the owner."""

    stages: Stages
    """Times for the formulas, milliseconds."""
    measured: Measured
    """What the machine did."""
    load: Load
    """What verification has to bear."""
    prices: tuple[Price, ...] = ()
    """Dated prices; none is built in."""
    oldest_price_days: int = 90
    """A price older than so many days is stale."""


class Planned(Frozen):
    """The planner's table with the cost of what was generated."""

    rows: tuple[PlanRow, ...]
    """Planned beside measured."""
    cost: Exact | Missing
    """Cost of the generated tokens."""
    currency: str
    """Its currency; empty where no price was entered."""


def capacity(plan: CapacityPlan, *, today: dt.date) -> Planned:
    """The planner.

    Args:
        plan: as entered.
        today: the day on which a price must hold.
    """
    found = cost_of(plan.measured.generated_tokens, plan.prices, on=today, oldest_days=plan.oldest_price_days)
    return Planned(
        rows=capacity_table(plan.stages, plan.measured, plan.load),
        cost=found,
        currency=plan.prices[0].currency if plan.prices else "",
    )


def capacity_lines(planned: Planned) -> tuple[str, ...]:
    """The planner's table in words."""
    rows = [("figure", "planned", "measured")] + [
        (f"{row.figure} ({row.unit})", _figure(row.planned), _figure(row.measured)) for row in planned.rows
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    cost = planned.cost.reason if isinstance(planned.cost, Missing) else f"{float(planned.cost):.4f} {planned.currency}"
    return (*table, f"Cost of the generated tokens: {cost}")


def _figure(value: Fraction | Missing) -> str:
    return "-" if isinstance(value, Missing) else f"{float(value):.6g}"


def read_report(path: Path) -> EvaluationReport:
    """A report as `conformed evaluate` wrote it.

    Raises:
        UsageError: when it cannot be read or is none.
    """
    try:
        return EvaluationReport.model_validate_json(path.read_bytes())
    except OSError as problem:
        raise UsageError(f"The report {path} cannot be read: {problem.strerror}.", "Give a report.json.") from problem
    except ValidationError as problem:
        raise UsageError(f"{path} is no report of an evaluation.", "Give the report.json of one.") from problem


def fitted(report: EvaluationReport, comparison: Comparison, direct: str, sampled: str, *, seed: int) -> FittedThreshold:
    """The threshold of the router that would have gained most, by the owner's values, on the items of a report.

    Args:
        report: an evaluation in which both methods answered the same items.
        comparison: with the owner's values.
        direct: name of the method that answers directly.
        sampled: name of the one that samples and verifies.
        seed: of the bootstrap.

    Raises:
        UsageError: when a method is not in the report, or no item has an estimated difficulty.
    """
    ways = []
    for name in (direct, sampled):
        found = next((one for one in report.methods if one.name == name), None)
        if found is None:
            there = ", ".join(one.name for one in report.methods)
            raise UsageError(f"The report has no method {name!r}.", f"Methods: {there}.")
        ways.append({one.item: _worth(one, comparison.values) for one in found.choices})
    trials = [
        RouteTrial(item=item.id, difficulty=item.difficulty, direct=ways[0][item.id], sampled=ways[1][item.id])
        for item in report.items
        if item.difficulty is not None
    ]
    if not trials:
        raise UsageError("No item of the report has an estimated difficulty.", "Estimate it from features seen before answering.")
    return fit_threshold(trials, seed=seed)


def _worth(one: Choice, values: Values) -> Fraction:
    """Utility of one answer by the owner's values."""
    spent = values.thousand_tokens * one.tokens / 1000
    if one.outcome is Outcome.CORRECT:
        return values.v_correct - spent
    if one.outcome is Outcome.INCORRECT:
        return -values.c_wrong - spent
    return -values.c_abstain - values.one_review - spent


def fit_lines(found: FittedThreshold) -> tuple[str, ...]:
    """A fitted threshold in words."""
    if isinstance(found.threshold, Missing):
        return (f"{found.threshold.reason} Answer directly. Fitted on {found.n} items.",)
    interval = found.interval
    shown = "none" if isinstance(interval, Missing) else f"{interval.low:.3g} to {interval.high:.3g}"
    never = found.never.words() if isinstance(found.never, Proportion) else "none"
    return (
        f"difficulty_threshold: {found.threshold}",
        f"  interval ({found.level:.0%}) {shown}, over {found.resamples} resamples of {found.n} items, seed {found.seed}",
        f"  gain {float(found.gain):.4g} an item over always answering directly; flattered, since it was fitted on these items",
        f"  resamples in which sampling never paid: {never}",
    )


def drift_of(before: Path, now: Path) -> Drift:
    """Drift of routed shares between two files of counts by route, as JSON.

    Raises:
        UsageError: when a file is no such counts.
    """
    return route_drift(_counts(before), _counts(now))


def _counts(path: Path) -> Mapping[str, int]:
    try:
        plain = json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise UsageError(
            f"{path} holds no counts.", 'Write {"direct": 10, "sample_and_verify": 4, "human_review": 1}.'
        ) from problem
    if not isinstance(plain, dict):
        raise UsageError(f"{path} holds no counts.", 'Write {"direct": 10, "sample_and_verify": 4, "human_review": 1}.')
    return plain


def drift_lines(found: Drift) -> Sequence[str]:
    """Drift in words."""

    def words(share: Proportion | Missing) -> str:
        return share.reason if isinstance(share, Missing) else share.words()

    lines = [
        f"{one.route}: {words(one.before)} before, {words(one.now)} now{'; moved' if one.moved else ''}" for one in found.shares
    ]
    lines.append(f"total variation distance {float(found.distance):.4g}")
    lines.append("DRIFTED: fit the threshold anew." if found.drifted else "No route moved.")
    return lines
