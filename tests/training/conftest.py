"""What the tests of training share: one thread."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

ABSENT = [one for one in ("torch", "transformers") if importlib.util.find_spec(one) is None]
if ABSENT:  # the extra `ml` is not installed: nothing here can be tried
    collect_ignore_glob = ["**/test_*.py"]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """The tests share the machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
