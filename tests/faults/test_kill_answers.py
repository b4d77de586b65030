"""`conformed answer` killed by SIGKILL at every place and resumed: the same answer, and nothing generated that the log has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("killing_answers.py")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need a system that can fork")


@pytest.fixture
def every(bank: Path, scripted: Callable[..., Path], tmp_path: Path) -> dict[str, dict[str, Any]]:
    """What came of one kill at every place."""
    scripted(six=["<final>41</final>", "<final>42</final>"])
    (tmp_path / "lives").mkdir()
    command = [sys.executable, str(SCRIPT), str(bank), str(tmp_path / "lives")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_an_answer_killed_anywhere_is_the_same_answer(every: dict[str, dict[str, Any]]) -> None:
    """Before and after each of six writes, and before and after the work of each of the five steps."""
    unharmed = every.pop("unharmed")
    assert (unharmed["record"]["answer"], unharmed["record"]["votes"], unharmed["generated"]) == ("42", 4, 1)
    assert len(every) == 2 * 6 + 2 * 5
    for place, one in every.items():
        assert one["valid"], place
        assert one["record"] == unharmed["record"], place
        assert (one["kills"], one["begun"], one["ended"]) == (1, 1, 1), place
        assert one["outcomes"] == unharmed["outcomes"] == ["route", "generate", "answer", "verify", "select"], place
        # What was cut off before its outcome was written is done again, and nothing else is.
        again = one["generated"] - 1
        assert again == (1 if place.split(" ", 1)[1] == "after generate" or _cut(place, every) else 0), place
        assert not (one["was_generated"] and again), place


def _cut(place: str, every: dict[str, dict[str, Any]]) -> bool:
    """Whether a place is the write of what was generated, before it was made."""
    names = [one.split(" ", 1)[1] for one in every]
    at = list(every).index(place)
    return names[at] == "before append" and names[at - 1] == "after generate"
