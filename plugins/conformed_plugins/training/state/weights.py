"""Weights out of a run: a folder that ``conformed models pin`` takes, of safetensors, plain configuration and the tokenizer's files."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from conformed_plugins.training.state.files import MANIFEST, publish

__all__ = ["save_weights"]


def save_weights(model: Any, tokenizer: Any | None, folder: Path) -> Path:
    """Writes a model. The folder is there whole or not at all.

    Args:
        model: a model of transformers.
        tokenizer: its tokenizer; None writes the model alone.
        folder: where; a folder that stands there is replaced.

    Returns:
        The folder.
    """
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        config = copy.deepcopy(model.config)
        config.architectures, config.dtype = [type(model).__name__], model.dtype
        config.save_pretrained(draft)
        model.generation_config.save_pretrained(draft)
        if tokenizer is not None:
            tokenizer.save_pretrained(draft)
        files = {one.name: one.read_bytes() for one in sorted(draft.iterdir()) if one.is_file()}
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    made = publish(folder, {**files, "model.safetensors": save(_once(model), metadata={"format": "pt"})})
    (made / MANIFEST).unlink()  # the mirror's manifest takes its place, and lists what lies there
    return made


def _once(model: Any) -> dict[str, torch.Tensor]:
    """A model's tensors by name, tied ones under the first of their names: the configuration says that they are tied."""
    found: dict[tuple[int, torch.Size], str] = {}
    tensors = model.state_dict()
    for name, one in tensors.items():
        found.setdefault((one.data_ptr(), one.shape), name)
    return {name: tensors[name].detach().cpu().contiguous() for name in found.values()}
