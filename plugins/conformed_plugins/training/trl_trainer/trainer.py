"""The trainer ``trl``: a pinned model, items and a check in; checkpoints, weights and a diary out."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from conformed.errors import GivenTypeError, GivenValueError, PluginError
from conformed_plugins.training.advantage import CONVENTION
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.reward import REWARD_VERSION
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.trl_trainer.arguments import arguments, resumes_exactly, shape
from conformed_plugins.training.trl_trainer.options import TrlOptions
from conformed_plugins.training.trl_trainer.policy import Policy
from conformed_plugins.training.trl_trainer.session import Session

__all__ = ["LIBRARIES", "WEIGHTS", "TrlTrainer"]

LIBRARIES = ("accelerate", "datasets", "tokenizers", "torch", "transformers", "trl")
"""Libraries that compute; the diary holds their versions."""
WEIGHTS = "last"
"""Folder of the weights in a run's folder."""
_HOUSEKEEPING = frozenset(
    {"folder", "evaluate_every", "evaluation_tokens", "save_every", "keep_checkpoints", "resume_inexact", "most_outages"}
)
"""Options that change no update: a run may be resumed with others."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A plan's objects, checked."""

    run: RunFolder
    items: tuple[TrainingItem, ...]
    check: Check
    check_version: str
    held_out: Mapping[str, tuple[TrainingItem, ...]]


class TrlTrainer:
    """Trains a policy with GRPO on TRL.

    Args:
        options: the options.
        clock: seconds, from any start, that only go on; for the plan's cap.
    """

    kind = "trl"

    def __init__(self, options: TrlOptions, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._options, self._clock = options, clock

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Begins a run and takes it to its end.

        Args:
            plan: ``run`` (a RunFolder that was begun: it holds the RunPlan, with seed and caps), ``items``, ``check``,
                ``check_version``; optionally ``held_out`` (items by name of the set). Under ``accelerate launch`` the main process
                begins the folder, and the others open it.

        Returns:
            The diary, as plain JSON. The run's folder is left open, so that more can be added; its owner ends it with
            ``run.finish(diary)``. The weights are in its folder ``last``, ready to be pinned.

        Raises:
            GivenTypeError, GivenValueError: for a plan, items or settings that do not fit.
            MirrorError: when the model is not what is pinned.
            PluginError: when the model or the libraries cannot be trained with.
            UsageError: when the folder has checkpoints already, or cannot be written.
            StepError: when training failed. No step was made on the failure.
        """
        return self._go(_work(plan), resume=False)

    def resume(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Takes up a run from its newest whole checkpoint.

        Args:
            plan: as it was begun with.

        Returns:
            As ``train``. ``counts`` and ``skipped_steps`` are since it was taken up.

        Raises:
            UsageError: when there is no whole checkpoint.
            GivenValueError: when it would not be the run that was interrupted, and as ``train``.
            GivenTypeError, MirrorError, PluginError, StepError: as ``train``.
        """
        if not resumes_exactly(self._options, _processes()) and not self._options.resume_inexact:
            raise GivenValueError(
                "With these settings a resumed run is not the run that was interrupted: TRL's checkpoint lacks the rollouts and the "
                "place within them.",
                "Set resume_inexact to resume all the same; exact are steps_per_generation 1, num_iterations 1, one process on a CPU.",
            )
        return self._go(_work(plan), resume=True)

    def _go(self, work: _Work, *, resume: bool) -> dict[str, Any]:
        options, run, processes = self._options, work.run, _processes()
        if options.served is not None and find_spec("vllm") is None:
            raise PluginError("vllm is not installed.", "Install it (pip install vllm), or leave served out.")
        versions = {name: version(name) for name in LIBRARIES}
        policy = Policy(options)
        try:
            condition = _condition(options, work, versions, processes, policy.codec.digest)
            session = Session(
                options,
                policy,
                run,
                work.items,
                work.check,
                processes=processes,
                condition=condition,
                clock=self._clock,
                held_out=work.held_out,
            )
            begun = session.train(resume=resume)
            session.publish(run.path / WEIGHTS)
        finally:
            policy.close()
        watch, split = session.watch, shape(options, processes)
        return {
            "kind": self.kind,
            "stopped": watch.stopped or "cap",
            "updates": session.updates,
            "skipped_steps": watch.skipped,
            "counts": dict(sorted(watch.counts.items())),
            "last": {"update": session.updates, "folder": WEIGHTS},
            "evaluation": watch.evaluation,
            "resume_exact": resumes_exactly(options, processes),
            "resumed_from": begun,
            "revisions": {
                "model": policy.name,
                "manifest": options.manifest,
                "codec": policy.codec.digest,
                "check": work.check_version,
                "reward": REWARD_VERSION,
                "advantage": CONVENTION,
                "data": run.plan.data_digest,
                "condition": condition,
                "libraries": versions,
            },
            "seed": run.plan.seed,
            "items": len(work.items),
            "processes": processes,
            "passes_per_update": split.accumulation,
            "settings": json.loads(options.model_dump_json(exclude={"folder", "manifest"})),
            "trl": _told(options, run, processes),
        }


def _processes() -> int:
    """Devices that train together, as accelerate's launcher says."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def _work(plan: dict[str, Any]) -> _Work:
    known = {"run", "items", "check", "check_version", "held_out"}
    if lacking := sorted(known - {"held_out"} - plan.keys()):
        raise GivenValueError(f"The plan lacks {', '.join(lacking)}.", "Give it.")
    if odd := sorted(plan.keys() - known):
        raise GivenValueError(f"The plan has {odd[0]!r}.", f"It may have {', '.join(sorted(known))}.")
    run, items, check = plan["run"], plan["items"], plan["check"]
    if not isinstance(run, RunFolder):
        raise GivenTypeError(
            f"The run is a {type(run).__name__}.", "Give a RunFolder that was begun: there is no run without a plan."
        )
    if run.plan.method != "trl":
        raise GivenValueError(
            f"The plan is for the method {run.plan.method!r}.", "Plan the method trl, or use that method's trainer."
        )
    if not callable(check):
        raise GivenTypeError("The check cannot be called.", "Give a Check.")
    held_out = {str(name): _items(some) for name, some in (plan.get("held_out") or {}).items()}
    return _Work(run, _items(items), check, str(plan["check_version"]), held_out)


def _items(given: Any) -> tuple[TrainingItem, ...]:
    if not isinstance(given, Sequence) or not all(isinstance(one, TrainingItem) for one in given):
        raise GivenTypeError("The items are no TrainingItems.", "Give a sequence of them.")
    ids = {one.id for one in given}
    if not ids or len(ids) != len(given):
        raise GivenValueError(f"There are {len(given)} items with {len(ids)} ids.", "Give at least one, each with its own id.")
    return tuple(given)


def _told(options: TrlOptions, run: RunFolder, processes: int) -> dict[str, Any]:
    """What TRL was configured with, but for the place of its files."""
    told = arguments(options, output=run.path, updates=run.plan.cap_updates, seed=run.plan.seed, processes=processes)
    return {name: value for name, value in sorted(told.items()) if name != "output_dir"}


def _condition(options: TrlOptions, work: _Work, versions: dict[str, str], processes: int, codec: str) -> str:
    """Digest of everything that makes a run what it is."""
    whole = {
        "options": json.loads(options.model_dump_json(exclude=set(_HOUSEKEEPING))),
        "plan": work.run.plan.model_dump(mode="json"),
        "items": [one.id for one in work.items],
        "check": work.check_version,
        "reward": REWARD_VERSION,
        "codec": codec,
        "versions": versions,
        "processes": processes,
    }
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
