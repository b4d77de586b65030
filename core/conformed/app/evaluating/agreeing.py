"""How much the samples of a method differ, and what their agreement meant on these items: for one model, prompt and decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from conformed.compute.agreement import AgreementTable, Conditions, agreement_table
from conformed.compute.diversity import Decoding, DiversityRow, SampledItem, diversity_table
from conformed.compute.experiment import Method as ExactMethod
from conformed.compute.votes import Vote, plurality_vote
from conformed.errors import InexactError
from conformed.evaluation.items import Item, Result
from conformed.model.answer import Outcome
from conformed.model.base import Missing, exact
from conformed.policy.comparison import Method

__all__ = ["agreement_by_subject", "diversity_of"]

_ONE = Missing(reason="One sample an item: there is nothing to agree with.", code="one_sample")


def diversity_of(method: Method, by_item: Mapping[str, Sequence[Result]]) -> DiversityRow | Missing:
    """How different a method's samples are, beside their accuracy and the share of valid outputs; Missing for one sample.

    Args:
        method: the method; without a temperature its decoding counts as greedy, without a nucleus as the whole distribution.
        by_item: its judged samples.
    """
    if method.samples == 1:
        return _ONE
    try:
        decoding = Decoding(
            temperature=exact(method.decoding.get("temperature", "0")), top_p=exact(method.decoding.get("top_p", "1"))
        )
    except InexactError as problem:
        return Missing(reason=f"The decoding is not stated in numbers: {problem.found}", code="decoding_not_exact")
    sampled = [
        SampledItem(item=item, answers=tuple(one.normalised for one in rows), outcomes=tuple(str(one.outcome) for one in rows))
        for item, rows in sorted(by_item.items())
    ]
    return diversity_table([(decoding, sampled)])[0]


def agreement_by_subject(
    method: Method, exactly: ExactMethod, items: Sequence[Item], by_item: Mapping[str, Sequence[Result]]
) -> tuple[AgreementTable, ...]:
    """What a vote's share meant, a table for each subject, sorted; none for one sample.

    Each table holds for its conditions alone: asked under others it says that it is stale (`conformed.compute.agreement`).
    """
    if method.samples == 1:
        return ()
    votes: dict[str, list[tuple[Vote, bool]]] = {}
    for item in items:
        rows = by_item[item.id]
        vote = plurality_vote([one.normalised for one in rows], method.minimum_valid)
        right = vote.answer is not None and any(one.normalised == vote.answer and one.outcome is Outcome.CORRECT for one in rows)
        votes.setdefault(item.subject, []).append((vote, right))
    decoding = f"{exactly.decoding}; {method.samples} samples, at least {method.minimum_valid} valid"
    return tuple(
        agreement_table(
            votes[subject],
            Conditions(
                model=exactly.model_revision, prompt=exactly.template_revision, decoding=decoding, subject=subject or "unstated"
            ),
            (Fraction(1, 2), Fraction(3, 4)),
        )
        for subject in sorted(votes)
    )
