"""What the tests of scorers share: one thread for torch, and right answers that lie beside the checkout, where they do."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Torch works on one thread here: its results must not depend on how many there are, nor its time."""
    if importlib.util.find_spec("torch") is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[dict[str, Any]]]:
    """Loads a file of right answers by name, or skips."""

    def load(name: str) -> list[dict[str, Any]]:
        file = ROOT.parent / "shared" / "vectors" / f"{name}.json"
        if not file.is_file():
            pytest.skip(f"{name}.json does not lie beside the checkout")
        loaded: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        assert loaded
        return loaded

    return load


@pytest.fixture(scope="session")
def bank_maker() -> ModuleType:
    """casefiles/short-answers/bank_make.py."""
    file = ROOT / "casefiles" / "short-answers" / "bank_make.py"
    spec = importlib.util.spec_from_file_location("bank_make", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bank_make"] = module
    spec.loader.exec_module(module)
    return module
