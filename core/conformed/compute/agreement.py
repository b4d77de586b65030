"""Agreement is not correctness: what a vote's share meant on held-out items, for one model, prompt, decoding and subject.

The table belongs to its conditions. Asked under others it says that it is stale, and gives no figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from conformed.compute.votes import PLURALITY, Vote
from conformed.errors import GivenValueError
from conformed.evaluation.given import truth
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.base import Exact, Frozen, Missing

__all__ = ["AgreementBin", "AgreementTable", "Conditions", "agreement_table", "observed_at"]


class Conditions(Frozen):
    """What a table holds for. Each is a revision or a hash, so that a change shows."""

    model: str
    """Model and revision."""
    prompt: str
    """Prompt template and revision."""
    decoding: str
    """Decoding settings, the number of samples and the vote's minimum included."""
    subject: str
    """Subject of the items."""


class AgreementBin(Frozen):
    """Votes with a share from ``low`` to ``high``."""

    low: Exact
    """Lower edge, included."""
    high: Exact
    """Upper edge, excluded but for the last."""
    observed: Proportion | Missing
    """How often the answer was correct."""


class AgreementTable(Frozen):
    """Vote share against held-out accuracy."""

    conditions: Conditions
    """What it holds for."""
    bins: tuple[AgreementBin, ...]
    """From 0 to 1."""
    n: int
    """Votes with an answer."""
    without_answer: int
    """Votes that ended in a tie or with too few valid answers; they have no share."""


def agreement_table(
    votes: Sequence[tuple[Vote, bool]], conditions: Conditions, edges: Sequence[Fraction] = (Fraction(1, 2), Fraction(3, 4))
) -> AgreementTable:
    """Bins held-out votes by the leader's share of the valid answers.

    Args:
        votes: each vote, and whether its answer is correct; False where it has none.
        conditions: what they were made under.
        edges: where to cut, rising, strictly between 0 and 1.

    Raises:
        GivenTypeError: when a judgement is no bool.
        GivenValueError: for edges that do not rise between 0 and 1, or an answer called correct that is not there.
    """
    cuts = [Fraction(0), *map(Fraction, edges), Fraction(1)]
    if cuts != sorted(set(cuts)):
        raise GivenValueError(f"The edges are {', '.join(map(str, edges))}.", "Give rising edges between 0 and 1.")
    right, total = [0] * (len(cuts) - 1), [0] * (len(cuts) - 1)
    without = 0
    for vote, correct in votes:
        truth("a judgement", correct)
        if vote.code != PLURALITY:
            if correct:
                raise GivenValueError(f"A vote that ended in {vote.code} is called correct.", "It has no answer: give False.")
            without += 1
            continue
        share = Fraction(vote.votes, vote.valid)
        place = min(len(total) - 1, sum(share >= cut for cut in cuts[1:]))
        total[place] += 1
        right[place] += correct
    bins = tuple(
        AgreementBin(low=low, high=high, observed=proportion(right[n], total[n], of="no held-out vote has such a share"))
        for n, (low, high) in enumerate(pairwise(cuts))
    )
    return AgreementTable(conditions=conditions, bins=bins, n=sum(total), without_answer=without)


def observed_at(table: AgreementTable, vote: Vote, conditions: Conditions) -> Proportion | Missing:
    """What was observed on held-out items for votes like this one, or why the table cannot say.

    Args:
        table: the table.
        vote: a vote.
        conditions: what the vote was made under.

    Returns:
        The proportion; or Missing with code agreement_table_stale (naming what changed), vote_without_answer or no_trials.
    """
    if changed := [name for name in Conditions.model_fields if getattr(table.conditions, name) != getattr(conditions, name)]:
        return Missing(
            reason=f"The table of agreement was made under another {', another '.join(changed)}. Make it anew on held-out items.",
            code="agreement_table_stale",
        )
    if vote.code != PLURALITY:
        return Missing(reason=f"The vote ended in {vote.code}: it has no share.", code="vote_without_answer")
    share = Fraction(vote.votes, vote.valid)
    return next(one.observed for one in reversed(table.bins) if share >= one.low)
