"""What tests of the evaluation share: right answers that lie beside the checkout, where they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[dict[str, Any]]]:
    """Loads a file of right answers by name, or skips."""

    def load(name: str) -> list[dict[str, Any]]:
        file = VECTORS / f"{name}.json"
        if not file.is_file():
            pytest.skip(f"{name}.json does not lie beside the checkout")
        loaded = json.loads(file.read_text(encoding="utf-8"))
        assert isinstance(loaded, list)
        assert loaded
        return loaded

    return load
