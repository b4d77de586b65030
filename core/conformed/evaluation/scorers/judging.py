"""The evaluation of a scorer on a bank: discrimination, calibration, selective risk, shift, probes and independence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from conformed.evaluation.calibration import Calibration, calibration
from conformed.evaluation.calibration_map import CalibrationMap, fit_calibration_map
from conformed.evaluation.intervals import Estimate, Proportion, proportion
from conformed.evaluation.resampling import bootstrap_mean
from conformed.evaluation.risk import coverage_at_risk, risk_coverage
from conformed.evaluation.scorers.bank import Bank, Candidate
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.discrimination import Auroc, auroc, rank_correlation
from conformed.evaluation.scorers.gates import ScorerGates
from conformed.evaluation.scorers.independence import Independence, independence
from conformed.evaluation.scorers.score import Score, Scored
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["Figures", "SelectiveRisk", "SliceFigures", "decided", "figures_of", "selective_risk"]

RESAMPLES = 2000
"""Of each bootstrap over items."""

Given = Mapping[tuple[str, int], Scored]


class SelectiveRisk(Frozen):
    """What happens when only answers from a threshold on are given."""

    threshold: float
    """Picked on the split for tuning, for the declared risk."""
    coverage: Proportion | Missing
    """Answers given on the test split."""
    risk: Proportion | Missing
    """Wrong among them on the test split."""
    coverage_over_items: Estimate
    """The coverage with an interval that draws whole items: candidates of one item are alike."""
    risk_over_items: Estimate | Missing
    """The risk with such an interval."""
    area: float
    """Area under the risk-coverage curve of the test split."""
    best_area: float
    """The least that any order could reach."""


class SliceFigures(Frozen):
    """One part of the test split or of the split of shift."""

    split: str
    """The split."""
    dimension: str
    """``all``, ``generator`` or the name of a slice."""
    value: str
    """Which part."""
    items: int
    """Items in it."""
    too_small: bool
    """Fewer than declared: shown, and not to be read."""
    missing: int
    """Candidates without a score."""
    discrimination: Auroc | Missing
    """Right against wrong candidates."""
    base_rate: Proportion | Missing
    """Right candidates among those with a score."""
    mean_score: float | Missing
    """Mean score."""


class Figures(Frozen):
    """What was measured."""

    slices: tuple[SliceFigures, ...]
    """By split, whole split first; then by generator and slice."""
    calibration: Calibration | Missing
    """On the test split; Missing for scores that are no probabilities."""
    calibration_shift: Calibration | Missing
    """On the split of shift."""
    calibration_map: CalibrationMap | Missing
    """Score to observed frequency, fitted on the split for tuning."""
    calibration_mapped: Calibration | Missing
    """The map's frequencies on the test split; scores outside the map's range are left out, as its use would leave them out."""
    selective: SelectiveRisk | Missing
    """Selective risk; Missing where no threshold keeps the declared risk on the split for tuning."""
    length_correlation: float | Missing
    """Rank correlation of score and length among wrong candidates of the test split."""
    independence: tuple[Independence, ...]
    """Of every generator of the test split."""

    def whole(self, split: str) -> SliceFigures:
        """The row of a whole split."""
        return next(one for one in self.slices if (one.split, one.dimension) == (split, "all"))


Pairs = list[tuple[Candidate, float]]


def decided(bank: Bank, split: str) -> list[Candidate]:
    """Candidates of a split whose answer is right or wrong; what is for a person has no label to be scored against."""
    return [one for one in bank.candidates if one.split == split and one.outcome in (Outcome.CORRECT, Outcome.INCORRECT)]


def _pairs(candidates: Sequence[Candidate], given: Given) -> Pairs:
    return [(one, score.value) for one in candidates if isinstance(score := given[one.key], Score)]


def _right(pairs: Pairs) -> list[bool]:
    return [one.outcome is Outcome.CORRECT for one, _ in pairs]


def selective_risk(bank: Bank, given: Given, gates: ScorerGates) -> SelectiveRisk | Missing:
    """Picks the threshold on the split for tuning and states risk and coverage on the test split.

    Coverage is of all candidates with an answer that is right or wrong: one without a score is not given.
    """
    tuned = _pairs(decided(bank, gates.tune_on), given)
    if not tuned:
        return Missing(reason=f"No candidate of the split {gates.tune_on} has a score.", code="no_score")
    point = coverage_at_risk(risk_coverage([v for _, v in tuned], _right(tuned)), float(gates.most_risk))
    if isinstance(point, Missing):
        return point
    test = decided(bank, gates.test_on)
    pairs = _pairs(test, given)
    if not pairs:
        return Missing(reason=f"No candidate of the split {gates.test_on} has a score.", code="no_score")
    kept = [(one, value) for one, value in pairs if value >= point.threshold]
    keys = {one.key for one, _ in kept}
    curve = risk_coverage([value for _, value in pairs], _right(pairs))
    return SelectiveRisk(
        threshold=point.threshold,
        coverage=proportion(len(kept), len(test)),
        risk=proportion(_right(kept).count(False), len(kept), of="nothing reaches the threshold"),
        coverage_over_items=bootstrap_mean(
            [int(one.key in keys) for one in test], seed=gates.seed, resamples=RESAMPLES, groups=[one.item for one in test]
        ),
        risk_over_items=bootstrap_mean(
            [int(not good) for good in _right(kept)], seed=gates.seed, resamples=RESAMPLES, groups=[one.item for one, _ in kept]
        )
        if kept
        else Missing(reason="Nothing reaches the threshold.", code="no_trials"),
        area=curve.area,
        best_area=curve.best_area,
    )


def figures_of(bank: Bank, card: ScorerCard, given: Given, gates: ScorerGates) -> Figures:
    """Measures a scorer.

    Args:
        bank: the bank.
        card: the scorer's card.
        given: its scores by item and sample, of every candidate.
        gates: splits, sizes and the declared risk.
    """
    test = _pairs(decided(bank, gates.test_on), given)
    mapped = _map(bank, card, given, gates)
    wrong = [(one, value) for one, value in test if one.outcome is Outcome.INCORRECT]
    return Figures(
        slices=tuple(row for split in (gates.test_on, gates.shift_on) for row in _slices(bank, split, given, gates)),
        calibration=_calibrated(card, test),
        calibration_shift=_calibrated(card, _pairs(decided(bank, gates.shift_on), given)),
        calibration_map=mapped,
        calibration_mapped=_through(mapped, card, test),
        selective=selective_risk(bank, given, gates),
        length_correlation=rank_correlation([value for _, value in wrong], [len(one.response) for one, _ in wrong]),
        independence=independence(card, decided(bank, gates.test_on)),
    )


def _calibrated(card: ScorerCard, pairs: Pairs) -> Calibration | Missing:
    if card.output_schema != "probability":
        return Missing(reason=f"The score is a {card.output_schema}, no probability: it has nothing to calibrate as it is.",
                       code="score_is_no_probability")  # fmt: skip
    if not pairs:
        return Missing(reason="No candidate has a score.", code="no_score")
    return calibration([value for _, value in pairs], _right(pairs), event=card.target_event, binning="equal_mass")


def _map(bank: Bank, card: ScorerCard, given: Given, gates: ScorerGates) -> CalibrationMap | Missing:
    tuned = _pairs(decided(bank, gates.tune_on), given)
    if not tuned:
        return Missing(reason=f"No candidate of the split {gates.tune_on} has a score.", code="no_score")
    return fit_calibration_map(
        [value for _, value in tuned], _right(tuned), event=card.target_event, scorer=card.name, labels_sha256=bank.digest
    )


def _through(mapped: CalibrationMap | Missing, card: ScorerCard, pairs: Pairs) -> Calibration | Missing:
    if isinstance(mapped, Missing):
        return mapped
    said = [
        (one, share.exact) for one, value in pairs if isinstance(share := mapped.observed(value, scorer=card.name), Proportion)
    ]
    if not said:
        return Missing(reason="No score lies where the map has one.", code="score_outside_calibration")
    return calibration(
        [share for _, share in said],
        [one.outcome is Outcome.CORRECT for one, _ in said],
        event=card.target_event,
        binning="equal_mass",
    )


def _slices(bank: Bank, split: str, given: Given, gates: ScorerGates) -> Iterator[SliceFigures]:
    parts: dict[tuple[int, str, str], list[Candidate]] = {(0, "all", "all"): decided(bank, split)}
    for one in parts[0, "all", "all"]:
        for dimension, value in (("generator", one.generator), *one.slices.items()):
            parts.setdefault((1, dimension, value), []).append(one)
    for (_, dimension, value), members in sorted(parts.items()):
        pairs = _pairs(members, given)
        items = len({one.item for one in members})
        yield SliceFigures(
            split=split,
            dimension=dimension,
            value=value,
            items=items,
            too_small=items < gates.smallest_slice,
            missing=len(members) - len(pairs),
            discrimination=auroc([v for _, v in pairs], _right(pairs), [one.item for one, _ in pairs]),
            base_rate=proportion(sum(_right(pairs)), len(pairs), of="no candidate has a score"),
            mean_score=float(sum((Fraction(v) for _, v in pairs), Fraction(0)) / len(pairs))
            if pairs
            else Missing(reason="No candidate has a score.", code="no_score"),
        )
