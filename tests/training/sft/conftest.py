"""A small tokenizer and items of invented clauses, made once; networks of some thousand parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from conformed_plugins.training.items import Split, Task, TrainingItem

if TYPE_CHECKING:
    from conformed_plugins.training.grpo.codec import ChatCodec
    from conformed_plugins.training.sft.batches import Example


@pytest.fixture(scope="session")
def items() -> tuple[TrainingItem, ...]:
    """Items of the task fields."""
    from conformed_plugins.training.synth.dataset import make

    return make(3, {Split.SFT: 400}, (Task.FIELDS,)).items(Split.SFT)


@pytest.fixture(scope="session")
def tokenizer(items: tuple[TrainingItem, ...]) -> Any:
    """Of 340 symbols."""
    from conformed_plugins.training.actor.tokenizer import make_tokenizer

    return make_tokenizer((text for item in items for text in (item.prompt, item.answer)), 340)


@pytest.fixture(scope="session")
def codec(tokenizer: Any) -> ChatCodec:
    """As the backend does it."""
    from conformed_plugins.training.grpo.codec import ChatCodec

    return ChatCodec(tokenizer, [tokenizer.eos_token_id])


@pytest.fixture(scope="session")
def examples(items: tuple[TrainingItem, ...], tokenizer: Any, codec: ChatCodec) -> tuple[Example, ...]:
    """The first 64 items as tokens."""
    from conformed_plugins.training.sft.batches import examples_of

    ids = tokenizer([item.answer for item in items[:64]], add_special_tokens=False)["input_ids"]
    return examples_of(items[:64], codec, [tuple(one) for one in ids], tokenizer.eos_token_id)


@pytest.fixture
def network(tokenizer: Any) -> Callable[..., Any]:
    """Makes a network of about 30,000 parameters from a seed."""
    from conformed_plugins.training.actor.model import make_model
    from conformed_plugins.training.actor.size import ModelSize

    size = ModelSize(layers=2, hidden=32, heads=2, kv_heads=1, head_dim=16, intermediate=64)
    return lambda seed=0: make_model(tokenizer, size, seed=seed)
