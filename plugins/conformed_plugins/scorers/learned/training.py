"""Trainers of the learned scorers: labelled candidates in, weights and a diary out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed_plugins.scorers.learned.features import outcome_features, step_features
from conformed_plugins.scorers.learned.network import trained
from conformed_plugins.scorers.learned.weights import packed
from conformed_plugins.scorers.options import TrainerOptions

__all__ = ["OutcomeTrainer", "ProcessTrainer"]

Labelled = Iterator[tuple[tuple[int, ...], bool]]


class _Trainer:
    """What both trainers do.

    Args:
        options: how long and how fast.
    """

    kind = ""

    def __init__(self, options: TrainerOptions) -> None:
        self._options = options

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Trains and writes ``weights.safetensors``.

        Args:
            plan: ``examples`` (each with prompt, response, right, and steps of text and sound), ``seed`` and ``folder``, which
                must exist.

        Returns:
            The diary: kind, file, sha256, examples, right, seed, losses and versions. The same plan gives the same bytes.

        Raises:
            GivenValueError: when there is no labelled example of either kind.
        """
        pairs = list(self.labelled(plan["examples"]))
        labels = [label for _, label in pairs]
        if all(labels) or not any(labels):
            raise GivenValueError(f"Of {len(labels)} labelled examples all are alike.", "Give right ones and wrong ones.")
        how = self._options
        network, losses = trained(
            [features for features, _ in pairs], labels, seed=plan["seed"], epochs=how.epochs, batch=how.batch, rate=how.rate
        )
        data = packed(network, self.kind)
        file = Path(plan["folder"]) / "weights.safetensors"
        file.write_bytes(data)
        return {
            "kind": self.kind,
            "file": file.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "examples": len(labels),
            "right": sum(labels),
            "seed": plan["seed"],
            "settings": {"epochs": how.epochs, "batch": how.batch, "rate": repr(how.rate)},
            "losses": [f"{loss:.6f}" for loss in losses],
            "torch": str(torch.__version__),
        }

    def labelled(self, examples: Sequence[Mapping[str, Any]]) -> Labelled:
        """Features and label of each thing that this scorer judges."""
        raise NotImplementedError


class OutcomeTrainer(_Trainer):
    """Trains the outcome scorer on responses that are right or wrong."""

    kind = "outcome"

    def labelled(self, examples: Sequence[Mapping[str, Any]]) -> Labelled:
        """One a response."""
        for one in examples:
            yield outcome_features(one["prompt"], one["response"]), one["right"]


class ProcessTrainer(_Trainer):
    """Trains the process scorer on steps that are sound or not; steps that nobody judged are left out."""

    kind = "process"

    def labelled(self, examples: Sequence[Mapping[str, Any]]) -> Labelled:
        """One a step."""
        for one in examples:
            for step in one["steps"]:
                if step["sound"] is not None:
                    yield step_features(step["text"]), step["sound"]
