"""A run small enough to be killed forty times: a model of two thousand parameters, one character a token, and a check of one letter."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

from conformed.model.answer import Outcome
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.items import Checked, Split, Task, TrainingItem

LETTERS = "abcdefghij0123456789 .?"
END = len(LETTERS)
VOCABULARY = 24
PRIZE = "a"


class Letters:
    """One character a token; the last token ends."""

    stop_ids = frozenset({END})
    digest = hashlib.sha256(LETTERS.encode()).hexdigest()

    def prompt(self, text: str) -> tuple[int, ...]:
        """Tokens of a text."""
        return tuple(LETTERS.index(one) for one in text)

    def text(self, tokens: Sequence[int]) -> str:
        """Text of tokens."""
        return "".join(LETTERS[one] for one in tokens if one != END)


def model_of(kind: str = "qwen", seed: int = 5, **sizes: Any) -> Any:
    """A model whose tokens differ in probability."""
    torch.manual_seed(seed)
    wanted = {
        "num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8,
        "intermediate_size": 24, "vocab_size": VOCABULARY, "max_position_embeddings": 64, "tie_word_embeddings": kind == "qwen",
    }  # fmt: skip
    config, made = {"qwen": (Qwen3Config, Qwen3ForCausalLM), "llama": (LlamaConfig, LlamaForCausalLM)}[kind]
    found = made(config(**{**wanted, **sizes}, bos_token_id=None, eos_token_id=END, pad_token_id=None)).eval()
    with torch.no_grad():
        for name, one in found.named_parameters():
            one.mul_(1 + torch.rand_like(one) / 4) if "norm" in name else one.mul_(8)
    return found


def items_of(count: int = 6) -> tuple[TrainingItem, ...]:
    """Questions of different lengths."""
    return tuple(
        TrainingItem(
            f"item-{number}", Task.FIELDS, Split.GRPO, f"template-{number % 2}", f"{number}{'bcd' * (number % 3)}?", PRIZE
        )
        for number in range(count)
    )


def check(item: TrainingItem, text: str) -> Checked:
    """Right when the prize is in the text; of the asked form when it is short."""
    right = item.answer in text
    return Checked(
        Outcome.CORRECT if right else Outcome.INCORRECT, len(text) < 5, "right" if right else "wrong", {"prize": right}
    )


def settings_of(**changed: Any) -> GrpoSettings:
    """Settings of a short run."""
    wanted: dict[str, Any] = {
        "updates": 4, "prompts": 2, "group": 4, "max_new_tokens": 6, "learning_rate": 0.01, "evaluate_every": 0, "save_every": 1,
    }  # fmt: skip
    return GrpoSettings(**{**wanted, **changed})


def plan_of(folder: Path, **changed: Any) -> dict[str, Any]:
    """A plan with a model of its own."""
    wanted: dict[str, Any] = {
        "model": None, "codec": Letters(), "items": items_of(), "check": check, "check_version": "letters 1", "folder": folder,
        "tried": False,
    }  # fmt: skip
    plan = {**wanted, **changed}
    return {**plan, "model": model_of() if plan["model"] is None else plan["model"]}
