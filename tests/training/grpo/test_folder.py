"""The trainer with a run's folder as its recorder."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from small_run import items_of, plan_of, settings_of

from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.runs.folder import EVALUATIONS, ROLLOUTS, SERIES, RunFolder

PLAN = {
    "objective": "the prize in every answer",
    "hypothesis": "a letter is learnt in a few updates",
    "method": "grpo",
    "cap_updates": 5,
    "cap_seconds": 600,
    "stop_rules": ["token_entropy below 0.01 for 2 updates"],
    "checkpoint_rule": "best on unseen",
    "seed": 0,
    "data_digest": "0" * 64,
}


def now() -> dt.datetime:
    """A moment."""
    return dt.datetime(2026, 1, 31, tzinfo=dt.UTC)


def test_a_resumed_run_has_the_series_of_one_that_never_stopped(tmp_path: Path) -> None:
    """Cut short after its third update with a checkpoint at the second, then resumed: series, samples and evaluations are those of a whole run."""
    lines = []
    for name, cuts in (("whole", (5,)), ("cut", (3, 5))):
        folder = RunFolder.begin(tmp_path / "runs", PLAN, now=now, run_id=name)
        for number, updates in enumerate(cuts):
            trainer = GrpoTrainer(settings_of(updates=updates, evaluate_every=2, save_every=2), clock=lambda: 0.0)
            plan = plan_of(tmp_path / "runs" / name / "state", recorder=folder, held_out={"unseen": items_of(2)})
            if number:
                # As a kill after the third update would leave it: its own checkpoint is not there.
                last = tmp_path / "runs" / name / "state" / "checkpoints" / "update-00000003"
                last.rename(last.with_name(".update-00000003.half"))
                trainer.resume(plan)
            else:
                trainer.train(plan)
        lines.append([list(folder.rows(kind)) for kind in (SERIES, ROLLOUTS, EVALUATIONS)])
    assert lines[0] == lines[1]
    assert [row["update"] for row in lines[0][0]] == [0, 1, 2, 3, 4, 5]
