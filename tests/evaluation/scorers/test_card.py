"""The card of a scorer: strict YAML that says everything the registry must know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformed.errors import PolicyError
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.gates import ScorerGates
from conformed.policy.load import load_model, load_text

ROOT = Path(__file__).parents[3]
GOOD = (ROOT / "policies" / "scorers" / "recalculation.yaml").read_text(encoding="utf-8")
GATES = (ROOT / "policies" / "scorer-gates" / "learned.yaml").read_text(encoding="utf-8")


def test_every_packaged_card_and_gate_loads() -> None:
    """Each file of policies/scorers and policies/scorer-gates is accepted as it stands and bears its file's name."""
    cards = sorted((ROOT / "policies" / "scorers").glob("*.yaml"))
    gates = sorted((ROOT / "policies" / "scorer-gates").glob("*.yaml"))
    assert cards
    assert gates
    assert [load_model(one, ScorerCard).value.scorer_id for one in cards] == [one.stem for one in cards]
    assert [load_model(one, ScorerGates).value.name for one in gates] == [one.stem for one in gates]


@pytest.mark.parametrize("field", [name for name, one in ScorerCard.model_fields.items() if one.is_required()])
def test_nothing_that_must_be_known_may_be_left_out(field: str) -> None:
    """Each required field of the registry is asked for by name."""
    kept: list[str] = []
    inside = False
    for line in GOOD.splitlines():
        inside = line.startswith(f"{field}:") or (inside and line.startswith(" "))
        if not inside:
            kept.append(line)
    with pytest.raises(PolicyError, match=f"'{field}' is missing"):
        load_text("\n".join(kept), ScorerCard, name="card.yaml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("scorer_id: recalculation", "scorer_id: Re Calc", "does not have the expected form"),
        ("owner: Model risk", "owner: Model risk\nowners: [a]", "owners"),
        ("target_event: answer_correct", "target_event: good", "not known"),
        ("[answer, calculation]", "[answer, outcome]", "not known"),
        ("family: deterministic", "family: learned", "has no weights"),
        ('most_changed: "0"', 'most_changed: "2"', "most_changed is 2"),
        ("training_data_revision: none", "training_data_revision: none\ncalibration: {data: x.jsonl, sha256: abc, date: 2026-01-01}",
         "form"),
    ],
)  # fmt: skip
def test_what_a_card_may_not_say(old: str, new: str, said: str) -> None:
    """An unknown key or word, weights that are missing, a bound that is no share, a hash that is none."""
    assert old in GOOD
    with pytest.raises(PolicyError, match=said):
        load_text(GOOD.replace(old, new), ScorerCard, name="card.yaml")


def test_no_threshold_without_a_calibration() -> None:
    """A likelihood scorer that was never calibrated cannot take a candidate by a threshold."""
    text = GOOD.replace("family: deterministic", "family: likelihood")
    with pytest.raises(PolicyError, match="without a calibration"):
        load_text(text, ScorerCard, name="card.yaml")
    dated = text + f'calibration: {{data: held-out.jsonl, sha256: "{"a" * 64}", date: "2026-02-30"}}\n'
    with pytest.raises(PolicyError, match="not a day of the calendar"):
        load_text(dated, ScorerCard, name="card.yaml")
    assert load_text(dated.replace("02-30", "02-28"), ScorerCard, name="card.yaml").value.thresholds.accept == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("test_on: test", "test_on: development", "two of the three splits are one"),
        ('least_auroc: "4/5"', 'least_auroc: "8/5"', "least_auroc is 8/5"),
        ("seed: 20260401", "seed: -1", "seed"),
        ("independent: true", "independent: 1", "neither true nor false"),
    ],
)
def test_what_gates_may_not_say(old: str, new: str, said: str) -> None:
    """Splits that are one, a bound outside 0 to 1, a bad seed, and 1 for true."""
    assert old in GATES
    with pytest.raises(PolicyError, match=said):
        load_text(GATES.replace(old, new), ScorerGates, name="gates.yaml")


def test_a_card_names_its_revision(make_card: Any) -> None:
    """Records name scorer and revision together."""
    assert make_card(revision="2.1").name == "by-hand 2.1"
