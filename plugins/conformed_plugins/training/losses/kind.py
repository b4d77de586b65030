"""What makes one policy loss another: how rewards are compared, what the ratio is of, and what one token weighs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformed.errors import GivenValueError

__all__ = ["LossKind"]


@dataclass(frozen=True, slots=True)
class LossKind:
    """A policy loss by name. Which one a run uses is stated in its plan; none stands in for another."""

    name: str
    """Lower-case words with hyphens."""
    source: str
    """The paper and its equation, and where this departs from it."""
    scaled: bool
    """Whether an advantage is divided by the spread of its group."""
    sequence_ratio: bool
    """Whether the ratio is of whole responses (the geometric mean over their tokens) and not of each token."""
    of_group: Callable[[Sequence[int]], Sequence[float]]
    """Lengths of a group's kept responses to what each token of each response weighs within the group."""

    def token_weights(self, kept: Sequence[Sequence[bool]], lengths: Sequence[Sequence[int]]) -> tuple[tuple[float, ...], ...]:
        """What each token of a response weighs in the whole update; a prompt weighs one part of the prompts that are kept.

        These are made once, for the whole update, before it is cut into microbatches: any cut then adds up to the same gradient.

        Args:
            kept: for each group, which responses take part, as ``ragged_advantages`` says it.
            lengths: tokens of each response, in the same shape.

        Returns:
            One weight a response, 0 for those left out.

        Raises:
            ValueError: for shapes that differ, a kept response without a token, or nothing kept at all.
        """
        if [len(one) for one in kept] != [len(one) for one in lengths]:
            raise GivenValueError("kept and lengths have different shapes.", "Give one length a response.")
        prompts = sum(any(group) for group in kept)
        if not prompts:
            raise GivenValueError("No group takes part in the update.", "Leave the update out, and count it as skipped.")
        made = []
        for group, sizes in zip(kept, lengths, strict=True):
            taking = [size for one, size in zip(group, sizes, strict=True) if one]
            if any(size < 1 for size in taking):
                raise GivenValueError("A response has no token.", "Leave it out of the update: it has no reward.")
            shares = iter(self.of_group(taking) if taking else ())
            made.append(tuple(next(shares) / prompts if one else 0.0 for one in group))
        return tuple(made)
