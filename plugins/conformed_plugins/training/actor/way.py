"""What stands on the way to a policy: settings, data, tokenizer, network, time."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from conformed_plugins.training.actor.model import make_model
from conformed_plugins.training.actor.settings import PolicySettings
from conformed_plugins.training.actor.tokenizer import make_tokenizer
from conformed_plugins.training.grpo.codec import ChatCodec
from conformed_plugins.training.items import Split, TrainingItem
from conformed_plugins.training.synth.dataset import DataSet, make

__all__ = ["Way", "prepared", "put"]

RETAINED = "kind:retention"
"""Tag of items of the retention set's wordings."""
_ANSWERS_AT_MOST = 24
"""Tokens that an answer may have beyond the longest right one."""


@dataclass
class Way:
    """What stands on the way."""

    folder: Path
    """Where everything goes."""
    settings: PolicySettings
    """How."""
    data: DataSet
    """Every split but the final one."""
    tokenizer: Any
    """Learned of the text of supervised training."""
    codec: ChatCodec
    """Text to tokens and back, as the backend does it."""
    model: Any
    """The policy, trained in place."""
    most_tokens: int
    """Most tokens of an answer."""
    clock: Callable[[], float]
    """Seconds."""
    now: Callable[[], dt.datetime]
    """The time of day, for the diaries."""
    begun: float
    """What the clock said at the beginning."""
    write: Callable[[str], None]
    """Takes one line of progress."""

    @property
    def left(self) -> float:
        """Seconds until the minutes are over."""
        return max(0.0, self.settings.minutes * 60 - (self.clock() - self.begun))

    @cached_property
    def learned(self) -> tuple[TrainingItem, ...]:
        """Items of supervised training, in the data set's order: all of the retention set's wordings, and of the rest as many as their share leaves."""
        items = self.data.items(Split.SFT)
        kept = sum(RETAINED in item.tags for item in items)
        others = round(kept * (1 - self.settings.retention_share) / self.settings.retention_share)
        numbers = accumulate(RETAINED not in item.tags for item in items)
        return tuple(item for item, number in zip(items, numbers, strict=True) if RETAINED in item.tags or number <= others)

    def old(self, count: int) -> tuple[TrainingItem, ...]:
        """Some of these items, from all over them: what rewards must not cost."""
        return self.learned[:: max(1, len(self.learned) // count)][:count]

    def choosing(self, split: Split) -> tuple[TrainingItem, ...]:
        """Items of a split by which checkpoints are chosen."""
        return self.data.items(split)[: self.settings.choosing]

    def reported(self, split: Split) -> tuple[TrainingItem, ...]:
        """Items of a split that only the report looks at."""
        held = self.settings.choosing if split in (Split.KNOWN, Split.GRPO_KNOWN, Split.RETENTION) else 0
        return self.data.items(split)[held:]


def prepared(
    folder: Path,
    settings: PolicySettings,
    clock: Callable[[], float],
    now: Callable[[], dt.datetime],
    begun: float,
    write: Callable[[str], None],
) -> Way:
    """Makes data, tokenizer and network, and writes the card of the data.

    Args:
        folder: where everything goes.
        settings: how.
        clock: seconds.
        now: the time of day, for the diaries.
        begun: what the clock said at the beginning.
        write: takes one line of progress at a time.
    """
    data = make(settings.seed, settings.counts, settings.tasks)
    put(folder / "data-card.json", json.dumps(data.card, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    items = data.items(Split.SFT)
    tokenizer = make_tokenizer(
        (text for item in items[: settings.tokenizer_items] for text in (item.prompt, item.answer)), settings.symbols
    )
    codec = ChatCodec(tokenizer, [tokenizer.eos_token_id])
    longest = max(map(len, tokenizer([item.answer for item in items], add_special_tokens=False)["input_ids"]))
    model = make_model(tokenizer, settings.size, seed=settings.seed)
    write(f"{len(items)} items, {len(tokenizer)} tokens, {sum(one.numel() for one in model.parameters())} parameters.")
    return Way(folder, settings, data, tokenizer, codec, model, longest + _ANSWERS_AT_MOST, clock, now, begun, write)


def put(file: Path, text: str) -> None:
    """Writes a text, the same bytes on every system."""
    file.write_bytes(text.encode())
