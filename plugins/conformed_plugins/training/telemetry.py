"""Figures of a batch of rewards and of the policy's entropy, for people and for the diagnosis of a run.

A response without a reward is never a number here: every mean is of those that have one, and how many have none stands beside it. A
figure that there is nothing to make of (the mean of no reward, a correlation with what does not vary) is absent, and not 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, whole
from conformed.model.answer import Outcome
from conformed_plugins.training.reward import Judged
from conformed_plugins.training.tensors import all_finite, floats, mask_of

__all__ = ["batch_figures", "mean_token_entropy", "reward_batch_metrics"]

_CELLS = 1 << 22
"""Logits worked on at a time, so that the work space stays small beside the logits themselves."""
_QUANTILES = (10, 50, 90)


def reward_batch_metrics(rewards: Any) -> dict[str, float]:
    """Whether a batch of rewards has anything to teach.

    Args:
        rewards: [batch, group] as a tensor, or a list a group, of any lengths, with None for responses that could not be scored.

    Returns:
        reward_mean and reward_std (of the population of rewards), informative_group_rate (groups whose rewards are not all equal)
        and all_zero_group_rate, both of the groups with two rewards or more. Where a reward is None, also how many are
        (unscored), their share (unscored_rate), and the groups left with fewer than two (dropped_groups).

    Raises:
        ValueError: for no reward or None at all, a tensor of other than two dimensions, or a reward that is not finite.
        TypeError: for a reward that is no number.
    """
    groups = _groups(rewards)
    flat = [one for group in groups for one in group]
    scored = [one for one in flat if one is not None]
    known = [[one for one in group if one is not None] for group in groups]
    kept = [group for group in known if len(group) > 1]
    made: dict[str, float] = {}
    if scored:
        made["reward_mean"], made["reward_std"] = _mean(scored), _spread(scored)
    if kept:
        made["informative_group_rate"] = sum(len(set(group)) > 1 for group in kept) / len(kept)
        made["all_zero_group_rate"] = sum(not any(group) for group in kept) / len(kept)
    if len(scored) < len(flat):
        missing = len(flat) - len(scored)
        made |= {"unscored": missing, "unscored_rate": missing / len(flat), "dropped_groups": len(groups) - len(kept)}
    return made


def batch_figures(groups: Sequence[Sequence[Judged]], lengths: Sequence[Sequence[int]]) -> dict[str, float]:
    """All figures of a batch of judged responses; call it once for the batch and once for each slice.

    Args:
        groups: a list a prompt.
        lengths: tokens of each response, in the same shape.

    Returns:
        What ``reward_batch_metrics`` says, and: responses; unscored, unscored_rate and dropped_groups, 0 where there are none;
        reward_least, reward_q10, reward_q50, reward_q90, reward_most; all_equal_group_rate, group_with_correct_rate and
        group_with_both_rate (right and wrong ones), of the groups with two rewards or more; correct_rate of those with a reward;
        form_valid_rate, review_rate and error_rate of all; reward_length_correlation (Pearson's) of those with a reward;
        ``part:NAME``, the share of those with a reward whose check found that part right; and ``code:CODE``, how many responses
        have that reason code.

    Raises:
        ValueError: for shapes that differ, or no response at all.
        TypeError: for a length that is no whole number.
    """
    if [len(one) for one in groups] != [len(one) for one in lengths]:
        raise GivenValueError("groups and lengths have different shapes.", "Give one length a response.")
    sizes = [whole("a length", one) for group in lengths for one in group]
    made: dict[str, float] = {"unscored": 0, "unscored_rate": 0.0, "dropped_groups": sum(len(_scored(one)) < 2 for one in groups)}
    made |= reward_batch_metrics([[one.reward for one in group] for group in groups])
    flat = [one for group in groups for one in group]
    pairs = [(one.reward, size) for one, size in zip(flat, sizes, strict=True) if one.reward is not None]
    rewards = [reward for reward, _size in pairs]
    made["responses"] = len(flat)
    made |= _places(rewards)
    made |= _kinds([kept for group in groups if len(kept := _scored(group)) > 1])
    made |= _shares(flat)
    correlation = _correlation(rewards, [float(size) for _reward, size in pairs])
    if correlation is not None:
        made["reward_length_correlation"] = correlation
    made |= {f"code:{code}": count for code, count in sorted(Counter(one.checked.code for one in flat).items())}
    return made


def mean_token_entropy(logits: Any, mask: Any) -> torch.Tensor:
    """Mean entropy of the next token over the scored positions, in natural units.

    Args:
        logits: [batch, sequence, vocabulary], floating.
        mask: [batch, sequence]; True or 1 where a logit is scored. What stands elsewhere changes nothing, be it NaN, forward or
            backward.

    Returns:
        A tensor of no dimension, float32 (float64 for float64 logits).

    Raises:
        ValueError: for shapes that do not fit, nothing scored, or a scored logit that is not finite.
    """
    given = floats("logits", logits, dims=3)
    scored = mask_of("mask", mask, given.shape[:2])
    rows, places = scored.nonzero(as_tuple=True)
    if not len(rows) or not given.shape[2]:
        raise GivenValueError("No token is scored.", "Mark at least one.")
    kind = torch.float64 if given.dtype == torch.float64 else torch.float32
    step = max(1, _CELLS // given.shape[2])
    total = torch.zeros((), dtype=kind, device=given.device)
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        piece = all_finite("A scored logit", given[rows[part], places[part]].to(kind))
        # A log-probability too small for the type is held at its least: 0 times an infinity would be no number.
        logs = piece.log_softmax(dim=-1).clamp(min=torch.finfo(kind).min)
        total = total - (logs.exp() * logs).sum()
    return total / len(rows)


def _groups(rewards: Any) -> list[list[float | None]]:
    if isinstance(rewards, torch.Tensor):
        rewards = floats("rewards", rewards, dims=2).tolist()
    if not isinstance(rewards, Sequence) or not all(isinstance(group, Sequence) for group in rewards):
        raise GivenValueError("rewards is no list of groups.", "Give one list a prompt, or a tensor of two dimensions.")
    groups = [[None if one is None else float(finite("a reward", one)) for one in group] for group in rewards]
    if not any(groups):
        raise GivenValueError("There is no response.", "Give at least one.")
    return groups


def _scored(group: Sequence[Judged]) -> list[Judged]:
    return [one for one in group if one.reward is not None]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _spread(values: Sequence[float]) -> float:
    """Standard deviation of the population; exactly 0 where all are equal."""
    if len(set(values)) == 1:
        return 0.0
    mean = _mean(values)
    return math.sqrt(math.fsum((one - mean) ** 2 for one in values) / len(values))


def _places(rewards: Sequence[float]) -> dict[str, float]:
    """Least, most, and quantiles between neighbours in rank (the seventh way of Hyndman and Fan, 1996)."""
    if not rewards:
        return {}
    ranked = sorted(rewards)
    made = {"reward_least": ranked[0], "reward_most": ranked[-1]}
    for percent in _QUANTILES:
        low, over = divmod((len(ranked) - 1) * percent, 100)
        high = min(low + 1, len(ranked) - 1)
        made[f"reward_q{percent}"] = ranked[low] + (ranked[high] - ranked[low]) * over / 100
    return made


def _kinds(kept: Sequence[Sequence[Judged]]) -> dict[str, float]:
    """Shares of groups, of those with two rewards or more."""
    if not kept:
        return {}
    right = [sum(one.checked.outcome is Outcome.CORRECT for one in group) for group in kept]
    return {
        "all_equal_group_rate": sum(len({one.reward for one in group}) == 1 for group in kept) / len(kept),
        "group_with_correct_rate": sum(count > 0 for count in right) / len(kept),
        "group_with_both_rate": sum(0 < count < len(group) for count, group in zip(right, kept, strict=True)) / len(kept),
    }


def _shares(flat: Sequence[Judged]) -> dict[str, float]:
    """Shares of responses: of all, and of those with a reward."""
    outcomes = Counter(one.checked.outcome for one in flat)
    made = {
        "form_valid_rate": sum(one.checked.format_ok for one in flat) / len(flat),
        "review_rate": outcomes[Outcome.REVIEW] / len(flat),
        "error_rate": outcomes[Outcome.ERROR] / len(flat),
    }
    scored = _scored(flat)
    if scored:
        made["correct_rate"] = outcomes[Outcome.CORRECT] / len(scored)
        names = sorted({name for one in scored for name in one.checked.parts})
        # A part that a check could not read is not right, so that the share is of all with a reward.
        made |= {f"part:{name}": sum(one.checked.parts.get(name, False) for one in scored) / len(scored) for name in names}
    return made


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Pearson's correlation; None where one of the two does not vary."""
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    one, other = _mean(left), _mean(right)
    both = math.fsum((a - one) * (b - other) for a, b in zip(left, right, strict=True)) / len(left)
    return both / (_spread(left) * _spread(right))
