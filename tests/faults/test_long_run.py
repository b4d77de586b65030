"""A little of each part of the long run: nothing acknowledged is lost, no fork, no false alarm, nothing unnoticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).parent / "long" / "run.py"
LEAST = {
    "calls": {"a system call fails": 30, "SIGKILL at a call": 6},
    "disk": {"a file may not grow": 4, "disk full": 4},
    "effects": {"SIGKILL between a step's effect and its record": 20},
    "instants": {"SIGKILL at any instant": 5},
    "bits": dict.fromkeys(("a bit of", "the write-ahead log cut off"), 6),
    "clock": {"the clock set": 20},
    "writers": {"16 processes at once on SQLite": 80},
    "postgres": {"16 processes at once on PostgreSQL, the server": 1, "16 processes at once on PostgreSQL": 1},
    "parsers": {"parsers given anything": 3_000},
}
"""How often each kind of fault must really have been done, by the beginning of its name. A clerk may end before its instant comes."""


def rows(part: str) -> list[dict[str, Any]]:
    """What the command says of a part."""
    command = [sys.executable, "-W", "error", str(RUN), "--quick", "--seed", "1", "--only", part, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == any(row["lost"] or row["forks"] or row["alarms"] or row["unnoticed"] for row in found)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("part", LEAST)
def test_a_part_of_the_long_run_holds(part: str) -> None:
    """Each fault was really injected, as often as it should be, and all that must be 0 is 0."""
    found = rows(part)
    assert [word for row in found for word in row["words"]] == []
    for row in found:
        if not row["skipped"]:
            least = next(count for name, count in LEAST[part].items() if row["fault"].startswith(name))
            assert row["injected"] >= least, row["fault"]
    if skipped := [f"{row['fault']}: {row['skipped']}" for row in found if row["skipped"]]:
        pytest.skip("; ".join(skipped))
