"""Supervised training behind the hook for trainers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conformed.errors import GivenValueError, UsageError
from conformed_plugins.training.grpo.codec import ChatCodec
from conformed_plugins.training.sft.batches import Example, examples_of
from conformed_plugins.training.sft.settings import SftSettings
from conformed_plugins.training.sft.trainer import SftTrainer
from conformed_plugins.training.state.checkpoint import checkpoints
from conformed_plugins.training.state.tensors import weights_digest
from conformed_plugins.training.state.weights import save_weights

__all__ = ["SupervisedTrainer", "examples_for"]

_NEEDED = ("model", "tokenizer", "items", "sample", "check", "folder")


class SupervisedTrainer:
    """The trainer ``sft``: right answers, until the criterion is met.

    Args:
        settings: how to train.
        clock: seconds, only ever more; given by tests.
    """

    kind = "sft"

    def __init__(self, settings: SftSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings, self._clock = settings, clock

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Begins a run and takes it to its end.

        Args:
            plan: ``model`` (a causal language model of transformers, trained in place), its ``tokenizer``, ``items`` with their right
                answers, ``sample`` (other items, on which the criterion is measured), ``check``, ``folder``; optionally ``recorder``.

        Returns:
            The diary, plain JSON: ``ended``, ``reached``, ``updates``, ``epochs``, ``seconds``, ``history``, ``last`` weights.

        Raises:
            UsageError: when the folder holds a run.
            GivenValueError: for a plan that lacks something, and as ``SftTrainer``.
            StepError: as ``SftTrainer.run``.
        """
        return self._go(plan, again=False)

    def resume(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Takes up a run from its last whole checkpoint. On a CPU no bit differs from a run that never stopped.

        Args:
            plan: as it was begun with.

        Raises:
            UsageError: when there is no checkpoint that is whole.
            GivenValueError: when it is of another run, and as ``train``.
        """
        return self._go(plan, again=True)

    def _go(self, plan: Mapping[str, Any], *, again: bool) -> dict[str, Any]:
        if lacking := [name for name in _NEEDED if plan.get(name) is None]:
            raise GivenValueError(f"The plan lacks {', '.join(lacking)}.", "Give it.")
        if odd := sorted(plan.keys() - {*_NEEDED, "recorder"}):
            raise GivenValueError(f"The plan has {odd[0]!r}.", f"It may have {', '.join((*_NEEDED, 'recorder'))}.")
        model, tokenizer, folder = plan["model"], plan["tokenizer"], Path(plan["folder"])
        if not again and checkpoints(folder / "checkpoints"):
            raise UsageError("The folder holds a run already.", "Resume it, or give another folder.")
        recorder = plan.get("recorder")
        codec, examples = examples_for(tokenizer, plan["items"])
        trainer = SftTrainer(
            model,
            codec,
            examples,
            plan["sample"],
            plan["check"],
            self.settings,
            pad_id=tokenizer.pad_token_id,
            tokenizer=tokenizer,
            record=None if recorder is None else recorder.record,
            checkpoints=folder / "checkpoints",
            clock=self._clock,
        )
        if again:
            if not trainer.resume():
                raise UsageError("There is no checkpoint that is whole.", "Begin the run again.")
            if recorder is not None:
                recorder.cut(trainer.counters.update)
        found = trainer.run()
        last = save_weights(model, tokenizer, folder / "last")
        return {
            "kind": self.kind,
            "ended": found.ended,
            "reached": found.reached,
            "updates": found.updates,
            "epochs": found.epochs,
            "seconds": found.seconds,
            "cpu_seconds": found.cpu_seconds,
            "history": [list(one) for one in found.history],
            "last": {"folder": last.name, "weights": weights_digest(model)},
            "settings": self.settings.model_dump(mode="json"),
        }


def examples_for(tokenizer: Any, items: Any) -> tuple[ChatCodec, tuple[Example, ...]]:
    """Items as tokens, and the codec that made their prompts.

    Args:
        tokenizer: with template and end.
        items: questions with their right answers.
    """
    end = tokenizer.eos_token_id
    codec = ChatCodec(tokenizer, [end])
    answers = tokenizer([item.answer for item in items], add_special_tokens=False)["input_ids"]
    return codec, examples_of(items, codec, [tuple(one) for one in answers], end)
