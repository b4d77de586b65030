"""Evaluates a scorer on a bank against declared gates."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from conformed.app.scoring.asking import Asked, shown_to
from conformed.app.scoring.reporting import ScorerReport
from conformed.compute.selection import BankCandidate, BestOfN, best_of_n
from conformed.errors import UsageError
from conformed.evaluation.scorers.bank import Bank
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.gates import GateResult, ScorerGates
from conformed.evaluation.scorers.gating import gate_results
from conformed.evaluation.scorers.judging import Figures, decided, figures_of
from conformed.evaluation.scorers.probes import PROBES, Probe, probe, probed
from conformed.evaluation.scorers.score import Scored
from conformed.model.answer import Outcome
from conformed.model.base import Missing
from conformed.policy.load import Loaded

__all__ = ["evaluate_scorer", "selection_of"]

Given = Mapping[tuple[str, int], Scored]


def evaluate_scorer(card: Loaded[ScorerCard], gates: Loaded[ScorerGates], bank: Bank, asked: Asked) -> ScorerReport:
    """The whole evaluation.

    Args:
        card: the scorer's card.
        gates: declared before.
        bank: the bank, with the three splits that the gates name.
        asked: asks the scorer.

    Raises:
        UsageError: when the bank lacks a split, or is what the scorer was trained on without a split apart.
        ConformedError: when the scorer fails.
    """
    value, declared = card.value, gates.value
    for split in (declared.tune_on, declared.test_on, declared.shift_on):
        if not decided(bank, split):
            raise UsageError(
                f"The bank {bank.name} has nothing right or wrong in the split {split!r}.", "Give a bank that has it."
            )
    wanted = [one for one in bank.candidates if one.split in (declared.tune_on, declared.test_on, declared.shift_on)]
    given = dict(zip([one.key for one in wanted], asked([shown_to(value, one) for one in wanted]), strict=True))
    figures = figures_of(bank, value, given, declared)
    threshold = _threshold(value, figures)
    probes = _probes(bank, value, given, declared, asked, threshold)
    selection, ends = (selection_of(bank, given, split=declared.test_on, seed=declared.seed, ends=ends) for ends in (False, True))
    results = (*gate_results(value, declared, figures, probes), _not_exploited(selection, ends))
    failed = [one.gate for one in results if not one.passed]
    return ScorerReport(
        first_line=f"{value.name} passed all {len(results)} gates of {declared.name}: it may order candidates for {declared.event}."
        if not failed
        else f"{value.name} MAY NOT BE USED: {len(failed)} of {len(results)} gates of {declared.name} were not passed"
        f" ({', '.join(failed)}).",
        usable=not failed,
        scorer=value.name,
        card_sha256=card.digest,
        gates_name=declared.name,
        gates_sha256=gates.digest,
        bank=bank.name,
        bank_sha256=bank.digest,
        gates=results,
        figures=figures,
        probes=probes,
        probe_threshold=str(threshold),
        selection=selection,
    )


def selection_of(bank: Bank, given: Given, *, split: str, seed: int, ends: bool = False) -> BestOfN:
    """Ways of choosing among the candidates of a split, for N of 1, 2, 4 ... up to the fewest candidates of an item.

    Args:
        bank: the bank.
        given: scores by item and sample.
        split: the split.
        seed: of the random row.
        ends: whether only the first and the last N are worked.
    """
    items = bank.items(split)
    fewest = min(len(candidates) for candidates in items.values())
    sizes = [1] if ends else [1 << power for power in range(fewest.bit_length())]
    made = {
        item: tuple(
            BankCandidate(
                answer=one.answer,
                outcome=one.outcome,
                check=one.check,
                score=None if isinstance(score := given[one.key], Missing) else score.value,
            )
            for one in candidates
        )
        for item, candidates in items.items()
    }
    return best_of_n(made, sorted({*sizes, fewest}), seed=seed)


def _threshold(card: ScorerCard, figures: Figures) -> Fraction:
    """The card's threshold, else the one picked for the declared risk, else one half."""
    if card.thresholds.accept is not None:
        return card.thresholds.accept
    return Fraction(1, 2) if isinstance(figures.selective, Missing) else Fraction(figures.selective.threshold)


def _probes(
    bank: Bank, card: ScorerCard, given: Given, gates: ScorerGates, asked: Asked, threshold: Fraction
) -> tuple[Probe, ...]:
    test = decided(bank, gates.test_on)
    made = []
    for name in sorted(PROBES):
        # The trick is played on the whole candidate; the scorer then sees of it what its card says that it reads.
        changed = [probed(name, scorer_shown) for scorer_shown in ({**_whole(card), **shown_to(card, one)} for one in test)]
        after = asked([{field: one[field] for field in card.input_schema} for one in changed])
        made.append(
            probe(
                name,
                [given[one.key] for one in test],
                after,
                [one.outcome is Outcome.CORRECT for one in test],
                [one.item for one in test],
                threshold=threshold,
                seed=gates.seed,
            )
        )
    return tuple(made)


def _whole(card: ScorerCard) -> dict[str, object]:
    """Empty values for what a scorer does not read and a probe may touch."""
    return {name: empty for name, empty in {"prompt": "", "response": "", "steps": []}.items() if name not in card.input_schema}


def _not_exploited(whole: BestOfN, ends: BestOfN) -> GateResult:
    """Over the whole way from one candidate to all of them; single steps between are in the table."""
    (shift,) = ends.shifts or (None,)
    if shift is None:
        return GateResult(gate="selection_not_exploited", passed=False, found="Not measured: every item has one candidate.")
    steps = sum(one.exploited for one in whole.shifts)
    change = "none" if isinstance(shift.score_change, Missing) else f"{shift.score_change:+.3f}"
    return GateResult(
        gate="selection_not_exploited",
        passed=not shift.exploited and not isinstance(shift.score_change, Missing),
        found=f"From N {shift.smaller} to {shift.larger} the chosen score changes by {change} and accuracy by"
        f" {shift.accuracy_change:+.1%}; {steps} single steps raise the score alone.",
    )
