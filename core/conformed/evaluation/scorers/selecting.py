"""The deployed procedure on a bank: which candidate a scorer's scores select for each item, and which items go to a person."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from conformed.errors import GivenValueError
from conformed.evaluation.scorers.bank import Bank
from conformed.evaluation.scorers.score import Scored
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["Selected", "select_from_bank"]


class Selected(Frozen):
    """What was selected for one item."""

    item: str
    """The item."""
    sample: int | None
    """The selected sample; None where no candidate has both an answer and a score."""
    score: float | None
    """Its score."""
    verdict: Literal["accept", "review"]
    """``accept``: it is taken. ``review``: it is below the threshold, or there is none."""
    outcome: Outcome | None
    """Of the selected candidate, by the bank's known outcomes; None without one."""
    tied: int
    """Candidates with that same score; the first sample of them is the selected one. 0 without one."""

    @property
    def right(self) -> bool:
        """Whether a right answer was taken."""
        return self.verdict == "accept" and self.outcome is Outcome.CORRECT


def select_from_bank(
    bank: Bank, scores: Mapping[tuple[str, int], Scored], accept: Fraction | None, *, split: str | None = None
) -> tuple[Selected, ...]:
    """Selects for every item the candidate with the greatest score among those with an answer.

    Args:
        bank: the bank.
        scores: a score, or why there is none, by item and sample; of every candidate.
        accept: score from which the selected candidate is taken; None takes any.
        split: the split that is looked at; all where None.

    Returns:
        One an item, sorted.

    Raises:
        GivenValueError: when a candidate was not scored, or the split has no item.
    """
    items = bank.items(split)
    if not items:
        raise GivenValueError(f"The bank has no item{f' in the split {split}' if split else ''}.", "Name a split that it has.")
    made = []
    for item, candidates in items.items():
        able: list[tuple[float, int, Outcome]] = []
        for one in candidates:
            if one.key not in scores:
                raise GivenValueError(f"Sample {one.sample} of {item!r} was not scored.", "Score every candidate of the bank.")
            score = scores[one.key]
            if not isinstance(score, Missing) and one.answer is not None:
                able.append((score.value, one.sample, one.outcome))
        if not able:
            made.append(Selected(item=item, sample=None, score=None, verdict="review", outcome=None, tied=0))
            continue
        best = max(value for value, _, _ in able)
        value, sample, outcome = next(one for one in able if one[0] == best)
        taken = accept is None or Fraction(value) >= accept
        made.append(
            Selected(
                item=item,
                sample=sample,
                score=value,
                verdict="accept" if taken else "review",
                outcome=outcome,
                tied=sum(one[0] == best for one in able),
            )
        )
    return tuple(made)
