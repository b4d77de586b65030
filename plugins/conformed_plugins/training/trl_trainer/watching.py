"""What happens between TRL's steps: figures are recorded, checkpoints sealed, and the run ended as its plan says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import broadcast
from transformers import TrainerCallback

from conformed_plugins.training.grpo.evaluation import evaluation_figures
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.runs.behaviour import behaviour_metrics
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.reading import series_of
from conformed_plugins.training.runs.series import Point, Series
from conformed_plugins.training.runs.stops import check_rules, met
from conformed_plugins.training.trl_trainer.checkpoints import seal
from conformed_plugins.training.trl_trainer.guarded import GuardedTrainer
from conformed_plugins.training.trl_trainer.options import TrlOptions
from conformed_plugins.training.trl_trainer.samples import Scored, group_figures, sample_rows, step_figures

__all__ = ["Watch"]

_GOES_ON, _OUTAGE, _TIME, _RULE = range(4)
"""Why a run ends, as a number that every process can be told."""
_ENDS = ("", "outage", "seconds", "a stop rule")


class Watch(TrainerCallback):  # type: ignore[misc]
    """Watches one run. Only the main process writes and decides; the others are told.

    Args:
        run: the run's folder.
        options: the trainer's options.
        condition: digest of everything that makes the run what it is, for the seals.
        clock: seconds, from any start, that only go on.
        items: the run's items.
        held_out: sets to be evaluated on, by name.

    Raises:
        GivenValueError: when a stop rule of the plan is over a series that is not recorded.
    """

    def __init__(
        self,
        run: RunFolder,
        options: TrlOptions,
        *,
        condition: str,
        clock: Callable[[], float],
        items: Sequence[TrainingItem],
        held_out: Mapping[str, tuple[TrainingItem, ...]],
    ) -> None:
        check_rules(run.plan.stop_rules)
        self._run, self._options, self._condition, self._clock = run, options, condition, clock
        self._items, self._held_out = items, held_out
        self._begun = clock()
        self._scored: dict[str, float | int] = {}
        self._series: dict[str, list[Point]] = {}
        self.trainer: GuardedTrainer | None = None
        """Set once it is made."""
        self.evaluate: Callable[[tuple[TrainingItem, ...]], list[dict[str, Any]]] = lambda _items: []
        """Likewise: answers items greedily and judges them."""
        self.stopped = ""
        """What ended the run before its last update: outage, seconds, or the rule of the plan; empty where nothing did."""
        self.evaluation: dict[str, Any] = {}
        """Figures of the last evaluation."""
        self.counts: Counter[str] = Counter()
        """Since it began or was taken up: responses by outcome, groups that were dropped, and tied."""
        self.skipped = 0
        """Likewise: updates in which nothing was judged, and no step was made."""

    def scored(self, found: Scored) -> None:
        """Takes the responses of one generation, on the main process."""
        rows = sample_rows(found, self._items)
        self._run.rollouts(self._trainer.state.global_step + 1, rows)
        self._scored = {**behaviour_metrics(rows), **group_figures(found)}
        self.counts.update(str(one.judged.checked.outcome) for one in found.rows)
        self.counts.update({"dropped_groups": found.groups.dropped_groups, "tied_groups": found.groups.tied_groups})

    def on_train_begin(self, args: Any, state: Any, control: Any, **_more: Any) -> None:
        """Evaluates the policy as it was before the first update, and reads what an interrupted run recorded."""
        if state.global_step == 0:
            figures = self._evaluated(0)
            if state.is_world_process_zero and figures:
                self._run.record(0, figures)
        self._series = {name: list(points) for name, points in series_of(self._run).numbers.items()}

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **_more: Any) -> None:
        """Records an update's figures, evaluates where it is due, and ends the run where the plan says so."""
        if not logs or "loss" not in logs:  # the log of the whole run, at its end
            return
        main, update, every = state.is_world_process_zero, state.global_step, self._options.evaluate_every
        self.skipped += bool(self._trainer.outages)
        end = self._told(self._end() if main else _GOES_ON)
        figures: dict[str, Any] = {}
        if end != _GOES_ON or update >= args.max_steps or (every and update % every == 0):
            figures = self._evaluated(update)
        if main:
            figures |= step_figures(logs, maximum=self._options.max_gradient_norm)
            figures |= self._scored | {"skipped_steps": int(self._trainer.outages > 0)}
            self._scored = {}
            self._run.record(update, figures)
            for name, value in figures.items():
                self._series.setdefault(name, []).append((update, float(value)))
        rule = self._told(_RULE if main and self._met() else _GOES_ON)
        if end != _GOES_ON or rule != _GOES_ON:
            self.stopped = self.stopped or _ENDS[end or rule]
            control.should_training_stop = True
            control.should_save = control.should_save or bool(self._options.save_every)

    def on_save(self, args: Any, state: Any, control: Any, **_more: Any) -> None:
        """Seals the checkpoint that was just written, when every process has written its part."""
        self._trainer.accelerator.wait_for_everyone()
        if state.is_world_process_zero:
            seal(Path(args.output_dir) / f"checkpoint-{state.global_step}", condition=self._condition)

    def _end(self) -> int:
        if self._trainer.outages >= self._options.most_outages:
            return _OUTAGE
        return _TIME if self._clock() - self._begun >= self._run.plan.cap_seconds else _GOES_ON

    def _met(self) -> bool:
        """Whether a rule of the plan is met; on the main process, which alone has the series."""
        rules = met(self._run.plan.stop_rules, Series({name: tuple(points) for name, points in self._series.items()}))
        if rules:
            self.stopped = rules[0][0]
        return bool(rules)

    def _evaluated(self, update: int) -> dict[str, Any]:
        """Figures of the held-out sets. All processes answer, the main one judges."""
        self.evaluation = {}
        for split, items in self._held_out.items():
            rows = self.evaluate(items)
            if self._trainer.accelerator.is_main_process:
                self._run.evaluated(update, split, rows)
                self.evaluation |= evaluation_figures(split, rows)
        return dict(self.evaluation)

    def _told(self, end: int) -> int:
        """The main process's word, so that all stop after the same update."""
        accelerator = self._trainer.accelerator
        return end if accelerator.num_processes == 1 else int(broadcast(torch.tensor(end, device=accelerator.device)))

    @property
    def _trainer(self) -> GuardedTrainer:
        assert self.trainer is not None, "the watch has no trainer yet"
        return self.trainer
