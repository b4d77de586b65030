"""From runs to a report: figures by hand, and nothing that failed is ever counted as right."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.app.evaluating.assembling import Ran, enough, method_report
from conformed.app.evaluating.binding import Judges
from conformed.app.evaluating.report import MethodReport
from conformed.compute.experiment import Method as ExactMethod
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.items import Item, Result, Versions
from conformed.evaluation.runner import Run, RunConfig
from conformed.evaluation.slices import SlicePlan
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed.model.base import Missing
from conformed.policy.comparison import Method, Values
from conformed.policy.schema import PluginRef

VERSIONS = Versions(extractor="e 1", normaliser="n 1", verifier="v 1")
C, W, R, E = Outcome.CORRECT, Outcome.INCORRECT, Outcome.REVIEW, Outcome.ERROR
VALUES = Values(
    v_correct="1", c_wrong="4", c_abstain="1/2", thousand_tokens="10", one_review="2", currency="EUR", owner="the tests",
    dated="2026-03-31",
)  # fmt: skip


class Broken:
    """A verifier that always raises."""

    def check(self, asks: AnswerCheck) -> AnswerVerdict:
        raise RuntimeError("broken")


class Sums:
    """A verifier that shows right what the item's own check says."""

    def check(self, asks: AnswerCheck) -> AnswerVerdict:
        return AnswerVerdict(outcome=C if asks.candidate == asks.reference else W, code="compared")


def _report(
    rows: dict[str, list[tuple[str | None, Outcome]]], selection: str = "first", verifier: Any = None, **more: Any
) -> MethodReport:
    """The report of a method that gave some answers, judged so; each item's own check names 1."""
    items = [
        Item(id=name, prompt="?", reference="r", split="test", source="f.jsonl", source_revision="0", check="1") for name in rows
    ]
    results = tuple(
        Result(
            item=name, sample=at, seed=1, response=answer or "", answer=answer, normalised=answer, outcome=outcome, code="c",
            latency_ms=10, prompt_tokens=5, response_tokens=2, versions=VERSIONS,
        )
        for name, given in sorted(rows.items())
        for at, (answer, outcome) in enumerate(given)
    )  # fmt: skip
    samples = len(next(iter(rows.values())))
    method = Method(
        name="m", kind="other", backend=PluginRef(plugin="b", version="1.0.0"), prompt="x {prompt}", samples=samples,
        selection=selection,
    )  # type: ignore[arg-type]  # fmt: skip
    config = RunConfig(name="n", method="m", data="0" * 64, items=len(items), samples=samples, seed=7, versions=VERSIONS)
    exact = ExactMethod(policy="p", model_revision="b", template_revision="t", decoding="d", n=samples, seeds=(7,))
    return method_report(
        Ran(method, exact, Run(config, Path("m"), results, "results.jsonl", "0" * 64), "m"),
        items,
        Judges({"numeric": ("numeric 1.0.0", verifier or Sums())}, "numeric"),
        SlicePlan(dimensions=("subject",), smallest=2),
        **({"values": None, "before": None, "seed": 7} | more),
    )


def test_every_outcome_is_counted_once() -> None:
    """One right, one wrong, one for a person, one failed: a quarter each, and only the right one is accuracy."""
    scores = _report({"a": [("1", C)], "b": [("2", W)], "c": [(None, R)], "d": [("3", E)]}).row.scores
    assert (scores.n, scores.correct, scores.incorrect, scores.review, scores.error) == (4, 1, 1, 1, 1)
    assert isinstance(scores.accuracy, Proportion)
    assert scores.accuracy.exact == Fraction(1, 4)


@pytest.mark.parametrize("selection", ["first", "plurality", "verified"])
def test_a_verifier_that_errs_makes_nothing_correct(selection: str) -> None:
    """Every judgement failed and the item's own check raises: accuracy is nothing, whatever the way of choosing."""
    samples = 1 if selection == "first" else 4
    found = _report({name: [("1", E)] * samples for name in "abc"}, selection, Broken())
    assert (found.row.scores.correct, found.row.quality.accepted_correct, found.samples.correct) == (0, 0, 0)
    for one in found.pass_at:
        assert not isinstance(one.mean, Missing)
        assert one.mean.value == 0
    if not isinstance(found.best_of, Missing):
        for row in found.best_of.rows:
            assert isinstance(row.selection.chosen_correct, Proportion)
            assert row.selection.chosen_correct.successes == 0


def test_a_check_that_raises_is_no_deterministic_choice() -> None:
    """Right answers whose own check raises are not chosen by it; the oracle's row shows what was there."""
    found = _report({name: [("1", C)] * 2 for name in "ab"}, "plurality", Broken())
    assert not isinstance(found.best_of, Missing)
    right = {
        (row.method, row.selection.at): row.selection.chosen_correct.successes
        for row in found.best_of.rows
        if isinstance(row.selection.chosen_correct, Proportion)
    }
    assert (right["deterministic", 2], right["oracle", 2], right["vote", 2]) == (0, 2, 2)


def test_pass_at_k_by_hand() -> None:
    """Of 4 samples 1 and 4 right: pass@1 is the mean of 1/4 and 1, pass@2 of 1/2 and 1, pass@4 is 1."""
    found = _report({"a": [("1", C), ("2", W), ("2", W), ("2", W)], "b": [("1", C)] * 4}, "plurality")
    means = {one.k: one.mean.value for one in found.pass_at if not isinstance(one.mean, Missing)}
    assert means == {1: 0.625, 2: 0.75, 4: 1.0}


def test_agreement_is_of_answers_that_were_told_apart() -> None:
    """Items without an answer, and ones that could not be judged, are no points of the reliability diagram."""
    rows = {"a": [("1", C), ("1", C)], "b": [("2", E), ("2", E)], "c": [(None, R), (None, R)], "d": [("3", W), ("3", W)]}
    found = _report(rows, "plurality")
    assert not isinstance(found.agreement, Missing)
    assert not isinstance(found.risk, Missing)
    assert (found.agreement.n, found.risk.n) == (2, 2)


def test_one_sample_has_no_agreement() -> None:
    """With one sample an item there is nothing to agree with: no diagram, no curve, no best of N."""
    found = _report({"a": [("1", C)]})
    assert all(isinstance(one, Missing) for one in (found.agreement, found.risk, found.best_of))


def test_utility_by_hand() -> None:
    """1 right, 1 wrong, 2 to a person of 4 items, 2 tokens an item: 1/4 - 1 - 1/4 - 1/50 - 1."""
    rows: dict[str, list[tuple[str | None, Outcome]]] = {"a": [("1", C)], "b": [("2", W)], "c": [(None, R)], "d": [(None, R)]}
    found = _report(rows, values=VALUES)
    assert not isinstance(found.utility, Missing)
    assert found.utility.value == Fraction(1, 4) - 1 - Fraction(1, 4) - Fraction(1, 50) - 1
    assert isinstance(_report(rows).utility, Missing)


def test_the_comparison_is_with_what_the_cheap_method_chose() -> None:
    """Item by item: one improved, one regressed."""
    found = _report({"a": [("1", C)], "b": [("2", W)]}, before={"a": "incorrect", "b": "correct"})
    assert not isinstance(found.against, Missing)
    assert (found.against.improved, found.against.regressed) == (("a",), ("b",))


def test_slices_count_what_was_chosen() -> None:
    """A slice counts one result an item: the one chosen, not every sample."""
    found = _report({"a": [("1", C), ("1", C), ("2", W)], "b": [("1", C), ("1", C), ("1", C)]}, "plurality")
    (row,) = found.slices
    assert (row.items, row.results, row.scores.correct) == (2, 2, 2)


def test_enough_is_by_the_unfavourable_ends() -> None:
    """Perfect on four items is not shown to be 90% right; on 400 it is; one that answers nothing is never enough."""
    few = _report({f"i{at}": [("1", C)] for at in range(4)})
    many = _report({f"i{at:03}": [("1", C)] for at in range(400)})
    none = _report({"a": [(None, R)]})
    assert enough(few, Fraction(9, 10), Fraction(1))[0] is False  # by accuracy alone
    assert enough(few, Fraction(0), Fraction(1, 20))[0] is False  # by wrong answers alone
    assert enough(few, Fraction(0), Fraction(1))[0] is True
    good, said = enough(many, Fraction(9, 10), Fraction(1, 20))
    assert good is True
    assert "400/400 = 100.0%" in said
    assert "at least 90.0%" in said
    assert enough(none, Fraction(0), Fraction(1)) == (False, "m gave no answer that could be judged.")
