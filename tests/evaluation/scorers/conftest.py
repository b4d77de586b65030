"""A bank made by hand for the tests of scorers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformed.evaluation.scorers.bank import Bank, bank_of
from conformed.evaluation.scorers.card import ScorerCard

CARD: dict[str, Any] = {
    "scorer_id": "by-hand",
    "revision": "1.0.0",
    "family": "deterministic",
    "plugin": "recalculation",
    "version": "1.0.0",
    "training_data_revision": "none",
    "target_event": "answer_correct",
    "input_schema": ["answer"],
    "output_schema": "probability",
    "supported_slices": [],
    "failure_slices": [],
    "drift": {
        "most_changed": "1", "most_regressed": "1", "worse_p": "0", "most_review_change": "1", "most_length_correlation": "1",
    },
    "owner": "Model risk",
}  # fmt: skip


def line(item: str, sample: int, outcome: str, **changed: Any) -> dict[str, Any]:
    """A candidate as a line of a bank has it."""
    made = {
        "item": item,
        "sample": sample,
        "split": "test",
        "generator": "g 1",
        "prompt": f"What is {item}?",
        "response": f"<final>{sample}</final>",
        "answer": None if outcome == "review" else str(sample),
        "outcome": outcome,
    }
    return made | changed


@pytest.fixture
def make_bank() -> Callable[..., Bank]:
    """Makes a bank: for each item the outcomes of its samples."""

    def make(outcomes: dict[str, list[str]], **changed: Any) -> Bank:
        lines = [line(item, n, one, **changed) for item, all_ in outcomes.items() for n, one in enumerate(all_)]
        return bank_of("\n".join(json.dumps(one) for one in lines).encode(), name="bank.jsonl")

    return make


@pytest.fixture
def make_card() -> Callable[..., ScorerCard]:
    """Makes a card."""

    def make(**changed: Any) -> ScorerCard:
        return ScorerCard.model_validate(CARD | changed)

    return make


@pytest.fixture
def make_line() -> Callable[..., dict[str, Any]]:
    """Makes a line of a bank."""
    return line
