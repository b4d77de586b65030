"""All logs of these tests have one origin, and so would share what is kept outside of them: each test has a folder of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shared_bank import closed, house

__all__ = ["closed", "house"]


@pytest.fixture(autouse=True)
def state_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signing keys and checkpoints of one test are not another's."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
