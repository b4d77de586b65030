"""The loop: rollouts, rewards, advantages, log-probabilities, loss, step; now and then an evaluation and a checkpoint."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from conformed.errors import UsageError
from conformed_plugins.training.grpo.evaluation import evaluate, evaluation_figures
from conformed_plugins.training.grpo.figures import batch_series, rows_of
from conformed_plugins.training.grpo.progress import Progress
from conformed_plugins.training.grpo.rollout import Sampler, roll
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.update import learn, step
from conformed_plugins.training.grpo.window import Window
from conformed_plugins.training.grpo.work import Work, revisions
from conformed_plugins.training.state.checkpoint import Checkpoint, write
from conformed_plugins.training.state.generators import generators, set_generators
from conformed_plugins.training.state.tensors import (
    load_optimiser,
    load_weights,
    optimiser_bytes,
    weights_bytes,
    weights_digest,
)
from conformed_plugins.training.state.trial import OPTIMISER, POLICY, Trial
from conformed_plugins.training.state.weights import save_weights
from conformed_plugins.training.state.windows import window_files, window_of

__all__ = ["Run"]

_CAPS = ("cap", "seconds")
"""Ends that a run with higher caps goes beyond."""


class Run:
    """One run.

    Args:
        work: what it works on.
        settings: how.
        sampler: with the model of the work.
        clock: seconds, only ever more.
    """

    def __init__(self, work: Work, settings: GrpoSettings, sampler: Sampler, clock: Callable[[], float]) -> None:
        self.work, self.settings, self.progress = work, settings, Progress()
        self._sampler, self._clock, self._began = sampler, clock, clock()
        self._model = work.model.eval()  # no dropout: the policy that is sampled is the policy that is scored
        self._model.requires_grad_(requires_grad=True)
        self._reference: Any = None
        if settings.with_reference:
            self._reference = copy.deepcopy(self._model).requires_grad_(requires_grad=False)
        self.revisions = revisions(work, settings, weights_digest(self._model))
        self._optimiser = torch.optim.AdamW(
            self._model.parameters(),
            lr=settings.learning_rate,
            betas=settings.betas,
            eps=settings.adam_eps,
            weight_decay=settings.weight_decay,
            foreach=False,
        )
        self._items = {one.id: one for one in work.items}
        self._window: Window | None = None
        self._saved = -1

    def restore(self, checkpoint: Checkpoint) -> None:
        """Goes back to a checkpoint.

        Raises:
            UsageError: when it is of other weights, items, settings, tokenizer, check or libraries.
        """
        kept = checkpoint.state["revisions"]
        if odd := sorted(name for name in kept.keys() | self.revisions.keys() if kept.get(name) != self.revisions.get(name)):
            raise UsageError(
                f"The checkpoint is of another run: {', '.join(odd)} differ.",
                "Resume with what it was begun with, or begin another.",
            )
        load_weights(self._model, checkpoint.files[POLICY])
        load_optimiser(self._model, self._optimiser, checkpoint.files[OPTIMISER])
        self.progress = Progress.of(checkpoint.state["progress"])
        if self.progress.stopped in _CAPS:
            self.progress.stopped = self._capped()
        self._window = window_of(dict(checkpoint.files))
        self._saved = checkpoint.update
        set_generators(checkpoint.state["generators"])
        self._drop_bests()
        self.work.recorder.cut(checkpoint.update)

    def go(self) -> None:
        """Trains to the end."""
        self._began = self._clock() - self.progress.seconds
        if self.progress.update == 0 and not self.progress.stopped:
            figures = self._evaluate()
            if figures:
                self.work.recorder.record(0, figures)
        while not self.progress.stopped:
            self.advance()
        self._save()

    def advance(self) -> None:
        """One update, with the generation before it where one is due, and what follows it."""
        progress, settings = self.progress, self.settings
        figures: dict[str, float | int | str] = {}
        if self._window is None:
            figures |= self._roll()
        window, began = self._window, self._clock()
        assert window is not None
        first = progress.phase % settings.steps_per_generation * settings.prompts
        asked = window.asked[first : first + settings.prompts]
        learnt = learn(self._model, asked, settings, first=progress.phase == 0)
        figures |= batch_series(asked, rows_of(asked, self._items, self.work.codec), self._items) | {
            name: value for name, value in learnt.figures.items() if name != "mean_response_tokens"
        }
        if learnt.gradients is None:
            progress.skipped += 1
        else:
            norm = step(self._model, self._optimiser, learnt.gradients, settings, progress.update + 1)
            figures |= {"gradient_norm": norm, "gradient_clipped": int(norm > settings.max_gradient_norm)}
        progress.outages = progress.outages + 1 if learnt.figures["dropped_groups"] == len(asked) else 0
        progress.update += 1
        progress.phase += 1
        if progress.phase == settings.window:
            self._window, progress.phase = None, 0
        figures |= {
            "learning_rate": settings.rate(progress.update),
            "skipped_steps": progress.skipped,
            "update_seconds": self._clock() - began,
        }
        self._close(figures)

    def _roll(self) -> dict[str, float | int | str]:
        progress, began = self.progress, self._clock()
        self._window = roll(
            self._sampler,
            self._reference,
            self.work.items,
            self.work.check,
            self.work.codec,
            self.settings,
            generation=progress.generation,
            place=progress.place,
            update=progress.update,
            old=weights_digest(self._model),
            steps=self.work.steps,
        )
        progress.generation += 1
        progress.place += len(self._window.asked)
        seconds = self._clock() - began
        self.work.recorder.rollouts(progress.update + 1, rows_of(self._window.asked, self._items, self.work.codec))
        return {"rollout_seconds": seconds}

    def _close(self, figures: dict[str, float | int | str]) -> None:
        """What follows an update: stop rules, evaluation, record, checkpoint."""
        progress, settings = self.progress, self.settings
        progress.seconds = self._clock() - self._began
        progress.stopped = "outage" if progress.outages >= settings.most_outages else self._capped()
        due = settings.evaluate_every and progress.update % settings.evaluate_every == 0
        best = progress.best_update
        if due or progress.stopped:
            figures |= self._evaluate()
        progress.stopped = progress.look(settings.stop_rules, figures) or progress.stopped
        self.work.recorder.record(progress.update, figures)
        if best != progress.best_update or (settings.save_every and progress.update % settings.save_every == 0):
            self._save()

    def _capped(self) -> str:
        """Which cap is reached; empty where none is."""
        if self.progress.update >= self.settings.updates:
            return "cap"
        cap = self.settings.cap_seconds
        return "seconds" if cap is not None and self.progress.seconds >= cap else ""

    def _evaluate(self) -> dict[str, float | int | str]:
        found: dict[str, float | int | str] = {}
        progress, settings = self.progress, self.settings
        most = settings.evaluation_tokens or settings.max_new_tokens
        for split, items in self.work.held_out.items():
            rows = evaluate(self._sampler, items, self.work.check, self.work.codec, max_new_tokens=most)
            self.work.recorder.evaluated(progress.update, split, rows)
            found |= evaluation_figures(split, rows)
        progress.evaluated = found
        accuracy = found.get(f"evaluation.{settings.best_split}.accuracy")
        if isinstance(accuracy, float) and (progress.best_accuracy is None or accuracy > progress.best_accuracy):
            progress.best_update, progress.best_accuracy = progress.update, accuracy
            save_weights(self._model, self.work.tokenizer, self._best(progress.update))
        return found

    def _save(self) -> None:
        if self._saved == self.progress.update:
            return
        update = self.progress.update
        files = {
            POLICY: weights_bytes(self._model),
            OPTIMISER: optimiser_bytes(self._model, self._optimiser),
            **window_files(self._window),
        }
        state = {
            "update": update,
            "progress": self.progress.plain(),
            "generators": generators(),
            "revisions": self.revisions,
            "policies": self._policies(),
            "settings": self.settings.model_dump(mode="json"),
            "scheduler": {"kind": "function of the update", "learning_rate": repr(self.settings.rate(max(1, update)))},
            "scaler": None,
        }
        prove = Trial(self._model, self.work.codec.prompt(self.work.items[0].prompt)) if self.work.tried else None
        write(
            self.work.folder / "checkpoints", Checkpoint(update, state, files), keep=self.settings.keep_checkpoints, prove=prove
        )
        self._saved = update
        self._drop_bests()

    def _policies(self) -> dict[str, Any]:
        """The four, by name and version. What the behaviour is, is among the revisions."""
        window = self._window
        return {
            "current": {"update": self.progress.update},
            "old": None if window is None else {"update": window.update, "weights": window.old, "generation": window.generation},
            "reference": {"update": 0, "weights": self.revisions["reference"]},
            "behaviour": self.revisions["behaviour"],
        }

    def _best(self, update: int) -> Path:
        return self.work.folder / f"best-{update:08d}"

    def _drop_bests(self) -> None:
        """Drops weights that were the best before, once the checkpoint names the new ones."""
        update = self.progress.best_update
        for folder in sorted(self.work.folder.glob("best-*")):
            if update is None or folder != self._best(update):
                shutil.rmtree(folder)
