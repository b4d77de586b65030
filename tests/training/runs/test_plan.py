"""No run without a plan: what lacks is named, and what is written is what was planned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from conformed.errors import GivenTypeError, GivenValueError, PolicyError
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.plan import RunPlan, plan_of, plan_text, read_plan

TEXT = """objective: 0.60 exact on unseen wordings.
hypothesis: Rewards teach wordings.
method: grpo
cap_updates: 40
cap_seconds: 600
stop_rules:
  - token_entropy below 0.01 for 3 updates
checkpoint_rule: The best on unseen wordings.
seed: 7
data_digest: "abababababababababababababababababababababababababababababababab"
settings:
  group: 8
  beta: 0.04
  compile: false
"""
NEEDED = (
    "cap_seconds",
    "cap_updates",
    "checkpoint_rule",
    "data_digest",
    "hypothesis",
    "method",
    "objective",
    "seed",
    "stop_rules",
)


@pytest.mark.parametrize("name", NEEDED)
def test_what_lacks_is_named_and_no_folder_is_made(name: str, plan: dict[str, Any], tmp_path: Path) -> None:
    """A plan without any one of its keys begins nothing, and the refusal names that key and no other."""
    del plan[name]
    with pytest.raises(GivenValueError, match=f"it lacks {name}\\."):
        RunFolder.begin(tmp_path, plan, now=lambda: pytest.fail("the clock was asked"), run_id="a")
    assert list(tmp_path.iterdir()) == []


def test_no_plan_at_all_names_everything(tmp_path: Path) -> None:
    """A run that is begun without a plan is told all that a plan is made of."""
    with pytest.raises(GivenValueError, match="There is no plan: it lacks") as told:
        RunFolder.begin(tmp_path, None, now=lambda: pytest.fail("the clock was asked"), run_id="a")
    assert all(name in str(told.value) for name in NEEDED)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("objective", "  "), ("hypothesis", ""), ("stop_rules", []), ("stop_rules", [" "]), ("cap_updates", 0), ("cap_updates", True),
        ("cap_seconds", 1.5), ("seed", -1), ("method", "ppo"), ("data_digest", "AB" * 32), ("settings", {"a": float("nan")}),
        ("settings", {"a": object()}), ("checkpoint_rule", 3), ("more", "x"),
    ],
)  # fmt: skip
def test_a_plan_is_strict(name: str, value: Any, plan: dict[str, Any]) -> None:
    """Empty sentences, caps that are none, other types and unknown keys are refused with the key."""
    with pytest.raises(GivenValueError, match=name):
        plan_of({**plan, name: value})


def test_another_type_is_no_plan() -> None:
    """A list is not taken for a plan."""
    with pytest.raises(GivenTypeError, match="list"):
        plan_of([("objective", "x")])  # type: ignore[arg-type]


def test_a_plan_never_changes(plan: dict[str, Any]) -> None:
    """Neither an assignment nor a change of the caller's own mapping reaches a plan."""
    settings = {"optimiser": {"name": "adamw"}}
    made = plan_of({**plan, "settings": settings})
    settings["optimiser"]["name"] = "sgd"
    assert made.settings["optimiser"] == {"name": "adamw"}
    with pytest.raises(ValidationError):
        made.seed = 8  # type: ignore[misc]


def test_yaml_and_data_give_one_plan() -> None:
    """From YAML whole numbers and truth values are such, a decimal stays text, and the bytes kept are those of the same data."""
    made = read_plan(TEXT)
    assert made.settings == {"group": 8, "beta": "0.04", "compile": False}
    assert (made.cap_updates, made.seed, made.stop_rules) == (40, 7, ("token_entropy below 0.01 for 3 updates",))
    assert plan_text(made) == plan_text(RunPlan.model_validate(json.loads(plan_text(made))))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("hypothesis: Rewards teach wordings.\n", "", "lacks hypothesis"),
        ("method: grpo", "methud: grpo", r"plan\.yaml:3:1: .*methud.*Did you mean 'method'"),
        ("cap_updates: 40", "cap_updates: forty", r"plan\.yaml:4:14: 'forty' is not a whole number"),
        ("seed: 7", "seed: -7", r"plan\.yaml:9:7: seed: "),
        ("method: grpo", 'method: ""', r"plan\.yaml:3:9: method: "),
        ("  - token_entropy below 0.01 for 3 updates", '  - ""', r"plan\.yaml:7:5: stop_rules\.0: it is empty"),
        ("seed: 7", "seed: 7\nseed: 8", "stands twice"),
    ],
)
def test_yaml_is_refused_with_its_place(old: str, new: str, told: str) -> None:
    """Every refusal of a file names file, line and column, and what is wrong there."""
    assert old in TEXT
    with pytest.raises(PolicyError, match=told):
        read_plan(TEXT.replace(old, new), name="plan.yaml")


def test_yaml_that_is_no_mapping_is_refused() -> None:
    """A list, half a character and an empty text are refused in a sentence."""
    for text in ("- a\n", "", "objective: \ud800\n"):
        with pytest.raises(PolicyError):
            read_plan(text)
