"""From the runs of an evaluation to its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from conformed.app.evaluating.agreeing import agreement_by_subject, diversity_of
from conformed.app.evaluating.binding import Judges
from conformed.app.evaluating.choosing import Choice, choose
from conformed.app.evaluating.report import MethodReport, PassAtK
from conformed.compute.budget import Spent
from conformed.compute.experiment import ExperimentRow, experiment_row
from conformed.compute.experiment import Method as ExactMethod
from conformed.compute.selection import BankCandidate, BestOfN, best_of_n
from conformed.compute.utility import OwnerValues, Utility, utility
from conformed.evaluation.calibration import Calibration, Event, calibration
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.items import Item, Result
from conformed.evaluation.metrics import pass_at_k, scores
from conformed.evaluation.paired import compare
from conformed.evaluation.resampling import bootstrap_mean
from conformed.evaluation.risk import RiskCurve, risk_coverage
from conformed.evaluation.runner import Run
from conformed.evaluation.slices import SlicePlan, slice_table
from conformed.model.answer import Outcome
from conformed.model.base import Missing
from conformed.policy.comparison import Method, Values

__all__ = ["Ran", "enough", "method_report"]

_ONE = Missing(reason="One sample an item: there is nothing to agree with.", code="one_sample")


@dataclass(frozen=True, slots=True)
class Ran:
    """One method with its run."""

    method: Method
    """The method."""
    exact: ExactMethod
    """What makes it what it is."""
    run: Run
    """Its run."""
    folder: str
    """Where the run lies, beside the report."""


def method_report(
    ran: Ran,
    items: Sequence[Item],
    judges: Judges,
    plan: SlicePlan,
    *,
    values: Values | None,
    before: Mapping[str, str] | None,
    seed: int,
) -> MethodReport:
    """The report of one method.

    Args:
        ran: the method and its run.
        items: the items.
        judges: the contract's verifiers, for methods that verify.
        plan: the slices, declared before the run.
        values: the owner's values; None where none were entered.
        before: outcome of the cheap method by item; None for the cheap one itself.
        seed: of the bootstrap and the random row.
    """
    by_item = _by_item(ran.run.results)
    ordered = sorted(items, key=lambda item: item.id)
    choices = tuple(choose(item, by_item[item.id], ran.method.selection, ran.method.minimum_valid, judges) for item in ordered)
    row = experiment_row(ran.exact, {one.item: _spent(one, values) for one in choices})
    return MethodReport(
        name=ran.method.name,
        kind=ran.method.kind,
        settings=dict(ran.run.config.settings),
        row=row,
        samples=scores(one.outcome for one in ran.run.results),
        pass_at=_pass_at(by_item, ran.method.samples, seed),
        utility=_utility(row, values),
        slices=slice_table(plan, plan.digest(), items, _chosen(by_item, choices)),
        agreement=_agreement(choices, ran.method.samples),
        agreed=agreement_by_subject(ran.method, ran.exact, ordered, by_item),
        diversity=diversity_of(ran.method, by_item),
        risk=_risk(choices, ran.method.samples),
        best_of=_best_of(by_item, ordered, judges, ran.method.samples, seed),
        against=_ONE.model_copy(update={"reason": "This is the cheap method itself.", "code": "itself"})
        if before is None
        else compare(before, {one.item: one.outcome for one in choices}, seed=seed),
        choices=choices,
        results=ran.run.results,
        folder=ran.folder,
        output=ran.run.output,
    )


def _by_item(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for one in results:
        found.setdefault(one.item, []).append(one)
    return found


def _chosen(by_item: Mapping[str, Sequence[Result]], choices: Sequence[Choice]) -> list[Result]:
    """One result an item: the sample chosen; where none was, the first with the outcome of the choice."""
    return [
        by_item[one.item][one.sample]
        if one.sample is not None
        else by_item[one.item][0].model_copy(update={"outcome": one.outcome, "code": one.code})
        for one in choices
    ]


def _spent(one: Choice, values: Values | None) -> Spent:
    price = Missing(reason="The owner entered no price.", code="no_price")
    return Spent(
        accepted=one.sample is not None,
        outcome=one.outcome,
        tokens=one.tokens,
        latency_ms=one.latency_ms,
        cost=price if values is None else values.thousand_tokens * one.tokens / 1000,
    )


def _pass_at(by_item: Mapping[str, Sequence[Result]], samples: int, seed: int) -> tuple[PassAtK, ...]:
    found = []
    k = 1
    while k <= samples:
        each = [pass_at_k(n=samples, c=sum(one.outcome is Outcome.CORRECT for one in rows), k=k) for rows in by_item.values()]
        found.append(PassAtK(k=k, mean=bootstrap_mean(each, seed=seed)))
        k *= 2
    return tuple(found)


def _utility(row: ExperimentRow, values: Values | None) -> Utility | Missing:
    if values is None:
        return Missing(reason="The owner entered no values.", code="no_values")
    items = row.scores.n
    owner = OwnerValues(
        v_correct=values.v_correct, c_wrong=values.c_wrong, c_abstain=values.c_abstain,
        c_compute=values.thousand_tokens * row.quality.tokens / (1000 * items),
        c_review=values.one_review * (row.scores.review + row.scores.error) / items,
        currency=values.currency, owner=values.owner, dated=values.dated,
    )  # fmt: skip
    return utility(owner, row.scores)


def _shares(choices: Sequence[Choice]) -> tuple[list[Fraction], list[bool]]:
    """The share of samples that agree, and whether the answer is right, for each item with an answer that was told apart."""
    told = [one for one in choices if one.sample is not None and one.outcome in (Outcome.CORRECT, Outcome.INCORRECT)]
    return [Fraction(one.votes, one.total) for one in told], [one.outcome is Outcome.CORRECT for one in told]


def _agreement(choices: Sequence[Choice], samples: int) -> Calibration | Missing:
    shares, right = _shares(choices)
    if samples == 1 or not shares:
        return _ONE
    return calibration(shares, right, event=Event.ANSWER_CORRECT)


def _risk(choices: Sequence[Choice], samples: int) -> RiskCurve | Missing:
    shares, right = _shares(choices)
    if samples == 1 or not shares:
        return _ONE
    return risk_coverage(shares, right)


def _best_of(
    by_item: Mapping[str, Sequence[Result]], items: Sequence[Item], judges: Judges, samples: int, seed: int
) -> BestOfN | Missing:
    if samples == 1:
        return _ONE
    bank = {item.id: [_candidate(item, one, judges) for one in by_item[item.id]] for item in items}
    sizes = [size for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if size <= samples]
    return best_of_n(bank, sorted({*sizes, samples}), seed=seed)


def _candidate(item: Item, one: Result, judges: Judges) -> BankCandidate:
    check: Outcome | None = None
    if (item.check or item.public) and one.normalised is not None:
        picked = choose(item, [one], "verified", 1, judges)
        check = Outcome.CORRECT if picked.sample is not None else Outcome.INCORRECT
    return BankCandidate(answer=one.normalised, outcome=one.outcome, check=check, score=None)


def enough(report: MethodReport, least: Fraction, most_wrong: Fraction) -> tuple[bool, str]:
    """Whether a method is enough, by the unfavourable ends of its intervals, and the sentence that says so."""
    accuracy, wrong = report.row.scores.accuracy, report.row.quality.false_accepts
    if not isinstance(accuracy, Proportion) or not isinstance(wrong, Proportion):
        return False, f"{report.name} gave no answer that could be judged."
    good = accuracy.interval.low >= least and wrong.interval.high <= most_wrong
    said = f"accuracy {accuracy.words()}, wrong among the answers given {wrong.words()}"
    bounds = f"asked: at least {float(least):.1%} by the lower end and at most {float(most_wrong):.1%} by the upper end"
    return good, f"{report.name}: {said}; {bounds}."
