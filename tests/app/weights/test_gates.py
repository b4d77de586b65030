"""Gates of weights: declared strictly, each refused by name where it alone is not passed, and judged by point and by interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from weights_house import ALIAS, GATES, ROOT, WeightsHouse, counts

from conformed.app.weights.gates import DeclaredGates, all_gates, gates_named
from conformed.app.weights.judging import judge, refuse_failed
from conformed.errors import PolicyError, UsageError
from conformed.model.weights_report import Decoding, read_report
from conformed.policy.load import load_text

TEXT = (ROOT / "policies" / "weight-gates" / "extractor.yaml").read_text(encoding="utf-8")

ALONE: list[tuple[str, str, dict[str, int]]] = [
    ("accuracy", "unseen", {"right": 800}),
    ("coverage", "unseen", {"judged": 979, "right": 970}),
    ("false_accept_rate", "unseen", {"false_accepts": 10, "right": 980}),
    ("invalid_rate", "unseen", {"invalid": 10, "right": 980}),
    ("mean_response_tokens", "unseen", {"tokens": 513_000, "tokens_squared": 513 * 513_000}),
    ("retention_accuracy", "retention", {"right": 949}),
]
"""Each gate with counts of a thousand items with which it alone is not passed."""


def failed(house: WeightsHouse, where: str, **other: Any) -> list[tuple[str, str, str]]:
    """Gates that are not passed with some counts: gate, split, by what."""
    declared = gates_named(house.workspace.policies, GATES)
    report = read_report(house.report(where=where, **other).read_bytes(), "r")
    return [(one.gate, one.split, one.by) for one in judge(report, declared, final=False) if not one.passed]


@pytest.mark.parametrize(("gate", "split", "other"), ALONE, ids=[one[0] for one in ALONE])
def test_each_gate_stops_weights_alone(house: WeightsHouse, gate: str, split: str, other: dict[str, Any]) -> None:
    """With everything else in order one gate is enough to refuse, and the sentence names it with what was found."""
    assert {one[:2] for one in failed(house, split, **other)} == {(gate, split)}
    with pytest.raises(UsageError, match=rf"gates were not passed\. {gate} on {split} \(greedy, by "):
        house.desk("anna").final(house.weights(), house.report(where=split, **other), GATES)
    assert house.records() == 0


@pytest.mark.parametrize(
    ("gate", "split", "other"),
    [
        ("accuracy", "unseen", {"right": 905}),
        ("coverage", "unseen", {"judged": 985, "right": 980}),
        ("false_accept_rate", "unseen", {"false_accepts": 5}),
        ("invalid_rate", "unseen", {"invalid": 5}),
        ("mean_response_tokens", "unseen", {"tokens": 511_000, "tokens_squared": 400_000_000}),
        ("retention_accuracy", "retention", {"right": 955}),
    ],
)
def test_a_point_that_passes_is_not_enough(house: WeightsHouse, gate: str, split: str, other: dict[str, Any]) -> None:
    """The point value of each gate passes, and the end of its interval that speaks against the weights does not: refused."""
    assert failed(house, split, **other) == [(gate, split, "interval")]


def test_every_gate_is_judged_again_on_the_final_split(house: WeightsHouse) -> None:
    """What passed on every other split and fails on the final one is not proposed; the sentence names the final split."""
    use = house.use()
    weak = house.report(use=use, where="final", right=700)
    with pytest.raises(UsageError, match=r"may not be proposed for extractor-small: 2 of \d+ .*accuracy on final"):
        house.desk("anna").propose(ALIAS, house.weights(), weak, GATES)
    assert house.records() == 1


def test_a_minimum_of_its_own_for_a_split(house: WeightsHouse) -> None:
    """850 of 1000 are enough on the challenge split, whose minimum is 8 in 10, and not on the unseen split."""
    assert failed(house, "challenge", right=850) == []
    assert ("accuracy", "unseen", "point") in failed(house, "unseen", right=850)


def test_both_ways_of_decoding_are_judged(house: WeightsHouse) -> None:
    """Sampled responses must pass the gates as well as greedy ones."""
    report = house.report(also=(counts("unseen", Decoding.SAMPLED, right=600),))
    declared = gates_named(house.workspace.policies, GATES)
    judged = judge(read_report(report.read_bytes(), "r"), declared, final=False)
    assert {(one.gate, one.decoding) for one in judged if not one.passed} == {("accuracy", Decoding.SAMPLED)}
    assert len({one.decoding for one in judged}) == 2


def test_a_split_that_is_too_small_is_not_passed(house: WeightsHouse) -> None:
    """Fewer items than were declared are not passed, whatever their share."""
    small = {"items": 399, "right": 399, "judged": 399, "tokens": 3990, "tokens_squared": 39_900}
    assert ("least_items", "unseen", "present") in failed(house, "unseen", **small)


def test_nothing_is_refused_where_every_gate_was_passed(house: WeightsHouse) -> None:
    """The counts of the other tests pass with nothing changed, so that each of these fails by its own change."""
    assert failed(house, "unseen") == []
    refuse_failed((), "Nothing")


def test_the_packaged_gates_load_and_bear_their_file_s_name() -> None:
    """Each file of policies/weight-gates is accepted as it stands, and there is one."""
    assert [one.value.name for one in all_gates(ROOT / "policies")] == ["extractor"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"9/10"\n', '"11/10"\n', "least_accuracy"),
        ('most_false_accepts: "1/100"', 'most_false_accepts: "2/100"', "most_false_accepts is 1/50"),
        ('least_coverage: "98/100"', 'least_coverage: "97/100"', "least_coverage"),
        ("final_on: final", "final_on: unseen", "one split is named twice"),
        ("[greedy, sampled]", "[greedy, greedy]", "one decoding is named twice"),
        ("{challenge:", "{retention:", "retention is no split that is judged"),
        ('{challenge: "8/10"}', '{challenge: "3/2"}', "challenge is 3/2"),
        ('confidence: "95/100"', 'confidence: "1/2"', "confidence is 1/2"),
        ("owner: Model risk\n", "", "owner"),
        ("least_items: 400", "least_items: 10", "least_items"),
        ("judged_on", "judge_on", "judge_on"),
    ],
)
def test_gates_are_read_strictly(old: str, new: str, said: str) -> None:
    """Looser bounds than the product's own, splits that are named twice, and keys that are unknown or missing are refused by name."""
    assert old in TEXT
    with pytest.raises(PolicyError, match=said) as refused:
        load_text(TEXT.replace(old, new, 1), DeclaredGates, name="extractor.yaml")
    assert refused.value.line > 0


def test_gates_that_are_not_there(tmp_path: Path, house: WeightsHouse) -> None:
    """An unknown name lists the known ones; a file whose gates have another name is refused."""
    with pytest.raises(UsageError, match="extractor"):
        gates_named(house.workspace.policies, "other")
    house.gates.rename(house.gates.with_name("other.yaml"))
    with pytest.raises(PolicyError, match=r"Name the file extractor\.yaml"):
        gates_named(house.workspace.policies, "other")


def test_words_of_a_judgement_name_all_of_it(house: WeightsHouse) -> None:
    """Gate, split, decoding, by what, and what was found against what was asked."""
    declared = gates_named(house.workspace.policies, GATES)
    judged: Any = judge(read_report(house.report().read_bytes(), "r"), declared, final=False)
    assert "accuracy on unseen (greedy, by point): 0.99; at least 0.9." in [one.words for one in judged]
