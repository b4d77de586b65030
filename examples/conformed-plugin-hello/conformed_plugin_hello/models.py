# ruff: noqa: ARG001, ARG002 - the ports and the loader fix the signatures
"""The shapes of model parts, without a model: a backend, a scorer, a trainer."""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from conformed.hooks import NoOptions
from conformed.ports import Completion

__all__ = ["Brevity", "DryRun", "Echo", "make_backend", "make_scorer", "make_trainer"]


class Echo:
    """Gives the last line of a prompt back. Tokens are code points, each certain (log probability zero)."""

    repeatable = True

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """The same completion ``samples`` times for each prompt; the seed changes nothing."""
        return tuple((self._one(prompt),) * samples for prompt in prompts)

    def _one(self, prompt: str) -> Completion:
        text = prompt.rsplit("\n", 1)[-1]
        certain = (0.0,) * len(text)
        producer = hashlib.sha256(b"echo 1.0.0").hexdigest()
        return Completion(text, tuple(map(ord, text)), certain, certain, "eos", producer)


class Brevity:
    """One over one more than the number of words: an exact number, never a binary float."""

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[Fraction, ...]:
        """One score an item, of its ``text``."""
        return tuple(Fraction(1, 1 + len(str(item.get("text", "")).split())) for item in items)


class DryRun:
    """Goes through a plan."""

    def train(self, plan: dict[str, Any]) -> dict[str, Any]:
        """The diary: how many items each step would have used."""
        items, batch = len(plan.get("items", ())), max(1, int(plan.get("batch", 1)))
        return {"steps": [min(batch, items - start) for start in range(0, items, batch)], "trained": False}


def make_backend(options: NoOptions) -> Echo:
    """The factory of the backend."""
    return Echo()


def make_scorer(options: NoOptions) -> Brevity:
    """The factory of the scorer."""
    return Brevity()


def make_trainer(options: NoOptions) -> DryRun:
    """The factory of the trainer."""
    return DryRun()
