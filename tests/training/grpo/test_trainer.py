"""The trainer, from plan to diary."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from small_run import check, items_of, model_of, plan_of, settings_of

from conformed.errors import GivenValueError, UsageError
from conformed.model.answer import Outcome
from conformed.ports import Trainer
from conformed_plugins.training.grpo.recorder import InMemory
from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.items import Checked, TrainingItem
from conformed_plugins.training.runs.names import unknown
from conformed_plugins.training.state.checkpoint import latest
from conformed_plugins.training.state.tensors import weights_digest


def test_it_learns(tmp_path: Path) -> None:
    """In 25 updates the mean reward of a policy that is right one time in nine goes above 0.9; the ratio is 1 on each where a group was not tied."""
    recorder = InMemory()
    settings = settings_of(updates=25, prompts=4, group=8, save_every=0)
    diary = GrpoTrainer(settings).train(plan_of(tmp_path / "run", recorder=recorder))
    rewards = [figures["reward_mean"] for _, figures in recorder.figures]
    assert rewards[0] < 0.4
    assert rewards[-1] > 0.9
    replayed = [figures["replay_difference"] for _, figures in recorder.figures if "replay_difference" in figures]
    assert len(replayed) > 10
    assert max(replayed) <= 1e-5
    assert (diary["stopped"], diary["updates"]) == ("cap", 25)


def test_the_same_plan_gives_the_same_weights(tmp_path: Path) -> None:
    """Twice the same, with threads and a rollout worker or without: the same bits. Another seed: others."""
    settings = [settings_of(), settings_of(update_threads=2, rollout_workers=1), settings_of(seed=1)]
    ends = [GrpoTrainer(one).train(plan_of(tmp_path / str(place)))["last"]["weights"] for place, one in enumerate(settings)]
    assert ends[0] == ends[1] != ends[2]


def test_every_figure_is_a_series_of_the_table(tmp_path: Path) -> None:
    """Nothing is recorded under a name that the table of series does not know."""
    recorder = InMemory()
    settings = settings_of(kl_beta=0.1, evaluate_every=2)
    GrpoTrainer(settings).train(plan_of(tmp_path / "run", recorder=recorder, held_out={"unseen": items_of(3)}))
    assert [update for update, _ in recorder.figures] == [0, 1, 2, 3, 4]
    assert unknown(name for _, figures in recorder.figures for name in figures) == ()
    assert recorder.figures[1][1]["sampled_kl"] == 0.0  # the reference is the policy at the start
    assert recorder.figures[-1][1]["sampled_kl"] > 0.0
    assert [(update, split, len(rows)) for update, split, rows in recorder.evaluations] == [(at, "unseen", 3) for at in (0, 2, 4)]
    assert [(update, len(rows)) for update, rows in recorder.samples] == [(at, 8) for at in (1, 2, 3, 4)]


def test_an_outage_of_the_check_leaves_the_policy_where_it_was(tmp_path: Path) -> None:
    """All checks fail: weights and optimiser are what they were to the bit, it is counted, and the run ends with that word."""

    def down(item: TrainingItem, text: str) -> Checked:
        raise ConnectionError("the service is down")

    recorder, model = InMemory(), model_of()
    before = weights_digest(model)
    diary = GrpoTrainer(settings_of(updates=50)).train(plan_of(tmp_path / "run", model=model, check=down, recorder=recorder))
    assert diary["last"]["weights"] == before
    assert (diary["stopped"], diary["updates"], diary["skipped_steps"]) == ("outage", 3, 3)
    checkpoint, _ = latest(tmp_path / "run" / "checkpoints")
    assert checkpoint is not None
    assert checkpoint.files["optimiser.safetensors"] == b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "
    for _, figures in recorder.figures:
        assert figures["error_rate"] == 1.0
        assert figures["code:check_exception:connectionerror"] == 8
        assert figures["dropped_groups"] == 2
        assert "reward_mean" not in figures


def test_an_outage_in_the_middle_of_a_run_moves_nothing(tmp_path: Path) -> None:
    """After an update with a step, momentum in the optimiser: an update without a verdict still moves no bit of either."""
    calls = count()

    def fails_later(item: TrainingItem, text: str) -> Checked:
        return check(item, text) if next(calls) < 8 else Checked(Outcome.REVIEW, False, "unsure")

    ends = []
    for updates in (1, 3):
        calls = count()
        folder = tmp_path / str(updates)
        GrpoTrainer(settings_of(updates=updates)).train(plan_of(folder, check=fails_later))
        checkpoint, _ = latest(folder / "checkpoints")
        assert checkpoint is not None
        ends.append([checkpoint.files[name] for name in ("policy.safetensors", "optimiser.safetensors")])
    assert ends[0] == ends[1]


def test_stop_rules_end_it_and_are_named(tmp_path: Path) -> None:
    """A rule that was declared before is met after two updates in a row, and the diary names it."""
    rule = "token_entropy below 99 for 2 updates"
    diary = GrpoTrainer(settings_of(updates=50, stop_rules=(rule,))).train(plan_of(tmp_path / "run"))
    assert (diary["stopped"], diary["updates"]) == (rule, 2)


def test_a_retention_set_that_falls_ends_it(tmp_path: Path) -> None:
    """A rule over an evaluation looks at evaluations alone: updates between them neither count nor break the row."""
    rule = "evaluation.retention.accuracy below 0.95 for 2 evaluations"
    settings = settings_of(updates=50, evaluate_every=3, stop_rules=(rule,))
    never = (TrainingItem("never", items_of()[0].task, items_of()[0].split, "t", "b?", "no such answer"),)
    diary = GrpoTrainer(settings).train(plan_of(tmp_path / "run", held_out={"retention": never}))
    assert (diary["stopped"], diary["updates"]) == (rule, 6)


def test_the_clock_ends_it(tmp_path: Path) -> None:
    """At the cap of seconds it stops, and a longer cap goes on from there."""
    settings = settings_of(updates=50, cap_seconds=20.0)
    first = GrpoTrainer(settings, clock=count().__next__).train(plan_of(tmp_path / "run"))
    assert first["stopped"] == "seconds"
    longer = settings.model_copy(update={"cap_seconds": 60.0})
    second = GrpoTrainer(longer, clock=count().__next__).resume(plan_of(tmp_path / "run"))
    assert second["stopped"] == "seconds"
    assert second["updates"] > first["updates"]


def test_the_best_weights_are_kept(tmp_path: Path) -> None:
    """Of the evaluations the one with most right answers is kept as a folder of weights, and only it; the end is there, too."""
    settings = settings_of(updates=12, prompts=4, group=8, evaluate_every=3, best_split="unseen")
    recorder = InMemory()
    diary = GrpoTrainer(settings).train(plan_of(tmp_path / "run", held_out={"unseen": items_of()}, recorder=recorder))
    series = [
        (figures["evaluation.unseen.accuracy"], -at)
        for at, figures in recorder.figures
        if "evaluation.unseen.accuracy" in figures
    ]
    best, at = max(series)
    assert diary["best"] == {"update": -at, "accuracy": best, "folder": f"best-{-at:08d}"}
    assert best > series[0][0]
    assert sorted(one.name for one in (tmp_path / "run").iterdir()) == [diary["best"]["folder"], "checkpoints", "last"]


def test_a_folder_with_a_run_is_not_begun_again_nor_resumed_as_another(tmp_path: Path) -> None:
    """Begin refuses a folder that holds a run; resume refuses other settings, items, check or weights, by name, and an empty folder."""
    folder = tmp_path / "run"
    with pytest.raises(UsageError, match="no checkpoint"):
        GrpoTrainer(settings_of()).resume(plan_of(folder))
    GrpoTrainer(settings_of()).train(plan_of(folder))
    with pytest.raises(UsageError, match="holds a run already"):
        GrpoTrainer(settings_of()).train(plan_of(folder))
    for name, settings, changed in (
        ("settings", settings_of(learning_rate=0.5), {}),
        ("data", settings_of(), {"items": items_of(5)}),
        ("check", settings_of(), {"check_version": "letters 2"}),
        ("reference", settings_of(), {"model": model_of(seed=6)}),
    ):
        with pytest.raises(UsageError, match=f"of another run: {name} differ"):
            GrpoTrainer(settings).resume(plan_of(folder, **changed))


def test_a_run_that_is_lengthened_is_the_longer_run(tmp_path: Path) -> None:
    """Two updates, then the cap raised to four: the weights of a run of four."""
    GrpoTrainer(settings_of(updates=2)).train(plan_of(tmp_path / "cut"))
    again = GrpoTrainer(settings_of(updates=4)).resume(plan_of(tmp_path / "cut"))
    whole = GrpoTrainer(settings_of(updates=4)).train(plan_of(tmp_path / "whole"))
    assert again["last"] == whole["last"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"items": ()}, "no item"), ({"codec": None}, "neither tokenizer nor codec"), ({"modle": 1}, "has 'modle'")],
)
def test_a_plan_that_is_not_whole_is_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    """No items, no tokenizer, an unknown key: refused before anything begins."""
    with pytest.raises(GivenValueError, match=said):
        GrpoTrainer(settings_of()).train(plan_of(tmp_path / "run", **changed))
    with pytest.raises(GivenValueError, match="lacks model, items"):
        GrpoTrainer(settings_of()).train({"folder": tmp_path})


def test_a_model_handed_over_in_training_mode_is_put_out_of_it(tmp_path: Path) -> None:
    """Bug report 23: dropout .1 and training mode: the run is the one of the same model in evaluation mode."""
    ends = []
    for mode in (True, False):
        model = model_of(attention_dropout=0.1).train(mode)
        ends.append(GrpoTrainer(settings_of()).train(plan_of(tmp_path / str(mode), model=model))["last"]["weights"])
        assert not model.training
    assert ends[0] == ends[1]


def test_it_is_a_trainer() -> None:
    """It fits the port."""
    assert isinstance(GrpoTrainer(settings_of()), Trainer)
