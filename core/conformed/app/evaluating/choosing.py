"""Which of an item's samples a method gives as its answer, and how that answer was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from conformed.app.evaluating.binding import Judges
from conformed.compute.votes import plurality_vote
from conformed.evaluation.items import Item, Result
from conformed.model.answer import AnswerCheck, Outcome
from conformed.model.base import Frozen

__all__ = ["Choice", "Selection", "choose"]

Selection = Literal["first", "plurality", "verified"]


class Choice(Frozen):
    """What a method gives for one item."""

    item: str
    """Id of the item."""
    sample: int | None
    """The sample that was chosen; None where the method gives no answer."""
    outcome: Outcome
    """How it was judged; review where there is no answer."""
    code: str
    """Reason code of the choice, or of the judgement."""
    votes: int
    """Samples with the same normal form as the one chosen."""
    valid: int
    """Samples with a normal form."""
    total: int
    """All samples."""
    tokens: int
    """Tokens generated for all of them."""
    latency_ms: int
    """Time for all of them, one after the other, milliseconds."""


def choose(item: Item, samples: Sequence[Result], selection: Selection, minimum_valid: int, judges: Judges) -> Choice:
    """Chooses among the samples of one item. The reference takes no part in it.

    Args:
        item: the item.
        samples: its judged samples, in order.
        selection: how it is chosen.
        minimum_valid: for a plurality, fewest samples with a normal form.
        judges: for ``verified``, what holds an answer against what the item itself brings.
    """
    if all(one.outcome is Outcome.ERROR and one.normalised is None for one in samples):
        return _choice(item, samples, None, samples[0].code, Outcome.ERROR)  # no sample came as far as an answer
    if selection == "first":
        place: int | None = 0 if samples[0].normalised is not None else None
        code = "first" if place is not None else samples[0].code
    elif selection == "plurality":
        vote = plurality_vote([one.normalised for one in samples], minimum_valid)
        place, code = _first(samples, vote.answer), vote.code
    else:
        place, code = _verified(item, samples, judges)
    return _choice(item, samples, place, code)


def _first(samples: Sequence[Result], normal: str | None) -> int | None:
    return None if normal is None else next(at for at, one in enumerate(samples) if one.normalised == normal)


def _verified(item: Item, samples: Sequence[Result], judges: Judges) -> tuple[int | None, str]:
    if not (item.check or item.public):
        return None, "nothing_to_check"
    right: Counter[str] = Counter()
    seen: dict[str, bool] = {}
    for one in samples:
        if one.normalised is None or one.answer is None:
            continue
        if one.normalised not in seen:
            asks = AnswerCheck(candidate=one.answer, reference=item.check, item=item.id, prompt=item.prompt, facts=item.public)
            try:
                seen[one.normalised] = judges.check(asks, item.form).outcome is Outcome.CORRECT
            except Exception:  # noqa: BLE001 - a verifier that fails has found nothing right
                seen[one.normalised] = False
        right[one.normalised] += seen[one.normalised]
    best = [normal for normal, votes in right.most_common(1) if votes]
    return (_first(samples, best[0]), "verified") if best else (None, "no_answer_verified")


def _choice(item: Item, samples: Sequence[Result], place: int | None, code: str, outcome: Outcome = Outcome.REVIEW) -> Choice:
    normal = None if place is None else samples[place].normalised
    return Choice(
        item=item.id,
        sample=place,
        outcome=outcome if place is None else samples[place].outcome,
        code=code if place is None else samples[place].code,
        votes=sum(one.normalised == normal for one in samples) if normal is not None else 0,
        valid=sum(one.normalised is not None for one in samples),
        total=len(samples),
        tokens=sum(one.response_tokens for one in samples),
        latency_ms=sum(one.latency_ms for one in samples),
    )
