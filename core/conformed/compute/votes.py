"""Plurality vote over normalised answers, and the moment from which its answer cannot change any more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from conformed.errors import GivenTypeError, GivenValueError
from conformed.evaluation.given import whole
from conformed.model.base import Frozen

__all__ = ["INSUFFICIENT_VALID", "PLURALITY", "PLURALITY_TIE", "Vote", "plurality_is_locked", "plurality_vote"]

PLURALITY = "plurality"
"""Code: one answer has more votes than any other."""
PLURALITY_TIE = "plurality_tie"
"""Code: two or more answers share the most votes."""
INSUFFICIENT_VALID = "insufficient_valid"
"""Code: fewer valid answers than the minimum."""


class Vote(Frozen):
    """What a vote gave."""

    answer: str | None
    """The answer with the most votes; None on a tie or with too few valid answers. The code says which."""
    votes: int
    """Votes of the leader or leaders; 0 with too few valid answers, where nobody leads."""
    valid: int
    """Valid answers."""
    total: int
    """Answers, valid or not."""
    tied: bool
    """Two or more share the most votes."""
    code: str
    """plurality, plurality_tie or insufficient_valid."""


def _valid(answers: Iterable[object]) -> Counter[str]:
    """Valid answers, counted. A number or a bool as an answer would merge 1, 1.0 and True; an empty text is no normal form."""
    count: Counter[str] = Counter()
    for answer in answers:
        if not isinstance(answer, str):
            raise GivenTypeError(f"An answer is {answer!r}, not a text.", "Give normalised answers; None where none parsed.")
        if not answer:
            raise GivenValueError("An answer is the empty text.", "Give None where no answer parsed.")
        count[answer] += 1
    return count


def plurality_vote(answers: Iterable[str | None], minimum_valid: int = 1) -> Vote:
    """Lets normalised answers vote. An answer that did not parse (None) has no vote.

    Args:
        answers: normalised answers, None where none parsed; their order does not matter.
        minimum_valid: fewest valid answers with which there is a result; at least 1.

    Raises:
        GivenTypeError: for an answer that is neither a text nor None, or a minimum that is no int (a bool is none).
        GivenValueError: for a minimum below 1 or an empty answer.
    """
    minimum_valid = whole("minimum_valid", minimum_valid, least=1)
    given = tuple(answers)
    count = _valid(answer for answer in given if answer is not None)
    valid = count.total()
    if valid < minimum_valid:
        return Vote(answer=None, votes=0, valid=valid, total=len(given), tied=False, code=INSUFFICIENT_VALID)
    most = max(count.values())
    leaders = [answer for answer, votes in count.items() if votes == most]
    tied = len(leaders) > 1
    return Vote(
        answer=None if tied else leaders[0],
        votes=most,
        valid=valid,
        total=len(given),
        tied=tied,
        code=PLURALITY_TIE if tied else PLURALITY,
    )


def plurality_is_locked(valid_answers: Iterable[str], *, generated: int, max_samples: int, minimum_valid: int = 1) -> bool:
    """Whether the leader stays the leader whatever the remaining samples say, so that sampling may stop.

    It is locked when its votes exceed the runner-up's plus all remaining samples, and the minimum of valid answers is
    already met (otherwise invalid samples to come could still end the full vote without an answer). The vote over what is
    there then gives the same answer as the vote over all ``max_samples``.

    Args:
        valid_answers: normalised answers so far, without those that did not parse.
        generated: samples generated so far, valid or not.
        max_samples: samples of the full vote, at least 1.
        minimum_valid: the full vote's minimum of valid answers, at least 1.

    Raises:
        GivenTypeError: for an answer that is no text, or a count that is no int (a bool is none).
        GivenValueError: for counts that cannot be: more valid than generated, more generated than ``max_samples``.
    """
    max_samples = whole("max_samples", max_samples, least=1)
    minimum_valid = whole("minimum_valid", minimum_valid, least=1)
    generated = whole("generated", generated, most=max_samples)
    count = _valid(valid_answers)
    if count.total() > generated:
        raise GivenValueError(
            f"{count.total()} answers are valid and {generated} were generated.", "Count every sample, valid or not."
        )
    if count.total() < minimum_valid:
        return False
    (_, leader), *rest = count.most_common(2)
    return leader > (rest[0][1] if rest else 0) + (max_samples - generated)
