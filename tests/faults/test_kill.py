"""Kills by SIGKILL: at every boundary of a step, inside every step, and at random until a run has come through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("killing.py")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need a system that can fork")


def script(*arguments: str, **environment: str) -> str:
    """Output of the killing script."""
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What came of one kill at every place of both contracts."""
    found: dict[str, dict[str, Any]] = json.loads(script("every", str(tmp_path_factory.mktemp("every"))))
    return found


def of(found: dict[str, dict[str, Any]], which: str) -> dict[str, dict[str, Any]]:
    """Runs of one contract that were struck."""
    return {place: one for place, one in found.items() if place.startswith(which) and "unharmed" not in place}


@pytest.mark.slow
def test_a_covenant_run_killed_anywhere_ends_in_the_same_decision(every: dict[str, dict[str, Any]]) -> None:
    """Before and after each write of the log, and before and after the work of each of the seven steps."""
    unharmed, struck = every["covenant: unharmed"], of(every, "covenant")
    assert len(struck) == 2 * 8 + 2 * 7
    assert unharmed["record"]["result"] == "pass"
    for place, one in struck.items():
        assert one["kills"] == 1, place
        assert one["record"] == unharmed["record"], place


@pytest.mark.slow
def test_nothing_is_lost_or_done_twice(every: dict[str, dict[str, Any]]) -> None:
    """One beginning, one outcome a step, one end, at most one effect; and the log verifies."""
    for place, one in every.items():
        assert one["valid"], place
        assert (one["begun"], one["ended"], one["unfinished"]) == (1, 1, 0), place
        assert len(one["outcomes"]) == len(set(one["outcomes"])), place
        assert one["baked"] <= 1, place


@pytest.mark.slow
def test_an_effect_is_never_repeated_and_never_supposed(every: dict[str, dict[str, Any]]) -> None:
    """Killed after the effect: the receiver confirms it by key. Killed before: it cannot tell, and a person is asked."""
    for place, one in of(every, "toy").items():
        before = place in {"toy: 10 after append", "toy: 11 before bake"}
        assert one["baked"] == (0 if before else 1), place
        assert one["record"]["failures"] == (["bake:review_step_failed"] if before else []), place
        asked_again = "order" in place or place in {"toy: 2 after append", "toy: 5 before append"}
        assert one["unknown"] == (1 if before or asked_again else 0), place


@pytest.mark.slow
def test_runs_killed_again_and_again_come_through(tmp_path: Path) -> None:
    """At random places, as often as chance will, resumes included: no duplicate, no loss, a valid log. 200 in the long run."""
    found = json.loads(script("random", str(tmp_path), "4"))
    assert sum(one["kills"] for one in found.values()) >= 20
    for place, one in found.items():
        assert one["valid"], place
        assert (one["begun"], one["ended"], one["unfinished"]) == (1, 1, 0), place
        assert len(one["outcomes"]) == len(set(one["outcomes"])), place
        assert one["baked"] == one["keys"] <= 1, place
        if place.startswith("covenant"):
            # Cut off five times at intake it is a person's turn; otherwise the decision is the one of an unharmed run.
            cut = one["unknown"] >= 5
            assert one["record"]["result"] == ("review" if cut else "pass"), place
        elif one["record"]["baked"]:
            assert one["baked"] == 1, place


def test_two_processes_with_other_hash_seeds_give_the_same_bytes(tmp_path: Path) -> None:
    """The same inputs give the same decision, byte for byte, whatever order sets and dicts would have."""
    first = script("once", str(tmp_path / "one"), PYTHONHASHSEED="1")
    second = script("once", str(tmp_path / "two"), PYTHONHASHSEED="4242")
    assert first == second
    assert json.loads(first)["result"] == "pass"
