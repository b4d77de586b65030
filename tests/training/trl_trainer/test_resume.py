"""Interrupted runs: exact where that is promised, refused where it is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from toy_checks import by_length, weights_of

from conformed.errors import GivenValueError, UsageError
from conformed_plugins.training.items import Checked, TrainingItem

pytestmark = pytest.mark.filterwarnings(
    r"ignore:`[a-z_]*gradient_checkpointing[a-z_]*` is deprecated:FutureWarning"
)  # TRL asks transformers by an old name

Begin = Callable[..., Any]


def trained(options: Any, run: Any, items: Any, check: Any = by_length, **more: Any) -> dict[str, Any]:
    """Trains from the beginning to the end."""
    from conformed_plugins.training.trl_trainer.making import make

    return make(options).train({"run": run, "items": items, "check": check, "check_version": "toy 1", **more})


def resumed_run(options: Any, run: Any, items: Any, **more: Any) -> dict[str, Any]:
    """Trains from the newest checkpoint to the end."""
    from conformed_plugins.training.trl_trainer.making import make

    return make(options).resume({"run": run, "items": items, "check": by_length, "check_version": "toy 1", **more})


def interrupted(options: Any, run: Any, items: Any, *, after: int) -> None:
    """A run that is killed while it judges, after so many responses."""
    judged: list[str] = []

    def check(item: TrainingItem, response: str) -> Checked:
        judged.append(item.id)
        if len(judged) > after:
            raise KeyboardInterrupt
        return by_length(item, response)

    with pytest.raises(KeyboardInterrupt):
        trained(options, run, items, check)


def difference(one: Any, other: Any) -> float:
    """Largest difference of two sets of weights."""
    return max(float((first - other[name]).abs().max()) for name, first in one.items())


@pytest.mark.parametrize(
    ("at", "microbatch"), [(1, 8), (5, 4)], ids=["first pass", "later pass, two passes of the model an update"]
)
def test_a_resumed_run_is_the_run_that_was_interrupted(
    at: int, microbatch: int, begin: Begin, options: Begin, items: Any
) -> None:
    """Killed while it judges, in the first pass over the items or a later one, and taken up: the same bits, series and samples."""
    made = options(save_every=1, kl_beta=0.04, microbatch=microbatch, schedule="linear")
    whole, cut = begin("whole", cap_updates=7), begin("cut", cap_updates=7)
    diary = trained(made, whole, items)
    interrupted(made, cut, items, after=8 * at + 3)
    resumed = resumed_run(made, cut, items)
    assert (resumed["resumed_from"], resumed["updates"], resumed["resume_exact"]) == (at, 7, True)
    assert resumed["revisions"] == diary["revisions"]
    assert difference(weights_of(whole.path / "last"), weights_of(cut.path / "last")) == 0
    assert (whole.path / "rollouts.jsonl").read_bytes() == (cut.path / "rollouts.jsonl").read_bytes()

    def figures(run: Any) -> list[Any]:
        found = [json.loads(line) for line in (run.path / "series.jsonl").read_text().splitlines()]
        return [{name: value for name, value in row["figures"].items() if name != "update_seconds"} for row in found]

    assert figures(whole) == figures(cut)


@pytest.mark.parametrize("more", [{"steps_per_generation": 2}, {"num_iterations": 2}])
def test_a_resume_that_would_not_be_exact_is_refused_unless_it_is_asked_for(
    more: dict[str, int], begin: Begin, options: Begin, items: Any
) -> None:
    """Where TRL's checkpoint lacks the rollouts, a resume is refused by name; with resume_inexact it goes on, and the diary says so."""
    run = begin(cap_updates=4)
    interrupted(options(save_every=1, **more), run, items, after=16 * more.get("steps_per_generation", 1) - 3)
    with pytest.raises(GivenValueError, match=r"not the run that was interrupted.*resume_inexact"):
        resumed_run(options(save_every=1, **more), run, items)
    diary = resumed_run(options(save_every=1, resume_inexact=True, **more), run, items)
    assert (diary["resume_exact"], diary["resumed_from"] > 0, diary["updates"]) == (False, True, 4)


def test_a_torn_checkpoint_is_passed_over(begin: Begin, options: Begin, items: Any) -> None:
    """With its newest checkpoint cut short, a run goes on from the one before it, and ends with the same bits."""
    whole, cut = begin("whole", cap_updates=4), begin("cut", cap_updates=4)
    made = options(save_every=1)
    trained(made, whole, items)
    interrupted(made, cut, items, after=8 * 3)
    optimiser = cut.path / "checkpoints" / "checkpoint-3" / "optimizer.pt"
    optimiser.write_bytes(optimiser.read_bytes()[:-100])
    diary = resumed_run(made, cut, items)
    assert diary["resumed_from"] == 2
    assert difference(weights_of(whole.path / "last"), weights_of(cut.path / "last")) == 0


def test_a_run_is_resumed_only_as_it_was_begun(begin: Begin, options: Begin, items: Any) -> None:
    """Another learning rate or other items are refused, housekeeping may change, and a run with checkpoints is not begun anew."""
    run = begin(cap_updates=3)
    interrupted(options(save_every=1), run, items, after=8 * 2)
    with pytest.raises(GivenValueError, match="of another plan, model, data, settings or version"):
        resumed_run(options(save_every=1, learning_rate=0.02), run, items)
    with pytest.raises(GivenValueError, match="of another plan, model, data, settings or version"):
        resumed_run(options(save_every=1), run, items[:-1])
    with pytest.raises(UsageError, match="has checkpoints"):
        trained(options(save_every=1), run, items)
    assert resumed_run(options(save_every=3, most_outages=1), run, items)["resumed_from"] == 2


def test_without_a_checkpoint_there_is_nothing_to_resume(begin: Begin, options: Begin, items: Any) -> None:
    """A run that saved nothing is not silently begun anew."""
    run = begin()
    interrupted(options(), run, items, after=3)
    with pytest.raises(UsageError, match="no whole checkpoint"):
        resumed_run(options(), run, items)
