"""What the tests of training's arithmetic share: one thread for torch, batches by hand, and right answers where they lie."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Torch works on one thread here: its results must not depend on how many there are, nor its time."""
    torch = pytest.importorskip("torch", reason="needs the extra ml")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[dict[str, Any]]]:
    """Loads a file of right answers by name, or skips."""

    def load(name: str) -> list[dict[str, Any]]:
        file = Path(__file__).parents[4] / "shared" / "vectors" / f"{name}.json"
        if not file.is_file():
            pytest.skip(f"{name}.json does not lie beside the checkout")
        loaded: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        assert loaded
        return loaded

    return load
