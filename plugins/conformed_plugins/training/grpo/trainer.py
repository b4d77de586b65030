"""The trainer ``grpo``."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from conformed.errors import UsageError
from conformed_plugins.backends.decoder.workers import RolloutWorkers
from conformed_plugins.training.grpo.rollout import InProcess, Sampler
from conformed_plugins.training.grpo.run import Run
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.work import Work, work_of
from conformed_plugins.training.state.checkpoint import Checkpoint, checkpoints, latest
from conformed_plugins.training.state.tensors import weights_digest
from conformed_plugins.training.state.weights import save_weights

__all__ = ["GrpoTrainer"]


class GrpoTrainer:
    """GRPO on one machine, for small models.

    Args:
        settings: how to train.
        clock: seconds, only ever more; given by tests.
    """

    kind = "grpo"

    def __init__(self, settings: GrpoSettings, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self.settings, self._clock = settings, clock

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Begins a run and takes it to its end.

        Args:
            plan: ``model`` (a causal language model of transformers, changed in place: what it is now is the reference), ``tokenizer``
                (or ``codec``), ``items``, ``check``, ``check_version``, ``folder``; optionally ``held_out`` (items by name of the
                set), ``recorder``, ``system``, ``stop_ids``, and ``tried`` (False leaves out the trial in a fresh process).

        Returns:
            The diary, plain JSON: ``stopped`` (cap, seconds, outage, or the stop rule that was met), ``updates``, ``best`` and
            ``last`` weights with their digests, ``evaluation``, ``revisions``, ``settings``. The same plan gives the same weights.

        Raises:
            UsageError: when the folder holds a run.
            GivenValueError: for a plan that lacks something, and as ``microbatch_loss``.
            StepError: when a ratio is not 1 where it must be, a gradient is not finite, or a checkpoint cannot be read back.
        """
        work = work_of(plan, self.settings)
        if checkpoints(work.folder / "checkpoints"):
            raise UsageError("The folder holds a run already.", "Resume it, or give another folder.")
        return self._go(work, None, ())

    def resume(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Takes up a run from the last checkpoint that is whole, and goes on to the end. On a CPU no bit differs from a run that never stopped.

        Args:
            plan: as it was begun with: the model is again the one before training.

        Raises:
            UsageError: when there is no checkpoint that is whole, or it is of another run.
            GivenValueError: as ``train``.
            StepError: as ``train``.
        """
        work = work_of(plan, self.settings)
        checkpoint, refused = latest(work.folder / "checkpoints")
        if checkpoint is None:
            why = f" {'; '.join(refused)}." if refused else ""
            raise UsageError(f"There is no checkpoint that is whole.{why}", "Begin the run again.")
        return self._go(work, checkpoint, refused)

    def _go(self, work: Work, checkpoint: Checkpoint | None, refused: tuple[str, ...]) -> dict[str, Any]:
        work.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            sampler: Sampler = InProcess(work.model)
            if self.settings.rollout_workers:
                sampler = stack.enter_context(RolloutWorkers(work.model, self.settings.rollout_workers))
            run = Run(work, self.settings, sampler, self._clock)
            if checkpoint is not None:
                run.restore(checkpoint)
            run.go()
        last = save_weights(work.model, work.tokenizer, work.folder / "last")
        progress = run.progress
        best = None
        if progress.best_update is not None:
            best = {
                "update": progress.best_update,
                "accuracy": progress.best_accuracy,
                "folder": f"best-{progress.best_update:08d}",
            }
        return {
            "kind": self.kind,
            "stopped": progress.stopped,
            "updates": progress.update,
            "skipped_steps": progress.skipped,
            "seconds": progress.seconds,
            "best": best,
            "last": {"update": progress.update, "folder": last.name, "weights": weights_digest(work.model)},
            "evaluation": progress.evaluated,
            "checkpoints_passed_over": list(refused),
            "revisions": run.revisions,
            "settings": self.settings.model_dump(mode="json"),
        }
