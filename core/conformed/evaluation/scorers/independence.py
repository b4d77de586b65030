"""Whether a scorer is an independent judge of a generator: neither may have learned from the other."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.evaluation.scorers.bank import Candidate
from conformed.evaluation.scorers.card import ScorerCard
from conformed.model.base import Frozen

__all__ = ["Independence", "independence"]


class Independence(Frozen):
    """Of one scorer and one generator."""

    generator: str
    """The generator that is judged."""
    independent: bool
    """Whether neither learned from the other, as far as records tell."""
    why: str
    """What the records say, in a sentence."""


def independence(card: ScorerCard, candidates: Sequence[Candidate]) -> tuple[Independence, ...]:
    """Looks at lineage in both directions: labels of the generator's responses in the scorer's training, and the scorer's scores
    in the generator's training.

    Args:
        card: the scorer's card.
        candidates: candidates of the generators that are judged.

    Returns:
        One a generator, sorted.
    """  # noqa: D205 - one sentence, too long for a line
    taught: dict[str, set[str]] = {}
    for one in candidates:
        taught.setdefault(one.generator, set()).update(one.generator_trained_with)
    return tuple(_of(card, generator, taught[generator]) for generator in sorted(taught))


def _of(card: ScorerCard, generator: str, teachers: set[str]) -> Independence:
    reasons = []
    if generator in card.trained_on_generators:
        reasons.append("the scorer was trained on labels of this generator's responses")
    # Any revision counts: a later one of the same scorer has learned from the same data, unless its records say otherwise.
    if by := sorted(one for one in teachers if one.split(" ")[0] == card.scorer_id):
        reasons.append(f"the generator was trained with {', '.join(by)}")
    if reasons:
        return Independence(generator=generator, independent=False, why=f"Not independent: {' and '.join(reasons)}.")
    return Independence(
        generator=generator, independent=True, why="No record of training links the two; uses that nobody recorded are not known."
    )
