"""What a run works on: the plan's objects, checked, and the revisions that name them in a checkpoint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers

from conformed.errors import GivenValueError
from conformed_plugins.training.advantage import CONVENTION
from conformed_plugins.training.grpo.codec import ChatCodec, Codec
from conformed_plugins.training.grpo.recorder import InMemory, Recorder
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.steps import StepCheck
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.reward import REWARD_VERSION

__all__ = ["Work", "revisions", "work_of"]


@dataclass(frozen=True, slots=True)
class Work:
    """A plan's objects."""

    model: Any
    """The policy before training, a causal language model of transformers. It is changed in place; what it is at first is the reference."""
    items: tuple[TrainingItem, ...]
    """What is trained on."""
    check: Check
    """Judges a response."""
    check_version: str
    """Name and version of the check, for the checkpoint."""
    codec: Codec
    """Text to tokens and back."""
    folder: Path
    """Where checkpoints and weights go."""
    tokenizer: Any | None = None
    """Written beside the weights; None writes the model alone."""
    held_out: Mapping[str, tuple[TrainingItem, ...]] = field(default_factory=dict)
    """Sets to be evaluated on, by name."""
    recorder: Recorder = field(default_factory=InMemory)
    """Where figures go."""
    steps: StepCheck | None = None
    """Judges the steps of a response, under process supervision."""
    tried: bool = True
    """Whether a checkpoint is tried in a fresh process before it counts."""


_NEEDED = ("model", "items", "check", "check_version", "folder")


def work_of(plan: Mapping[str, Any], settings: GrpoSettings) -> Work:
    """Takes a plan apart.

    Args:
        plan: ``model``, ``items``, ``check``, ``check_version``, ``folder``, and ``tokenizer`` or ``codec``; optionally ``system``,
            ``stop_ids``, ``held_out``, ``recorder``, ``steps`` (under process supervision) and ``tried``.
        settings: the run's.

    Raises:
        GivenValueError: for a plan that lacks something, an unknown key, or no item.
        PluginError: when the tokenizer has no chat template.
    """
    known = {*_NEEDED, "tokenizer", "codec", "system", "stop_ids", "held_out", "recorder", "steps", "tried"}
    if lacking := [name for name in _NEEDED if name not in plan]:
        raise GivenValueError(f"The plan lacks {', '.join(lacking)}.", "Give it.")
    if odd := sorted(plan.keys() - known):
        raise GivenValueError(f"The plan has {odd[0]!r}.", f"It may have {', '.join(sorted(known))}.")
    if plan.get("codec") is None and plan.get("tokenizer") is None:
        raise GivenValueError("The plan has neither tokenizer nor codec.", "Give the tokenizer of the model.")
    items, held_out = tuple(plan["items"]), {name: tuple(some) for name, some in (plan.get("held_out") or {}).items()}
    if not items or not all(held_out.values()):
        raise GivenValueError("There is no item to train on, or a held-out set is empty.", "Give at least one.")
    if settings.best_split is not None and settings.best_split not in held_out:
        raise GivenValueError(f"best_split is {settings.best_split!r}, and no held-out set is called so.", "Name one, or none.")
    if (plan.get("steps") is not None) != (settings.supervision == "process"):
        raise GivenValueError(f"Supervision is {settings.supervision}.", "Give a check of steps with process, and only with it.")
    model, tokenizer = plan["model"], plan.get("tokenizer")
    if model.device.type != "cpu":
        raise GivenValueError(f"The model is on {model.device}.", "This trainer is for the CPU; `trl` is for accelerators.")
    codec = plan.get("codec") or ChatCodec(tokenizer, plan.get("stop_ids") or _ends(model, tokenizer), plan.get("system"))
    recorder = InMemory() if plan.get("recorder") is None else plan["recorder"]
    return Work(
        model, items, plan["check"], str(plan["check_version"]), codec, Path(plan["folder"]), tokenizer, held_out, recorder,
        plan.get("steps"), plan.get("tried", True),
    )  # fmt: skip


def revisions(work: Work, settings: GrpoSettings, reference: str) -> dict[str, Any]:
    """Names of everything that a resumed run must find as it was.

    Args:
        work: the plan's objects.
        settings: the run's.
        reference: digest of the weights before training.
    """
    return {
        "reference": reference,
        "model": type(work.model).__name__,
        "codec": work.codec.digest,
        "check": work.check_version,
        "reward": REWARD_VERSION,
        "advantage": CONVENTION,
        "data": _data(work.items),
        "settings": settings.digest,
        "behaviour": "the model's softmax at temperature 1, top-p 1; one Philox uniform by (seed, generation/place/item, sample, token)",
        "libraries": {"torch": str(torch.__version__), "transformers": str(transformers.__version__)},
        "curriculum": None,
    }


def _data(items: Sequence[TrainingItem]) -> str:
    lines = "\n".join(json.dumps([one.id, one.prompt, one.answer], ensure_ascii=False) for one in items)
    return hashlib.sha256(lines.encode()).hexdigest()


def _ends(model: Any, tokenizer: Any) -> list[int]:
    """Tokens that end: those that the model was published to stop at, and the tokenizer's."""
    given = (model.generation_config.eos_token_id, model.config.eos_token_id, tokenizer.eos_token_id)
    found = {int(each) for one in given if one is not None for each in (one if isinstance(one, list | tuple) else [one])}
    if not found:
        raise GivenValueError("The model has no token that ends a response.", "Give stop_ids.")
    return sorted(found)
