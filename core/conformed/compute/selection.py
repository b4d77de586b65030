"""Best of N on one bank of candidates: random, vote, deterministic verifier, learned scorer and oracle side by side.

All ways choose among the same candidates of the same items, so that they differ by the choosing alone. The oracle sees the
reference and cannot be deployed. The random row is the audit: where the scores of what is chosen rise with N and its quality
does not, the scorer is being exploited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from conformed.compute.votes import plurality_vote
from conformed.errors import GivenValueError
from conformed.evaluation.given import whole
from conformed.evaluation.metrics import Selection, selection_accuracy
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["METHODS", "BankCandidate", "BestOfN", "SelectionRow", "Shift", "best_of_n"]

METHODS = ("random", "vote", "deterministic", "learned", "oracle")
"""Ways of choosing, in the order of the table."""


class BankCandidate(Frozen):
    """One kept candidate."""

    answer: str | None
    """Normalised answer; None where none parsed."""
    outcome: Outcome
    """Against the reference: what only the oracle and the judge see."""
    check: Outcome | None
    """What the deterministic verifier said without the reference (its tests, its recalculation); None where there is none."""
    score: Annotated[float, Field(allow_inf_nan=False)] | None
    """What the learned scorer said; None where it said nothing."""


class SelectionRow(Frozen):
    """One way of choosing at one N."""

    method: str
    """One of ``METHODS``."""
    deployable: bool
    """False for the oracle."""
    selection: Selection
    """Accuracy, choices not made, and what was there to be chosen, each with its interval."""
    mean_score: float | Missing
    """Mean score of the chosen candidates that have one."""


class Shift(Frozen):
    """The learned scorer from one N to the next, with the random audit beside it."""

    smaller: int
    """Smaller N."""
    larger: int
    """Larger N."""
    score_change: float | Missing
    """Change of the mean score of what the scorer chose."""
    accuracy_change: float
    """Change of the accuracy of what it chose."""
    random_accuracy_change: float
    """The same for random candidates: what moved without any choosing."""
    exploited: bool
    """The score rose and the accuracy did not."""


class BestOfN(Frozen):
    """The table."""

    items: int
    """Items of the bank."""
    seed: int
    """Of the random row."""
    rows: tuple[SelectionRow, ...]
    """By N, then in the order of ``METHODS``."""
    shifts: tuple[Shift, ...]
    """The learned scorer from each N to the next."""


Bank = Mapping[str, Sequence[BankCandidate]]
_Choose = Callable[[Sequence[BankCandidate]], int | None]


def _vote(candidates: Sequence[BankCandidate]) -> int | None:
    answer = plurality_vote([one.answer for one in candidates]).answer
    return None if answer is None else next(place for place, one in enumerate(candidates) if one.answer == answer)


def _first(candidates: Sequence[BankCandidate], passes: Callable[[BankCandidate], bool]) -> int | None:
    return next((place for place, one in enumerate(candidates) if passes(one)), None)


def _deterministic(candidates: Sequence[BankCandidate]) -> int | None:
    return _first(candidates, lambda one: one.check is Outcome.CORRECT)


def _learned(candidates: Sequence[BankCandidate]) -> int | None:
    """The greatest score among those with an answer; of several the first."""
    best: tuple[float, int] | None = None
    for place, one in enumerate(candidates):
        if one.score is not None and one.answer is not None and (best is None or one.score > best[0]):
            best = (one.score, place)
    return None if best is None else best[1]


def _oracle(candidates: Sequence[BankCandidate]) -> int | None:
    return _first(candidates, lambda one: one.outcome is Outcome.CORRECT)


_WAYS: Mapping[str, _Choose] = {"vote": _vote, "deterministic": _deterministic, "learned": _learned, "oracle": _oracle}


def _random(seed: int, item: str, size: int) -> int:
    """A place that depends on seed, item and N only: not on the order of items, the process or what else is drawn."""
    digest = hashlib.sha256(f"{seed}\x1f{size}\x1f{item}".encode()).digest()
    return int.from_bytes(digest, "big") % size


def _mean(values: Sequence[float]) -> float | Missing:
    if not values:
        return Missing(reason="No chosen candidate has a score.", code="no_score")
    return float(sum(map(Fraction, values), Fraction(0)) / len(values))


def _row(bank: Bank, method: str, size: int, seed: int) -> SelectionRow:
    offered = {item: tuple(bank[item][:size]) for item in sorted(bank)}
    if method == "random":
        chosen = {item: _random(seed, item, size) for item in offered}
    else:
        chosen = {item: _WAYS[method](candidates) for item, candidates in offered.items()}  # type: ignore[misc]
    scores = [offered[item][place].score for item, place in chosen.items() if place is not None]
    return SelectionRow(
        method=method,
        deployable=method != "oracle",
        selection=selection_accuracy([[one.outcome for one in offered[item]] for item in offered], list(chosen.values())),
        mean_score=_mean([score for score in scores if score is not None]),
    )


def _accuracy(row: SelectionRow) -> float:
    share = row.selection.chosen_correct
    assert not isinstance(share, Missing), "a bank has at least one item"
    return share.value


def _shift(learned: tuple[SelectionRow, SelectionRow], audit: tuple[SelectionRow, SelectionRow]) -> Shift:
    before, after = learned
    change: float | Missing
    if isinstance(before.mean_score, Missing) or isinstance(after.mean_score, Missing):
        change = Missing(reason="No chosen candidate has a score.", code="no_score")
    else:
        change = after.mean_score - before.mean_score
    gained = _accuracy(after) - _accuracy(before)
    return Shift(
        smaller=before.selection.at,
        larger=after.selection.at,
        score_change=change,
        accuracy_change=gained,
        random_accuracy_change=_accuracy(audit[1]) - _accuracy(audit[0]),
        exploited=not isinstance(change, Missing) and change > 0 and gained <= 0,
    )


def best_of_n(bank: Bank, at: Sequence[int], *, seed: int) -> BestOfN:
    """The table for several N over one bank.

    Args:
        bank: candidates by item, in the order in which they were sampled; the first N are offered.
        at: each N, at least 1 and at most the number of candidates of every item.
        seed: of the random row.

    Raises:
        GivenTypeError: when an N or the seed is no int.
        GivenValueError: for an empty bank, no N, or an N that an item cannot offer.
    """
    seed = whole("seed", seed)
    if not bank:
        raise GivenValueError("The bank is empty.", "Give at least one item.")
    fewest = min(len(candidates) for candidates in bank.values())
    sizes = sorted({whole("N", size, least=1, most=fewest) for size in at})
    if not sizes:
        raise GivenValueError("There is no N.", "Give at least one.")
    rows = {(size, method): _row(bank, method, size, seed) for size in sizes for method in METHODS}
    return BestOfN(
        items=len(bank),
        seed=seed,
        rows=tuple(rows.values()),
        shifts=tuple(
            _shift((rows[small, "learned"], rows[large, "learned"]), (rows[small, "random"], rows[large, "random"]))
            for small, large in pairwise(sizes)
        ),
    )
