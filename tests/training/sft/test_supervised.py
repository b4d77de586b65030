"""The trainer behind the hook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import GivenValueError, UsageError
from conformed.ports import Trainer
from conformed_plugins.training.grpo.recorder import InMemory
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.sft.settings import SftSettings
from conformed_plugins.training.sft.supervised import SupervisedTrainer
from conformed_plugins.training.synth.checking import check

Plan = Callable[..., dict[str, Any]]


@pytest.fixture
def plan(items: tuple[TrainingItem, ...], tokenizer: Any, network: Callable[..., Any], tmp_path: Path) -> Plan:
    """Makes a plan for a new network."""

    def make(folder: str, **more: Any) -> dict[str, Any]:
        return {
            "model": network(),
            "tokenizer": tokenizer,
            "items": items[:40],
            "sample": items[40:43],
            "check": check,
            "folder": tmp_path / folder,
            **more,
        }

    return make


def trainer(updates: int) -> SupervisedTrainer:
    """Of so many updates, each kept."""
    return SupervisedTrainer(
        SftSettings(batch=8, cap_updates=updates, evaluate_every=2, save_every=1, max_new_tokens=4, threads=1, microbatches=1)
    )


def test_it_fits_the_port() -> None:
    """It is a trainer by its shape."""
    assert isinstance(trainer(1), Trainer)


def test_a_run_taken_up_ends_with_the_same_weights_and_series(plan: Plan) -> None:
    """Two updates and two more give weights, history and series of four; what was recorded beyond the checkpoint is recorded once."""
    straight, broken = InMemory(), InMemory()
    whole = trainer(4).train(plan("straight", recorder=straight))
    trainer(3).train(plan("broken", recorder=broken))
    broken.record(4, {"loss": -1.0})
    diary = trainer(4).resume(plan("broken", recorder=broken))
    assert diary["last"]["weights"] == whole["last"]["weights"]
    assert diary["history"] == whole["history"] == [[2, 0.0], [4, 0.0]]
    assert broken.figures == straight.figures
    assert (diary["ended"], diary["reached"], diary["updates"]) == ("cap_updates", False, 4)


def test_a_folder_with_a_run_is_not_begun_again(plan: Plan) -> None:
    """A second beginning is refused, and so is taking up what is not there."""
    trainer(1).train(plan("once"))
    with pytest.raises(UsageError, match="holds a run"):
        trainer(1).train(plan("once"))
    with pytest.raises(UsageError, match="no checkpoint"):
        trainer(1).resume(plan("never"))


@pytest.mark.parametrize(("more", "said"), [({"sample": None}, "lacks sample"), ({"rate": 1}, "has 'rate'")])
def test_a_plan_that_is_not_whole_is_refused(plan: Plan, more: dict[str, Any], said: str) -> None:
    """What lacks is named, and what is not known is not passed over."""
    with pytest.raises(GivenValueError, match=said):
        trainer(1).train(plan("x", **more))
