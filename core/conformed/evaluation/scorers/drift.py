"""An old and a new scorer on one fixed bank: compared are the candidates that they select, not their scores.

Two scorers may disagree in every number and select the same, or agree closely and select otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Literal

from conformed.errors import GivenValueError
from conformed.evaluation.intervals import Proportion, proportion
from conformed.evaluation.metrics import Scores, scores
from conformed.evaluation.paired import mcnemar_exact
from conformed.evaluation.scorers.bank import Bank, Candidate
from conformed.evaluation.scorers.card import DriftBounds, ScorerCard
from conformed.evaluation.scorers.discrimination import Auroc, auroc, rank_correlation
from conformed.evaluation.scorers.score import Scored
from conformed.evaluation.scorers.selecting import Selected, select_from_bank
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["Change", "Distribution", "Drift", "DriftPart", "ScorerSide", "drift"]

SMALLEST = 20
"""Fewest items with which a part of the bank may be read."""
_QUANTILES = (0, Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), 1)

Given = Mapping[tuple[str, int], Scored]


class Distribution(Frozen):
    """How scores are spread."""

    n: int
    """Candidates with a score."""
    missing: int
    """Candidates without one."""
    quantiles: tuple[float, ...]
    """Least score, 10%, 25%, 50%, 75%, 90% and greatest: scores of the bank, the lower of two; empty without any."""


class ScorerSide(Frozen):
    """One of the two scorers on the bank."""

    scorer: str
    """Scorer and revision."""
    selection: Scores
    """Selected candidates by outcome: correct and incorrect where one was taken, review where it is for a person."""
    accepted: Proportion | Missing
    """Items with a candidate taken: the acceptance rate."""
    distribution: Distribution
    """Of its scores."""
    against_outcomes: Auroc | Missing
    """Score against the known outcome of each candidate."""
    against_check: Auroc | Missing
    """Score against what the deterministic check said, where it said correct or incorrect."""
    length_correlation: float | Missing
    """Rank correlation of score and length of the response in characters."""
    format_correlation: float | Missing
    """Rank correlation of score and whether the response has a readable answer."""


class Change(Frozen):
    """An item whose selection changed."""

    item: str
    """The item."""
    before: int | None
    """Sample that the old scorer takes; None where it leaves the item to a person."""
    after: int | None
    """The same of the new one."""
    kind: Literal["improved", "regressed", "both_right", "both_wrong"]
    """Whether a right answer is taken now and was not, was and is not, or neither changed."""


class DriftPart(Frozen):
    """The bank, or a part of it."""

    dimension: str
    """``all``, ``generator``, or the name of a slice."""
    value: str
    """Which part."""
    items: int
    """Items whose selected candidate (old or new) belongs to it."""
    too_small: bool
    """Too few items: shown, and not to be read."""
    changed: Proportion | Missing
    """Items whose selection changed."""
    improved: int
    """Items with a right answer now and not before."""
    regressed: int
    """Items with a right answer before and not now."""
    p_value: float
    """McNemar's exact test, two-sided."""


class Drift(Frozen):
    """The comparison."""

    bank: str
    """The bank's file name."""
    bank_sha256: str
    """Its hash."""
    old: ScorerSide
    """The scorer in use."""
    new: ScorerSide
    """The one that is to replace it."""
    parts: tuple[DriftPart, ...]
    """The whole bank first, then by generator and slice."""
    changes: tuple[Change, ...]
    """Every item whose selection changed, sorted."""
    disagreement: Proportion | Missing
    """Pairs of candidates of one item, with a score from both, that the two scorers order differently (a tie against an order
    counts)."""
    passed_bounds: tuple[str, ...]
    """Declared bounds that were passed, each in a sentence; empty where none was."""


def drift(bank: Bank, old: tuple[ScorerCard, Given], new: tuple[ScorerCard, Given]) -> Drift:
    """Compares two scorers on a bank, by the bounds that the old one's card declares.

    The old card's: whoever proposes the replacement does not choose what it is measured by.

    Args:
        bank: the fixed bank.
        old: card of the scorer in use, and its scores by item and sample.
        new: the same of the one that is to replace it.

    Raises:
        GivenValueError: when the two are about different events, or a candidate was not scored.
    """
    if old[0].target_event != new[0].target_event:
        raise GivenValueError(
            f"{old[0].name} is about {old[0].target_event} and {new[0].name} about {new[0].target_event}.",
            "Compare scorers of one event.",
        )
    before = {one.item: one for one in select_from_bank(bank, old[1], old[0].thresholds.accept)}
    after = {one.item: one for one in select_from_bank(bank, new[1], new[0].thresholds.accept)}
    changes = tuple(_change(before[item], after[item]) for item in before if _taken(before[item]) != _taken(after[item]))
    parts = tuple(_parts(bank, before, after, {one.item: one for one in changes}))
    sides = _side(bank, old, before), _side(bank, new, after)
    return Drift(
        bank=bank.name,
        bank_sha256=bank.digest,
        old=sides[0],
        new=sides[1],
        parts=parts,
        changes=changes,
        disagreement=_disagreement(bank, old[1], new[1]),
        passed_bounds=tuple(_passed(old[0].drift, parts[0], *sides)),
    )


def _taken(one: Selected) -> int | None:
    return one.sample if one.verdict == "accept" else None


def _change(before: Selected, after: Selected) -> Change:
    kinds: dict[tuple[bool, bool], Literal["improved", "regressed", "both_right", "both_wrong"]] = {
        (False, True): "improved",
        (True, False): "regressed",
        (True, True): "both_right",
        (False, False): "both_wrong",
    }
    return Change(item=before.item, before=_taken(before), after=_taken(after), kind=kinds[before.right, after.right])


def _side(bank: Bank, one: tuple[ScorerCard, Given], selected: Mapping[str, Selected]) -> ScorerSide:
    card, given = one
    scored = [(candidate, score.value) for candidate in bank.candidates if not isinstance(score := given[candidate.key], Missing)]
    values = [value for _, value in scored]
    judged = [(c, v) for c, v in scored if c.check in (Outcome.CORRECT, Outcome.INCORRECT)]
    outcomes = [
        one.outcome if one.verdict == "accept" and one.outcome is not None else Outcome.REVIEW for one in selected.values()
    ]
    ordered = sorted(values)
    return ScorerSide(
        scorer=card.name,
        selection=scores(outcomes),
        accepted=proportion(sum(one.verdict == "accept" for one in selected.values()), len(selected)),
        distribution=Distribution(
            n=len(values),
            missing=len(bank.candidates) - len(values),
            quantiles=tuple(ordered[int(q * (len(ordered) - 1))] for q in _QUANTILES) if ordered else (),
        ),
        against_outcomes=auroc(values, [c.outcome is Outcome.CORRECT for c, _ in scored], [c.item for c, _ in scored]),
        against_check=auroc([v for _, v in judged], [c.check is Outcome.CORRECT for c, _ in judged], [c.item for c, _ in judged]),
        length_correlation=rank_correlation(values, [len(c.response) for c, _ in scored]),
        format_correlation=rank_correlation(values, [int(c.answer is not None) for c, _ in scored]),
    )


def _parts(
    bank: Bank, before: Mapping[str, Selected], after: Mapping[str, Selected], changes: Mapping[str, Change]
) -> Iterator[DriftPart]:
    yield _part("all", "all", sorted(before), changes)
    members: dict[tuple[str, str], set[str]] = {}
    for item, candidates in bank.items().items():
        by_sample = {one.sample: one for one in candidates}
        # By generator an item belongs where a selected candidate comes from; by slice, where its candidates say.
        chosen = [by_sample[s] for s in (before[item].sample, after[item].sample) if s is not None]
        for dimension, value in {("generator", one.generator) for one in chosen} | _slices(candidates):
            members.setdefault((dimension, value), set()).add(item)
    for (dimension, value), items in sorted(members.items()):
        yield _part(dimension, value, sorted(items), changes)


def _slices(candidates: tuple[Candidate, ...]) -> set[tuple[str, str]]:
    return {(name, value) for one in candidates for name, value in one.slices.items()}


def _part(dimension: str, value: str, items: list[str], changes: Mapping[str, Change]) -> DriftPart:
    kinds = [changes[item].kind for item in items if item in changes]
    improved, regressed = kinds.count("improved"), kinds.count("regressed")
    return DriftPart(
        dimension=dimension,
        value=value,
        items=len(items),
        too_small=len(items) < SMALLEST,
        changed=proportion(len(kinds), len(items)),
        improved=improved,
        regressed=regressed,
        p_value=mcnemar_exact(improved, regressed),
    )


def _disagreement(bank: Bank, old: Given, new: Given) -> Proportion | Missing:
    different = total = 0
    for candidates in bank.items().values():
        pairs = []
        for one in candidates:
            first, second = old[one.key], new[one.key]
            if not isinstance(first, Missing) and not isinstance(second, Missing):
                pairs.append((first.value, second.value))
        for place, (a, b) in enumerate(pairs):
            for c, d in pairs[place + 1 :]:
                total += 1
                different += ((a > c) - (a < c)) != ((b > d) - (b < d))
    return proportion(different, total, of="no two candidates of one item have scores from both")


def _passed(bounds: DriftBounds, whole: DriftPart, old: ScorerSide, new: ScorerSide) -> Iterator[str]:
    n = whole.items
    changed = 0 if isinstance(whole.changed, Missing) else whole.changed.successes
    if Fraction(changed, n) > bounds.most_changed:
        yield f"{changed} of {n} selections changed; the bound is a share of {bounds.most_changed}."
    if Fraction(whole.regressed, n) > bounds.most_regressed:
        yield f"{whole.regressed} of {n} items regressed; the bound is a share of {bounds.most_regressed}."
    if whole.regressed > whole.improved and whole.p_value <= bounds.worse_p:
        yield (
            f"{whole.regressed} items regressed and {whole.improved} improved: McNemar exact p = {whole.p_value:.2g}, at or below"
            f" the bound of {bounds.worse_p}."
        )
    moved = new.selection.review - old.selection.review
    if Fraction(abs(moved), n) > bounds.most_review_change:
        yield f"{moved:+d} of {n} items are for a person; the bound is a share of {bounds.most_review_change}."
    length = new.length_correlation
    if not isinstance(length, Missing) and abs(length) > bounds.most_length_correlation:
        yield f"Score and length correlate by {length:+.2f}; the bound is {bounds.most_length_correlation}."
