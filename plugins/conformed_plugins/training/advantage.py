"""Advantages of responses within the group of their prompt: how much better a response did than its siblings.

A = (r - mean) / sqrt(population variance + eps): Z. Shao et al., "DeepSeekMath" (2024), section 4.1.2, with eps inside the root.
A group whose rewards are all equal gives exactly zero, and that is found by equality: a rounded mean of 0.1, 0.1 and 0.1 is not
0.1, and eps small enough would make something of the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import torch

from conformed.errors import GivenValueError
from conformed_plugins.training.tensors import floats, positive

__all__ = ["CONVENTION", "EPS", "UNSCORED", "Grouped", "GroupedAdvantages", "by_group", "group_advantages", "ragged_advantages"]

EPS = 1e-6
"""Added to the variance unless told."""
CONVENTION = "(reward - group mean) / sqrt(group population variance + eps); equal rewards give exactly 0"
"""What a run logs of how advantages were made."""
UNSCORED = "unscored"
"""The reason of a response without a reward where none is given."""

R = TypeVar("R")
T = TypeVar("T")


@torch.no_grad()  # type: ignore[untyped-decorator]
def group_advantages(rewards: Any, eps: float = EPS, *, scaled: bool = True) -> torch.Tensor:
    """Advantages of full groups, every response with a reward.

    Args:
        rewards: [batch, group], at least one group of at least two; a tensor or nested lists. ``None`` has no place here:
            ``ragged_advantages`` takes it.
        eps: finite and above 0.
        scaled: False leaves the division out, for the losses that name it.

    Returns:
        [batch, group] of the rewards' type, without gradients; worked in float64.

    Raises:
        ValueError: for another shape, a reward that is not finite, rewards so far apart that their variance is not, or eps.
    """
    eps = positive("eps", eps)
    given = floats("rewards", rewards, dims=2)
    if given.shape[0] < 1 or given.shape[1] < 2:
        raise GivenValueError(f"rewards has the shape {tuple(given.shape)}.", "Give at least one group of at least two.")
    wide = given.to(torch.float64)
    if not bool(wide.isfinite().all()):
        raise GivenValueError("A reward is not finite.", "Leave out responses that could not be scored: ragged_advantages does.")
    apart = wide - wide.mean(dim=1, keepdim=True)
    variance = apart.square().mean(dim=1, keepdim=True)
    if not bool(variance.isfinite().all()):
        raise GivenValueError("Rewards of a group are too far apart to be compared.", "Give rewards of one scale.")
    made = apart / (variance + eps).sqrt() if scaled else apart
    tied = (wide == wide[:, :1]).all(dim=1, keepdim=True)
    return made.masked_fill(tied, 0.0).to(given.dtype)


@dataclass(frozen=True, slots=True)
class Grouped(Generic[T]):
    """Advantages of an update whose groups may have lost responses. Everything is by group and response, in the order given."""

    advantages: tuple[tuple[T, ...] | None, ...]
    """One a response, 0 (of tokens, none) where it is excluded; None in place of a group that was dropped."""
    kept: tuple[tuple[bool, ...], ...]
    """Which responses take part: the others have no weight."""
    excluded: Mapping[str, int]
    """How many responses have no reward, by reason."""
    dropped_groups: int
    """Groups with fewer than two rewards."""
    dropped_responses: int
    """Responses that have a reward and fell with their group."""
    tied_groups: int
    """Kept groups whose rewards are all equal: they teach nothing, and weigh as a group all the same."""

    @property
    def kept_groups(self) -> int:
        """Groups that take part: what a prompt's weight is one part of."""
        return len(self.advantages) - self.dropped_groups

    @property
    def taking_part(self) -> tuple[T, ...]:
        """Advantages of all responses that take part, one after another."""
        pairs = zip(self.advantages, self.kept, strict=True)
        return tuple(one for group, kept in pairs if group for one, takes in zip(group, kept, strict=True) if takes)


GroupedAdvantages: TypeAlias = Grouped[float]
"""Of responses, each with one reward."""


def ragged_advantages(
    rewards: Sequence[Sequence[float | None]],
    eps: float = EPS,
    *,
    reasons: Sequence[Sequence[str]] | None = None,
    scaled: bool = True,
) -> GroupedAdvantages:
    """Advantages where some responses could not be scored.

    A response without a reward is no wrong answer: it moves no mean, weighs nothing and is counted. A group left with fewer than
    two rewards has nothing to compare and is dropped.

    Args:
        rewards: a list a group, of any lengths; None for a response that could not be scored.
        eps: finite and above 0.
        reasons: why each response has no reward, in the same shape; read only where the reward is None.
        scaled: as in ``group_advantages``.

    Raises:
        ValueError: for a reward that is not finite or no number, no group at all, reasons of another shape, or eps.
    """
    eps = positive("eps", eps)
    for group in rewards:
        for reward in group:
            _check(reward)

    def made(scored: Sequence[float]) -> tuple[list[float], bool]:
        # In float64 whatever the model's type: the rewards are Python's numbers.
        values = group_advantages(torch.tensor([scored], dtype=torch.float64), eps, scaled=scaled)[0].tolist()
        return values, len(set(scored)) == 1

    return by_group(rewards, made, reasons, excluded=0.0)


def by_group(
    rewards: Sequence[Sequence[R | None]],
    make: Callable[[Sequence[R]], tuple[Sequence[T], bool]],
    reasons: Sequence[Sequence[str]] | None,
    *,
    excluded: T,
) -> Grouped[T]:
    """Leaves out what has no reward, drops groups of fewer than two, counts both, and makes the rest's advantages.

    Args:
        rewards: a list a group; None for a response that could not be scored.
        make: of a group's rewards their advantages, and whether all are equal.
        reasons: as in ``ragged_advantages``.
        excluded: what stands in place of the advantage of a response that is left out.

    Raises:
        ValueError: for no group at all, or reasons of another shape.
    """
    if not rewards:
        raise GivenValueError("There is no group.", "Give at least one.")
    if reasons is not None and [len(one) for one in reasons] != [len(one) for one in rewards]:
        raise GivenValueError("rewards and reasons have different shapes.", "Give one reason a response.")
    left_out: Counter[str] = Counter()
    advantages: list[tuple[T, ...] | None] = []
    kept: list[tuple[bool, ...]] = []
    fallen = tied = 0
    for place, group in enumerate(rewards):
        left_out.update(UNSCORED if reasons is None else reasons[place][seat] for seat, one in enumerate(group) if one is None)
        scored = [one for one in group if one is not None]
        if len(scored) < 2:
            fallen += len(scored)
            advantages.append(None)
            kept.append((False,) * len(group))
            continue
        made, equal = make(scored)
        tied += equal
        values = iter(made)
        advantages.append(tuple(excluded if one is None else next(values) for one in group))
        kept.append(tuple(one is not None for one in group))
    counts = dict(sorted(left_out.items()))
    return Grouped(tuple(advantages), tuple(kept), counts, advantages.count(None), fallen, tied)


def _check(reward: Any) -> None:
    if reward is None:
        return
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        raise GivenValueError(f"A reward is {reward!r}, not a number.", "Give a float, or None where there is no reward.")
    if not abs(reward) < float("inf"):
        raise GivenValueError("A reward is not finite.", "Give None where a response could not be scored.")
