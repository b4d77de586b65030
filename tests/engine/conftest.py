"""What the tests of the engine share: an empty log and a bakery."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

import engine_toy

from conformed_audit import AuditLog


@pytest.fixture
def log(tmp_path: Path) -> Iterator[AuditLog]:
    """An empty log."""
    with engine_toy.open_log(tmp_path / "log.db") as opened:
        yield opened


@pytest.fixture
def bakery(tmp_path: Path) -> engine_toy.Bakery:
    """A bakery with an empty oven."""
    return engine_toy.Bakery(tmp_path)
