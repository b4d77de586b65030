"""Checks that answer, raise and send to review, and weights read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformed.model.answer import Outcome
from conformed_plugins.training.items import Checked, TrainingItem


def by_length(item: TrainingItem, response: str) -> Checked:
    """A check that tells responses apart: right where the text has an even number of characters."""
    right = len(response) % 2 == 0
    return Checked(Outcome.CORRECT if right else Outcome.INCORRECT, response[:1].isalpha(), "even" if right else "odd")


def raising(item: TrainingItem, response: str) -> Checked:
    """A check that is out of order."""
    raise TimeoutError("the check's service does not answer")


def reviewing(item: TrainingItem, response: str) -> Checked:
    """A check that can tell nothing."""
    return Checked(Outcome.REVIEW, format_ok=True, code="parse")


def weights_of(folder: Path) -> dict[str, Any]:
    """The weights of a folder."""
    from safetensors.torch import load_file

    return dict(load_file(folder / "model.safetensors"))
