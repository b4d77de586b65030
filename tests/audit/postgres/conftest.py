"""All logs of these tests have one origin, and so would share what is kept outside of them: each test has a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def state_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signing keys and checkpoints of one test are not another's."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
