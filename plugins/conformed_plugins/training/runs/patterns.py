"""Patterns over the series of a run. Each looks at windows, none at a point, and each can be absent or impossible to judge."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from itertools import pairwise

from conformed_plugins.training.runs.judgement import Judgement, mean, shown, standard_error, thirds
from conformed_plugins.training.runs.series import Point, Series
from conformed_plugins.training.runs.thresholds import Thresholds

__all__ = ["PATTERNS", "Pattern"]

Pattern = Callable[[Series, Thresholds], Judgement]


def _lacks(code: str, series: Series, names: tuple[str, ...], least: int) -> Judgement | None:
    """Says which series is not there or too short, if one is."""
    for name in names:
        count = len(series.of(name))
        if count < least:
            return Judgement.blind(code, f"{name} has {count} updates of the {least} that are needed.")
    return None


def _reward_without_accuracy(series: Series, at: Thresholds) -> Judgement:
    """The reward rises and no held-out split gains: the policy has found a way round the task."""
    code = "reward_up_accuracy_flat"
    if lacks := _lacks(code, series, ("reward_mean",), at.least_points):
        return lacks
    splits = [name for name in series.splits() if len(series.of(f"evaluation.{name}.accuracy")) >= at.least_evaluations]
    if not splits:
        reason = f"No split was evaluated {at.least_evaluations} times, and without held-out items a reward proves nothing."
        return Judgement.blind(code, reason)
    first, _, last = thirds(series.values("reward_mean"))
    rise, noise = mean(last) - mean(first), (standard_error(first) ** 2 + standard_error(last) ** 2) ** 0.5
    gains = {name: _gain(series.values(f"evaluation.{name}.accuracy")) for name in splits}
    best = max(gains, key=lambda name: gains[name])
    seen = rise >= at.reward_rise and rise > 2 * noise and gains[best] <= at.flat_accuracy
    said = f"Reward went from {shown(mean(first))} to {shown(mean(last))}; the split that gained most, {best}, by {shown(gains[best])}."
    said = f"Shortcut suspected. {said} Read raw responses of the last updates." if seen else said
    figures = {"reward_first": mean(first), "reward_last": mean(last), "accuracy_gain": gains[best]}
    return Judgement.found(code, said, figures, seen=seen)


def _few_informative_groups(series: Series, at: Thresholds) -> Judgement:
    """Hardly a group whose rewards differ: items too easy or too hard, and nothing to learn from."""
    code = "few_informative_groups"
    if lacks := _lacks(code, series, ("informative_group_rate",), at.least_points):
        return lacks
    rate = mean(thirds(series.values("informative_group_rate"))[2])
    figures = {"informative_group_rate_last": rate}
    seen, said = rate < at.informative_rate, f"{shown(100 * rate)}% of the last third's groups are informative."
    if seen:
        zeros = series.values("all_zero_group_rate")
        if zeros:
            figures["all_zero_group_rate_last"] = mean(thirds(zeros)[2])
            side = "too hard: most tied groups have no reward at all" if figures["all_zero_group_rate_last"] > 0.5 else "too easy"
            said += f" The items are {side}."
        said = f"Change the items (curriculum). {said} Tied groups have no gradient."
    return Judgement.found(code, said, figures, seen=seen)


def _entropy_collapse(series: Series, at: Thresholds) -> Judgement:
    """Entropy falls and answers become the same: the policy no longer explores. Either alone is no collapse."""
    code = "entropy_collapse"
    if lacks := _lacks(code, series, ("token_entropy", "unique_answer_rate"), at.least_points):
        return lacks
    (before, _, after), (many, _, few) = thirds(series.values("token_entropy")), thirds(series.values("unique_answer_rate"))
    seen = mean(after) <= at.entropy_left * mean(before) and mean(few) <= at.unique_left * mean(many)
    said = (
        f"Token entropy went from {shown(mean(before))} to {shown(mean(after))} nats, "
        f"unique answers of an item from {shown(mean(many))} to {shown(mean(few))}."
    )
    figures = {
        "entropy_first": mean(before),
        "entropy_last": mean(after),
        "unique_first": mean(many),
        "unique_last": mean(few),
    }
    said = f"Collapse. {said} Read with held-out accuracy: a policy that is right may be sure." if seen else said
    return Judgement.found(code, said, figures, seen=seen)


def _kl_runaway(series: Series, at: Thresholds) -> Judgement:
    """The distance to the reference grows faster and faster, or is out of any bound."""
    code = "kl_runaway"
    if lacks := _lacks(code, series, ("sampled_kl",), at.least_points):
        return lacks
    first, middle, last = (mean(part) for part in thirds(series.values("sampled_kl")))
    faster = first < middle and last >= at.kl_growth * middle and last > at.kl_floor
    said = f"KL to the reference by thirds of the run: {shown(first)}, {shown(middle)}, {shown(last)} nats a token."
    seen = faster or last > at.kl_limit
    said = f"Runaway. {said} Lower the learning rate, or raise beta." if seen else said
    return Judgement.found(code, said, {"kl_first": first, "kl_middle": middle, "kl_last": last}, seen=seen)


def _always_clipped(series: Series, at: Thresholds) -> Judgement:
    """Every update of the last third clips many tokens: the steps are larger than the objective allows."""
    code = "always_clipped"
    if lacks := _lacks(code, series, ("clip_fraction",), at.least_points):
        return lacks
    last = thirds(series.values("clip_fraction"))[2]
    said = f"Of the scored tokens {shown(100 * min(last))}% to {shown(100 * max(last))}% were clipped in the last third."
    seen = min(last) > at.clip_always
    said = f"Clipping never rests. {said} Lower the learning rate or the updates a rollout." if seen else said
    return Judgement.found(code, said, {"clip_least": min(last), "clip_most": max(last)}, seen=seen)


def _verifier_outage(series: Series, at: Thresholds) -> Judgement:
    """Review and error jump together and stay: the check is down, not the policy. Their samples taught nothing."""
    code = "verifier_outage"
    if lacks := _lacks(code, series, ("review_rate", "error_rate"), at.least_points):
        return lacks
    errors = dict(series.of("error_rate"))
    points = [(update, value + errors[update]) for update, value in series.of("review_rate") if update in errors]
    if not points:
        return Judgement.blind(code, "review_rate and error_rate have no update in common.")
    start = _jump(points, at)
    if start is None:
        worst = max(value for _, value in points)
        return Judgement.found(code, f"Review and error were at most {shown(100 * worst)}%.", {"worst": worst}, seen=False)
    before = [value for _, value in points[:start]]
    usual = statistics.median(before) if before else 0.0
    back = next((update for update, value in points[start:] if value < usual + at.outage_jump), None)
    over = [value for update, value in points[start:] if back is None or update < back]
    until = f"until update {back}" if back is not None else "to the end"
    said = (
        f"Verifier outage. From update {points[start][0]} {until} review and error were {shown(100 * mean(over))}%, "
        f"against {shown(100 * usual)}% before. These samples had no reward and moved nothing; mend the check, then resume."
    )
    figures = {"from_update": float(points[start][0]), "rate_before": usual, "rate_during": mean(over)}
    return Judgement.found(code, said, figures, seen=True)


def _loss_near_zero(series: Series, at: Thresholds) -> Judgement:
    """The displayed loss is zero. On-policy it always is; the figures that do say something are named in its place."""
    code = "loss_near_zero"
    if not series.of("reward_mean"):
        return Judgement.blind(code, "No reward was recorded: a loss of supervised training means what it says.")
    if lacks := _lacks(code, series, ("loss",), at.least_points):
        return lacks
    last = thirds(series.values("loss"))[2]
    largest = max(map(abs, last))
    if largest > at.loss_zero:
        said = f"The loss was up to {shown(largest)} in the last third."
        return Judgement.found(code, said, {"loss_largest": largest}, seen=False, harm=False)
    figures, parts = {"loss_largest": largest}, []
    for name, words in _TELLING:
        if values := series.values(name):
            first, _, end = thirds(values)
            figures[f"{name}_first"], figures[f"{name}_last"] = mean(first), mean(end)
            parts.append(f"{words} {shown(mean(first))} to {shown(mean(end))}")
    for split in series.splits():
        values = series.values(f"evaluation.{split}.accuracy")
        figures[f"accuracy_{split}_last"] = values[-1]
        parts.append(f"accuracy on {split} {shown(values[0])} to {shown(values[-1])}")
    moved = figures.get("informative_group_rate_last", 1.0) > 0 and figures.get("gradient_norm_last", 1.0) > 0
    said = (
        "A displayed loss of 0 is by itself no sign of trouble: with one update a rollout every ratio is 1 and the advantages of a group "
        "sum to zero, so the value is 0 while its gradient is not."
    )
    if not moved:
        said = "The displayed loss is 0, and here nothing is learnt: no group is informative, or the gradient is zero."
    told = f" What tells: {'; '.join(parts)}." if parts else " Record informative_group_rate and gradient_norm: they tell."
    return Judgement.found(code, said + told, figures, seen=True, harm=not moved)


_TELLING = (
    ("informative_group_rate", "informative groups"),
    ("gradient_norm", "gradient norm"),
    ("reward_mean", "reward"),
)

PATTERNS: tuple[Pattern, ...] = (
    _reward_without_accuracy,
    _few_informative_groups,
    _entropy_collapse,
    _kl_runaway,
    _always_clipped,
    _verifier_outage,
    _loss_near_zero,
)
"""All patterns, in the order in which they are reported."""


def _gain(values: tuple[float, ...]) -> float:
    """What a split gained: the last window over the first evaluation, so that one good evaluation in between is no gain."""
    return mean(thirds(values)[2]) - values[0]


def _jump(points: list[Point], at: Thresholds) -> int | None:
    """Place of the first of two updates in a row that lie above the usual by a jump."""
    if all(value > at.outage_from_start for _, value in points[:3]):
        return 0
    for place, ((_, one), (_, two)) in enumerate(pairwise(points)):
        if place >= 2 and min(one, two) >= statistics.median(value for _, value in points[:place]) + at.outage_jump:
            return place
    return None
