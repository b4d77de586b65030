"""One run on TRL: the trainer is made, trains, and leaves weights that can be pinned."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from conformed_plugins.training.trl_trainer.guarded import GuardedTrainer  # isort: skip - sets the libraries offline first

from datasets import Dataset
from transformers import PrinterCallback
from transformers.utils import logging as said
from trl import GRPOConfig

from conformed.errors import ConformedError, PluginError, StepError, UsageError
from conformed_plugins.training.grpo.evaluation import evaluate
from conformed_plugins.training.grpo.order import drawn
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.reward import judged
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.trl_trainer.answering import Answering
from conformed_plugins.training.trl_trainer.arguments import arguments, shape
from conformed_plugins.training.trl_trainer.checkpoints import newest
from conformed_plugins.training.trl_trainer.options import TrlOptions
from conformed_plugins.training.trl_trainer.policy import Policy
from conformed_plugins.training.trl_trainer.samples import Sample
from conformed_plugins.training.trl_trainer.watching import Watch

__all__ = ["Session"]

CHECKPOINTS = "checkpoints"
"""Folder of the checkpoints in a run's folder."""


class Session:
    """One run.

    Args:
        options: the trainer's options.
        policy: the policy.
        run: the run's folder.
        items: the items.
        check: the check.
        processes: devices that train together.
        condition: digest of everything that makes the run what it is.
        clock: seconds that only go on.
        held_out: sets to be evaluated on, by name.

    Raises:
        GivenValueError: for items or settings that do not fit.
        MirrorError: when the model does not fit what is pinned.
        PluginError: when TRL refuses the settings or lacks what is guarded.
    """

    def __init__(
        self,
        options: TrlOptions,
        policy: Policy,
        run: RunFolder,
        items: Sequence[TrainingItem],
        check: Check,
        *,
        processes: int,
        condition: str,
        clock: Callable[[], float],
        held_out: Mapping[str, tuple[TrainingItem, ...]],
    ) -> None:
        self._run, self._condition = run, condition
        self._output = run.path / CHECKPOINTS
        plan, split = run.plan, shape(options, processes)
        prompts = policy.prompts(items)
        for some in held_out.values():
            policy.prompts(some)  # refused now rather than at the last update

        def judging(place: int, ids: Sequence[int], ended: bool) -> Sample:  # noqa: FBT001 - a fact of the response
            item, text = items[place], policy.codec.text(ids)
            stop = "eos" if ended else "length"
            return Sample(place, text, len(prompts[place]), len(ids), stop, judged(check, item, text))

        generations = -(-plan.cap_updates // (options.steps_per_generation * options.num_iterations))
        places = drawn(plan.seed, len(items), 0, generations * split.prompts)
        model = policy.weights()
        self._caches: bool = model.config.use_cache
        self.watch = Watch(run, options, condition=condition, clock=clock, items=items, held_out=held_out)
        """What was seen of it."""
        with _quiet(), _named("TRL cannot be set up"):
            given = arguments(options, output=self._output, updates=plan.cap_updates, seed=plan.seed, processes=processes)
            if not hasattr(GRPOConfig, "activation_checkpointing"):  # its name in older versions of transformers
                given["gradient_checkpointing"] = given.pop("activation_checkpointing")
            self._trainer = GuardedTrainer(
                encode=prompts.__getitem__,
                judging=judging,
                eps=options.advantage_eps,
                told=self.watch.scored,
                model=model,
                args=GRPOConfig(**given),
                train_dataset=Dataset.from_dict({"prompt": [str(place) for place in places]}),
                processing_class=policy.tokenizer,
                callbacks=[self.watch],
            )
            self._trainer.remove_callback(PrinterCallback)
        self.watch.trainer = self._trainer
        answering = Answering(self._trainer, rows=options.microbatch)
        most = options.evaluation_tokens or options.max_new_tokens
        self.watch.evaluate = lambda some: evaluate(answering, some, check, policy.codec, max_new_tokens=most)
        if self._trainer.accelerator.num_processes != processes:
            raise PluginError(
                f"{self._trainer.accelerator.num_processes} processes train, and WORLD_SIZE says {processes}.",
                "Start them with accelerate launch.",
            )

    @property
    def updates(self) -> int:
        """Updates that were made, those before a resume included."""
        return int(self._trainer.state.global_step)

    def train(self, *, resume: bool) -> int:
        """Trains to the plan's end.

        Args:
            resume: whether to go on from the newest whole checkpoint.

        Returns:
            The update from which it went on; 0 for a beginning.

        Raises:
            UsageError: for a beginning in a folder with checkpoints, and where there is nothing to resume from.
            GivenValueError: when the checkpoint is of another run.
            StepError: when training failed; no step was made on the failure.
        """
        begun, folder = 0, None
        if resume:
            begun, folder = newest(self._output, condition=self._condition)
            if self._trainer.accelerator.is_main_process:
                self._run.cut(begun)
        elif self._output.exists() and any(self._output.iterdir()):
            raise UsageError(f"The run {self._run.run_id} has checkpoints.", "Resume it, or begin another.")
        with _quiet(), _named("Training failed"):
            self._trainer.train(resume_from_checkpoint=None if folder is None else str(folder))
        return begun

    def publish(self, folder: Path) -> None:
        """Writes the weights with configuration and tokenizer, at once or not at all, without any pickle.

        Raises:
            UsageError: when they cannot be written.
        """
        half = folder.with_name(f".{folder.name}.half")
        main = self._trainer.accelerator.is_main_process
        with _quiet(), _named("The weights cannot be written"):
            if main:
                shutil.rmtree(half, ignore_errors=True)
            self._trainer.accelerator.wait_for_everyone()
            self._trainer.model.config.use_cache = self._caches  # TRL turned it off to train
            self._trainer.save_model(str(half))  # every process has its part in a sharded save
            if main:
                (half / "training_args.bin").unlink(missing_ok=True)
                shutil.rmtree(folder, ignore_errors=True)
                half.rename(folder)
            self._trainer.accelerator.wait_for_everyone()


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Lets no foreign exception out."""
    try:
        yield
    except ConformedError:
        raise
    except Exception as problem:  # TRL, transformers and torch raise whatever they meet
        raise StepError(
            f"{what}: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}.", "Mend what it names."
        ) from problem


@contextmanager
def _quiet() -> Iterator[None]:
    """The libraries' bars and notes stay off standard error; their errors come as exceptions."""
    verbosity, bars, level = said.get_verbosity(), said.is_progress_bar_enabled(), logging.getLogger("trl").level
    said.set_verbosity_error()
    said.disable_progress_bar()
    logging.getLogger("trl").setLevel(logging.ERROR)
    try:
        yield
    finally:
        said.set_verbosity(verbosity)
        logging.getLogger("trl").setLevel(level)
        if bars:
            said.enable_progress_bar()
