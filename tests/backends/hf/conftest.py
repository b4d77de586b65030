"""The small model, made once, and copies of it that a test may spoil."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

if TYPE_CHECKING:
    from small_qwen import Pinned

ABSENT = [one for one in ("torch", "transformers") if importlib.util.find_spec(one) is None]
if ABSENT:  # the extra `ml` is not installed: nothing here can be tried
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The tests share the machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Pinned:
    """The small model, pinned. Never changed by a test."""
    from small_qwen import make_model, pin

    folder = tmp_path_factory.mktemp("mirror") / "small"
    make_model(folder)
    return pin(folder)


@pytest.fixture
def copied(small: Pinned, tmp_path: Path) -> Callable[[], Path]:
    """Makes a copy of the small model's folder that a test may spoil."""

    def make() -> Path:
        folder = tmp_path / "small"
        shutil.copytree(small.folder, folder)
        return folder

    return make
