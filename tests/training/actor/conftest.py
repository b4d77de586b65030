"""Items of every wording, and the tokenizer that a policy gets of them."""

from __future__ import annotations

from typing import Any

import pytest

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.dataset import DataSet, make

EVERY = {
    Split.SFT: 1_200, Split.KNOWN: 60, Split.VALUES: 240, Split.GRPO: 160, Split.GRPO_KNOWN: 60, Split.UNSEEN: 160, Split.CHALLENGE: 60,
    Split.RETENTION: 30, Split.FINAL: 160,
}  # fmt: skip


@pytest.fixture(scope="session")
def data() -> DataSet:
    """Enough items that every wording of the task comes."""
    return make(5, EVERY, (Task.FIELDS,))


@pytest.fixture(scope="session")
def every(data: DataSet) -> tuple[TrainingItem, ...]:
    """All of them."""
    return tuple(item for split in EVERY for item in data.items(split))


@pytest.fixture(scope="session")
def tokenizer(data: DataSet) -> Any:
    """Learned of supervised training's text alone."""
    from conformed_plugins.training.actor.tokenizer import make_tokenizer

    return make_tokenizer((text for item in data.items(Split.SFT) for text in (item.prompt, item.answer)), 480)
