"""One row at a time through the model's own forward pass and cache: for architectures whose weights are not packed."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from transformers import DynamicCache

from conformed_plugins.backends.decoder.rows import Rows

__all__ = ["decode_single"]


def decode_single(model: Any, state: Rows) -> None:
    """Decodes each open row to its end.

    Args:
        model: a causal language model of transformers.
        state: the rows.
    """
    # transformers 5.24 renamed the argument, and warns of the old name.
    name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
    with torch.inference_mode():
        for row in state.open():
            tokens, past = torch.tensor([state.prompts[row]], device=model.device), DynamicCache(config=model.config)
            while state.finished[row] is None:
                logits = model(tokens, use_cache=True, logits_to_keep=1, **{name: past}).logits[:, -1]
                tokens = state.choose(logits, [row])[:, None]
