"""The nursery: a process from which runs are forked, so that each can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))


@pytest.fixture(scope="session")
def run_apart() -> Iterator[Callable[..., dict[str, Any]]]:
    """Runs a training in a process of its own."""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork on this system")
    nursery = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(SUPPORT / "nursery.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert nursery.stdin is not None
    assert nursery.stdout is not None

    def run(folder: Path, **asked: Any) -> dict[str, Any]:
        print(json.dumps({"folder": str(folder), **asked}), file=nursery.stdin, flush=True)
        answer: dict[str, Any] = json.loads(nursery.stdout.readline())
        return answer

    yield run
    nursery.stdin.close()
    nursery.wait(timeout=10)
    nursery.stdout.close()
