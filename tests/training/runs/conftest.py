"""A plan, a clock that only tests move, and a run of made figures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformed_plugins.training.runs.folder import RunFolder

PLAN: dict[str, Any] = {
    "objective": "0.60 exact on unseen wordings.",
    "hypothesis": "Rewards teach wordings that supervised training never saw.",
    "method": "grpo",
    "cap_updates": 40,
    "cap_seconds": 600,
    "stop_rules": ["token_entropy below 0.01 for 3 updates", "Held-out accuracy has not risen for five evaluations."],
    "checkpoint_rule": "The best on unseen wordings among those that pass the gates.",
    "seed": 7,
    "data_digest": "ab" * 32,
    "settings": {"beta": 0.04, "group": 8, "optimiser": {"name": "adamw", "rate": 5e-05}},
}


class Clock:
    """Goes on by a minute whenever it is asked."""

    def __init__(self) -> None:
        self.at = dt.datetime(2026, 1, 31, 23, 58, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        self.at += dt.timedelta(minutes=1)
        return self.at


def known() -> Mapping[str, Mapping[str, str]]:
    """The same machine everywhere."""
    return {"hardware": {"cores": "2"}, "versions": {"python": "3.11.0"}}


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., RunFolder]:
    """Begins a run with the plan above, some of it changed."""

    def make(run_id: str = "first", root: Path | None = None, facts: Any = None, **changed: Any) -> RunFolder:
        return RunFolder.begin(root or tmp_path, {**PLAN, **changed}, now=Clock(), run_id=run_id, environment=known, facts=facts)

    return make


@pytest.fixture
def plan() -> dict[str, Any]:
    """A whole plan as plain data."""
    return dict(PLAN)
