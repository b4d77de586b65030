"""A workspace with people, small weights in a mirror folder, and reports of their evaluation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from weights_house import WeightsHouse


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WeightsHouse:
    """A workspace of one test's own, with a state of its own."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    return WeightsHouse(tmp_path / "bank")
