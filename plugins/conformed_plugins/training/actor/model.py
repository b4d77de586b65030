"""The policy's network: a Qwen3 in miniature, so that every part that runs the large one runs it too."""

from __future__ import annotations

from typing import Any

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from conformed_plugins.training.actor.size import ModelSize

__all__ = ["make_model"]


def make_model(tokenizer: Any, size: ModelSize, *, seed: int) -> Any:
    """A model with weights drawn from a seed, in float32, embedding and output tied, in evaluation mode: it has no dropout.

    Args:
        tokenizer: gives the number of rows of the embedding, the end and the padding.
        size: its sizes.
        seed: of the weights. The state of torch's own generator is left as it was.
    """
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=size.hidden,
        intermediate_size=size.intermediate,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
        head_dim=size.head_dim,
        max_position_embeddings=size.context,
        tie_word_embeddings=True,
        attention_dropout=0.0,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return model.eval()
