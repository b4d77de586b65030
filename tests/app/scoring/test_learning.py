"""Training, judging and using learned scorers through the desk; scorers that are exploited; scores behind the gates."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra ml")
pytest.importorskip("numpy", reason="needs the extra evaluation")

from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.app.scoring.desk import ScoringDesk
from conformed.app.scoring.evaluating import selection_of
from conformed.app.scoring.told import report_lines
from conformed.engine.gates import CandidateScores, select, selection_key
from conformed.errors import PluginError, PolicyError, UsageError
from conformed.evaluation.scorers.bank import bank_of, read_bank
from conformed.evaluation.scorers.score import Score

Desk = Callable[..., ScoringDesk]


@pytest.fixture
def trained(desk: Desk, bank: Path, tmp_path: Path) -> Path:
    """Card of a process scorer."""
    made = desk().train("process", bank, tmp_path / "steps", scorer_id="steps", owner="Tests", split="train", seed=1)
    return Path(made.card)


@pytest.fixture
def gates(workspace: Path, tmp_path: Path) -> Path:
    """The packaged gates with fewer items."""
    file = tmp_path / "learned.yaml"
    text = (workspace / "policies" / "scorer-gates" / "learned.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("least_items: 200", "least_items: 20"), encoding="utf-8")
    return file


def test_training_leaves_card_weights_and_diary(trained: Path, bank: Path, desk: Desk) -> None:
    """The card names weights, bank and generators by what they are; it loads, scores, and is found by its file."""
    diary = json.loads((trained.parent / "training.json").read_text())
    assert diary["bank_sha256"] == read_bank(bank).digest
    assert diary["generators"] == ["careful 1", "hasty 1", "wordy 1"]
    assert diary["sha256"] in trained.read_text()
    found = desk().replay(str(trained), bank)
    assert found.scorer == "steps 1.0.0"
    assert found.selection.n == len({one.item for one in read_bank(bank).candidates})


def test_only_its_split_is_looked_at(desk: Desk, bank: Path, tmp_path: Path, trained: Path) -> None:
    """The weights are the same bits when everything outside the split for training is another."""
    lines = [one for one in bank.read_text().splitlines() if json.loads(one)["split"] == "train"]
    other = tmp_path / "train.jsonl"
    other.write_text("\n".join(lines))
    made = desk().train("process", other, tmp_path / "again", scorer_id="steps", owner="Tests", split="train", seed=1)
    assert made.sha256 in trained.read_text()


def test_what_training_refuses(desk: Desk, bank: Path, tmp_path: Path) -> None:
    """An unknown kind, a folder with something in it, an empty split, and a name that is none: before anything is trained."""
    made = desk()
    words: dict[str, Any] = {"scorer_id": "steps", "owner": "Tests", "split": "train", "seed": 1}
    with pytest.raises(UsageError, match="no learned scorer"):
        made.train("oracle", bank, tmp_path / "a", **words)
    with pytest.raises(UsageError, match="something in it"):
        made.train("process", bank, bank.parent, **words)
    with pytest.raises(UsageError, match="in the split 'dev'"):
        made.train("process", bank, tmp_path / "a", **words | {"split": "dev"})
    with pytest.raises(PolicyError, match="Steps"):
        made.train("process", bank, tmp_path / "a", **words | {"scorer_id": "Steps"})
    assert not (tmp_path / "a").exists()


def test_a_trainer_that_fails_leaves_no_card(desk: Desk, bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a trainer raises is its failure; no card is drafted for weights that are not there."""
    from conformed_plugins.scorers.learned.training import ProcessTrainer

    def broken(self: object, plan: dict[str, Any]) -> dict[str, Any]:
        raise MemoryError("no room")

    monkeypatch.setattr(ProcessTrainer, "train", broken)
    with pytest.raises(PluginError, match="MemoryError"):
        desk().train("process", bank, tmp_path / "s", scorer_id="steps", owner="Tests", split="train", seed=1)
    assert list((tmp_path / "s").iterdir()) == []


def test_a_name_cannot_write_a_key(desk: Desk, bank: Path, tmp_path: Path) -> None:
    """An owner with line breaks and colons stays an owner in the card."""
    owner = 'Risk"\nfamily: deterministic #'
    made = desk().train("process", bank, tmp_path / "s", scorer_id="steps", owner=owner, split="train", seed=1)
    from conformed.evaluation.scorers.card import ScorerCard
    from conformed.policy.load import load_model

    card = load_model(Path(made.card), ScorerCard).value
    assert (card.owner, card.family) == (owner, "learned")


def test_weights_that_were_changed_are_not_loaded(desk: Desk, trained: Path, bank: Path) -> None:
    """One bit of the weights turned, and the scorer cannot be made."""
    file = trained.parent / "weights.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(PluginError, match="have the hash"):
        desk().replay(str(trained), bank)


def test_weights_outside_the_cards_folder(desk: Desk, trained: Path, bank: Path) -> None:
    """A card cannot point elsewhere."""
    trained.write_text(trained.read_text().replace("weights.safetensors", "../steps/weights.safetensors"))
    with pytest.raises(UsageError, match="beside the card"):
        desk().replay(str(trained), bank)


def test_the_report_says_first_whether_it_may_be_used(desk: Desk, trained: Path, bank: Path, gates: Path) -> None:
    """A process scorer orders its own kind of errors, fails on a generator that errs otherwise, and the first line says no."""
    report = desk().evaluate(str(trained), bank, gates)
    assert report.usable is False
    assert next(iter(report_lines(report))) == report.first_line
    assert report.first_line.startswith("steps 1.0.0 MAY NOT BE USED")
    gate = {one.gate: one.passed for one in report.gates}
    assert gate["least_auroc_shift"] is False
    assert gate["independent"] is True
    assert report.model_dump_json() == desk().evaluate(str(trained), bank, gates).model_dump_json()


def test_the_scorer_is_no_judge_of_its_teacher(desk: Desk, trained: Path, bank: Path, gates: Path) -> None:
    """Judged on generators whose labels trained it, it is reported as not independent."""
    gates.write_text(gates.read_text().replace("tune_on: development", "tune_on: test").replace("test_on: test", "test_on: development")
                     .replace("least_items: 20", "least_items: 10"))  # fmt: skip
    report = desk().evaluate(str(trained), bank, gates)
    assert {one.generator: one.independent for one in report.figures.independence} == {
        "careful 1": False, "hasty 1": False, "wordy 1": False,
    }  # fmt: skip
    assert not next(one for one in report.gates if one.gate == "independent").passed


def test_a_bank_without_the_declared_splits(desk: Desk, trained: Path, bank: Path, gates: Path) -> None:
    """Without a split of shift nothing is evaluated."""
    bank.write_text("\n".join(one for one in bank.read_text().splitlines() if '"split": "shift"' not in one))
    with pytest.raises(UsageError, match="in the split 'shift'"):
        desk().evaluate(str(trained), bank, gates)


def test_wording_is_exploited_and_the_probes_say_so(desk: Desk, bank: Path, gates: Path) -> None:
    """A scorer of length is raised by every probe that adds words, and not by the one that leaves a step out."""

    def by_length(items: Any) -> tuple[float, ...]:
        return tuple(len(one["response"]) / 1000 for one in items)

    report = desk(length=by_length).evaluate("length", bank, gates)
    raised = {one.name: one.rise.value for one in report.probes}  # type: ignore[union-attr]
    assert all(raised[name] > 0 for name in ("assurance", "copied_prompt", "format", "longer"))
    assert {one.gate for one in report.gates if not one.passed} >= {"most_rise:longer", "most_rise:assurance"}


def test_the_score_rises_and_accuracy_does_not(bank_maker: ModuleType) -> None:
    """Best of N by length over candidates of which the wrong ones ramble: the score rises with N, accuracy falls."""
    lines = []
    for one in bank_maker.candidates(0.4, 4):
        if one["split"] == "test":
            ramble = " And on." * (one["sample"] if one["outcome"] != "correct" else 0)
            lines.append(json.dumps({**one, "response": ramble + one["response"]}))
    bank = bank_of("\n".join(lines).encode(), name="b")
    given_ = {one.key: Score(value=float(len(one.response))) for one in bank.candidates}
    table = selection_of(bank, given_, split="test", seed=1)
    learned = {one.selection.at: one for one in table.rows if one.method == "learned"}
    assert learned[4].mean_score > learned[1].mean_score  # type: ignore[operator]
    assert learned[4].selection.chosen_correct.value < learned[1].selection.chosen_correct.value  # type: ignore[union-attr]
    assert all(one.exploited for one in table.shifts)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.floats(-1e300, 1e300)), min_size=1, max_size=6))
def test_no_score_lifts_a_draft_over_a_gate(drafts: list[tuple[bool | None, float]]) -> None:
    """Scores rank only drafts that passed every check; whatever the others score, the winner is as it is without them."""
    made = [CandidateScores(True, passed, None, score, False) for passed, score in drafts]
    chosen = select(made).place
    able = [place for place, (passed, _) in enumerate(drafts) if passed is True]
    assert chosen == (max(able, key=lambda place: drafts[place][1]) if able else None)
    for bad in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(ValueError):
            selection_key(CandidateScores(True, True, None, bad, False))


@pytest.mark.parametrize(("perverse", "passed"), [(True, False), (False, True)])
def test_the_gate_of_selection(desk: Desk, bank: Path, gates: Path, perverse: bool, passed: bool) -> None:
    """A scorer that prefers wrong answers raises the chosen score and lowers accuracy; one that prefers right ones raises both."""

    def score(items: Any) -> tuple[float, ...]:
        found = []
        for one in items:
            a, b, c, d = map(int, re.findall("[0-9]+", one["prompt"]))
            found.append(float((one["answer"] == str(a * b + c - d)) is not perverse))
        return tuple(found)

    report = desk(told=score).evaluate("told", bank, gates)
    assert next(one.passed for one in report.gates if one.gate == "selection_not_exploited") is passed
    assert any(line.startswith("  From N ") for line in report_lines(report)) is perverse
