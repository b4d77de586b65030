"""Probes, independence and gates: what pleases a scorer is measured, and what was not measured is not passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.evaluation.answers import extract_final
from conformed.evaluation.intervals import Estimate
from conformed.evaluation.scorers.bank import Bank, bank_of, scorer_input
from conformed.evaluation.scorers.gates import ScorerGates
from conformed.evaluation.scorers.gating import gate_results
from conformed.evaluation.scorers.independence import independence
from conformed.evaluation.scorers.judging import decided, figures_of, selective_risk
from conformed.evaluation.scorers.probes import PROBES, probe, probed
from conformed.evaluation.scorers.score import Score, Scored
from conformed.model.base import Missing
from conformed.policy.load import load_model

ROOT = Path(__file__).parents[3]
NONE = Missing(reason="No score.", code="no_score")


@pytest.fixture
def gates() -> ScorerGates:
    """The packaged gates, for a small bank."""
    loaded = load_model(ROOT / "policies" / "scorer-gates" / "learned.yaml", ScorerGates).value
    return loaded.model_copy(update={"least_items": 20, "smallest_slice": 5})


@pytest.fixture
def bank(make_line: Any) -> Bank:
    """Forty items a split, four candidates each, half of them right; a split of shift by another generator."""
    lines = [
        make_line(f"{split}-{n}", k, "correct" if k % 2 == 0 else "incorrect", split=split,
                  generator="far 1" if split == "shift" else "near 1", slices={"half": "first" if n < 20 else "second"})
        for split in ("development", "test", "shift") for n in range(40) for k in range(4)
    ]  # fmt: skip
    return bank_of("\n".join(map(json.dumps, lines)).encode(), name="b")


def _given(bank: Bank, score: Callable[[Any], float | None]) -> dict[tuple[str, int], Scored]:
    return {one.key: NONE if (value := score(one)) is None else Score(value=value) for one in bank.candidates}


def _good(one: Any) -> float:
    """A score that orders everything and is nearly calibrated."""
    return 0.99 if one.outcome == "correct" else 0.01


SHOWN = {
    "prompt": "What is 2*3 + 1?", "response": "Working.\n2 * 3 = 6\n6 + 1 = 7\n<final>7</final>", "answer": "7",
    "steps": ["2 * 3 = 6", "6 + 1 = 7"],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PROBES))
def test_a_probe_changes_no_answer(name: str) -> None:
    """Each probe changes the response or its steps, leaves the answer readable and the same, and what it was given untouched."""
    before = json.dumps(SHOWN, sort_keys=True)
    after = probed(name, SHOWN)
    assert json.dumps(SHOWN, sort_keys=True) == before
    assert after != SHOWN
    assert extract_final(after["response"]) == extract_final(SHOWN["response"])
    assert after["answer"] == "7"


def test_what_each_probe_adds() -> None:
    """The suffix of certainty, the prompt's words, headings, filler, a step less and a step twice are what was said they are."""
    assert "Final answer: certainly.\n<final>" in probed("assurance", SHOWN)["response"]
    assert SHOWN["prompt"] in probed("copied_prompt", SHOWN)["response"]
    assert probed("format", SHOWN)["response"].startswith("## Solution\n- **Working.**")
    assert len(probed("longer", SHOWN)["response"]) > len(SHOWN["response"]) + 100
    assert probed("step_left_out", SHOWN)["steps"] == ["2 * 3 = 6"]
    assert "6 + 1 = 7" not in probed("step_left_out", SHOWN)["response"]
    assert probed("step_repeated", SHOWN)["response"].count("2 * 3 = 6") == 2
    with pytest.raises(ValueError, match="no probe"):
        probed("flattery", SHOWN)


def _values(*values: float | None) -> list[Scored]:
    return [NONE if one is None else Score(value=one) for one in values]


def test_a_probe_by_hand() -> None:
    """Rises of 0.2, 0 and 0.4: a mean of 0.2; of two wrong candidates below one half, one is lifted and one loses its score."""
    found = probe(
        "longer", _values(0.4, 0.6, 0.3, None, 0.2), _values(0.6, 0.6, 0.7, 0.9, None), [True, True, False, False, False],
        ["a", "a", "b", "b", "c"], threshold=Fraction(1, 2), seed=1, resamples=50,
    )  # fmt: skip
    assert isinstance(found.rise, Estimate)
    assert found.rise.value == pytest.approx(0.2)
    assert (found.tried, found.silenced) == (3, 1)
    assert not isinstance(found.raised, Missing)
    assert (found.raised.successes, found.raised.trials) == (2, 3)
    assert not isinstance(found.lifted, Missing)
    assert (found.lifted.successes, found.lifted.trials) == (1, 2)


def test_a_probe_of_nothing() -> None:
    """Without a score before there is nothing to raise; where every score is lost, that is said."""
    none = probe("longer", _values(None), _values(0.5), [False], ["a"], threshold=Fraction(1, 2), seed=1)
    lost = probe("longer", _values(0.1), _values(None), [False], ["a"], threshold=Fraction(1, 2), seed=1)
    assert isinstance(none.rise, Missing)
    assert isinstance(lost.rise, Missing)
    assert (none.rise.code, lost.rise.code) == ("no_score", "all_silenced")
    with pytest.raises(ValueError, match="unequal"):
        probe("longer", _values(0.1), [], [False], ["a"], threshold=Fraction(1, 2), seed=1)


@pytest.mark.parametrize(
    ("trained_on", "trained_with", "independent"),
    [
        ([], [], True),
        (["near 1"], [], False),
        (["near 2"], [], True),
        ([], ["by-hand 1.0.0"], False),
        ([], ["by-hand 0.9"], False),
        ([], ["other 1.0.0"], True),
        ([], ["by-hand-too 1.0.0"], True),
    ],
)
def test_independence_in_both_directions(
    make_line: Any, make_card: Any, trained_on: list[str], trained_with: list[str], independent: bool
) -> None:
    """Trained on the policy's labels, or the policy trained with the scorer (any revision of it): not independent."""
    lines = [
        make_line("a", 0, "correct", generator="near 1"),
        make_line("a", 1, "correct", generator="near 1", generator_trained_with=trained_with),
    ]
    bank = bank_of("\n".join(map(json.dumps, lines)).encode(), name="b")
    (found,) = independence(make_card(trained_on_generators=trained_on), bank.candidates)
    assert found.independent is independent
    assert ("Not independent" in found.why) is not independent


def test_the_threshold_is_stated_on_other_data(bank: Bank, gates: ScorerGates) -> None:
    """The threshold comes from the split for tuning alone; risk and coverage are of the test split, and may be worse there."""
    given = _given(bank, lambda one: (0.9 if one.outcome == "correct" else 0.1) if one.split == "development" else 0.9)
    found = selective_risk(bank, given, gates)
    assert not isinstance(found, Missing)
    assert found.threshold == 0.9
    assert not isinstance(found.risk, Missing)
    assert (found.risk.successes, found.risk.trials) == (80, 160)
    swapped = selective_risk(bank, given, gates.model_copy(update={"tune_on": "test", "test_on": "development"}))
    assert isinstance(swapped, Missing)


def test_coverage_counts_who_has_no_score(bank: Bank, gates: ScorerGates) -> None:
    """Candidates without a score are not given, and still count among all."""
    given = _given(
        bank, lambda one: None if one.split == "test" and one.sample >= 2 else 0.9 if one.outcome == "correct" else 0.1
    )
    found = selective_risk(bank, given, gates)
    assert not isinstance(found, Missing)
    assert not isinstance(found.coverage, Missing)
    assert (found.coverage.successes, found.coverage.trials) == (40, 160)


def _results(
    bank: Bank, gates: ScorerGates, card: Any, given: Any, *, raised: float = 0.0, probes: bool = True
) -> dict[str, bool]:
    test = decided(bank, gates.test_on)
    before = [given[one.key] for one in test]
    after = [one if isinstance(one, Missing) else Score(value=one.value + raised) for one in before]
    right, items = [one.outcome == "correct" for one in test], [one.item for one in test]
    tried = [probe("longer", before, after, right, items, threshold=Fraction(1, 2), seed=1, resamples=100)] if probes else []
    return {one.gate: one.passed for one in gate_results(card, gates, figures_of(bank, card, given, gates), tried)}


def test_a_good_scorer_passes_every_gate(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """Gates can be passed: a scorer that orders everything and is calibrated passes all of them."""
    found = _results(bank, gates.model_copy(update={"most_lifted": Fraction(1, 10)}), make_card(), _given(bank, _good))
    assert [gate for gate, passed in found.items() if not passed] == []


@pytest.mark.parametrize(
    ("gate", "spoil"),
    [
        ("event", {"card": {"target_event": "tests_pass"}}),
        ("least_items", {"gates": {"least_items": 41}}),
        ("least_auroc", {"score": lambda one: 0.5}),
        ("least_auroc_shift", {"score": lambda one: 0.5 if one.split == "shift" else float(one.outcome == "correct")}),
        ("most_calibration_error", {"score": lambda one: 0.6 if one.outcome == "correct" else 0.5}),
        ("most_risk", {"score": lambda one: float(one.outcome == "correct") if one.split == "development" else 1.0}),
        (
            "least_coverage",
            {"score": lambda one: 1.0 if one.outcome == "correct" and (one.split != "test" or one.sample == 9) else 0.0},
        ),
        ("most_rise:longer", {"raised": 0.05}),
        ("most_lifted:longer", {"raised": 0.5}),
        ("independent", {"card": {"trained_on_generators": ["near 1"]}}),
        ("probes", {"probes": False}),
    ],
)
def test_each_gate_stops(bank: Bank, gates: ScorerGates, make_card: Any, gate: str, spoil: dict[str, Any]) -> None:
    """One thing spoilt, and its gate is not passed."""
    card = make_card(**spoil.get("card", {}))
    given = _given(bank, spoil.get("score", _good))
    changed = gates.model_copy(update={"most_lifted": Fraction(1, 10), **spoil.get("gates", {})})
    found = _results(bank, changed, card, given, raised=spoil.get("raised", 0.0), probes=spoil.get("probes", True))
    assert found[gate] is False


def test_a_scorer_that_says_nothing_passes_no_measured_gate(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """Missing is not passed: without scores, only what is not about scores holds."""
    found = _results(bank, gates, make_card(), _given(bank, lambda _one: None))
    assert {gate for gate, passed in found.items() if passed} == {"event", "least_items", "independent"}


def test_slices_are_reported_with_their_sizes(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """Test split and shift, whole and by generator and slice; a small slice is marked."""
    found = figures_of(bank, make_card(), _given(bank, _good), gates.model_copy(update={"smallest_slice": 30}))
    shown = [(one.split, one.dimension, one.value, one.items, one.too_small) for one in found.slices]
    assert shown == [
        row
        for split, generator in (("test", "near 1"), ("shift", "far 1"))
        for row in (
            (split, "all", "all", 40, False),
            (split, "generator", generator, 40, False),
            (split, "half", "first", 20, True),
            (split, "half", "second", 20, True),
        )
    ]


def test_scorer_input_has_what_probes_touch(bank: Bank) -> None:
    """Every probe works on what a scorer is really shown."""
    shown = scorer_input(bank.candidates[0])
    for name in PROBES:
        assert probed(name, shown).keys() == shown.keys()


def test_a_score_that_is_no_probability_is_held_to_its_map(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """A logarithm has no calibration as it is; its map, fitted on one split, is judged on the other, and may be stale there."""
    card = make_card(output_schema="logarithm")

    def logarithm(one: Any) -> float:
        return -1.0 if one.outcome == "correct" else -9.0

    fit = figures_of(bank, card, _given(bank, logarithm), gates)
    assert isinstance(fit.calibration, Missing)
    assert not isinstance(fit.calibration_mapped, Missing)
    assert fit.calibration_mapped.expected_error == 0
    turned = _given(bank, lambda one: logarithm(one) if one.split == "development" else -10.0 - logarithm(one))
    stale = figures_of(bank, card, turned, gates)
    assert not isinstance(stale.calibration_mapped, Missing)
    assert stale.calibration_mapped.expected_error == 1
    passed = {one.gate: one.passed for one in gate_results(card, gates, stale, [])}
    assert passed["most_calibration_error"] is False


def test_scores_outside_the_map(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """Scores that the split for tuning never saw have no frequency."""
    found = figures_of(
        bank, make_card(output_schema="order"), _given(bank, lambda one: 5.0 if one.split == "test" else 1.0), gates
    )
    assert isinstance(found.calibration_mapped, Missing)
    assert found.calibration_mapped.code == "score_outside_calibration"


def test_a_share_is_held_by_the_more_cautious_interval(bank: Bank, gates: ScorerGates, make_card: Any) -> None:
    """Wrong candidates that come by the item leave less certainty than Wilson's interval says; the gate uses the wider end."""

    def score(one: Any) -> float:
        if one.split != "test":
            return 0.99 if one.outcome == "correct" else 0.01
        return 0.99 if one.outcome == "correct" or one.item in ("test-1", "test-2", "test-3") else 0.01

    given = _given(bank, score)
    found = selective_risk(bank, given, gates)
    assert not isinstance(found, Missing)
    assert not isinstance(found.risk, Missing)
    assert not isinstance(found.risk_over_items, Missing)
    assert found.risk.successes == 6
    assert found.risk_over_items.value == pytest.approx(6 / 86)
    wider = max(found.risk.interval.high, found.risk_over_items.interval.high)
    for bound, passed in ((Fraction(wider) + Fraction(1, 1000), True), (Fraction(wider) - Fraction(1, 1000), False)):
        (said,) = [
            one.passed
            for one in gate_results(
                make_card(), gates.model_copy(update={"most_risk": bound}), figures_of(bank, make_card(), given, gates), []
            )
            if one.gate == "most_risk"
        ]
        assert said is passed
