"""A real ``conformed run`` is killed with SIGKILL, and ``--resume`` ends in the same decision."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.entry import run_command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX")

KILLED = """
import os, signal, sys
from conformed.cli.entry import run_command_line
from conformed.cli.progress import Reporter
from conformed_audit import AuditLog

moment, writes = sys.argv.pop(1), 0
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
tell, append = Reporter.__call__, AuditLog.append

def told(self, step, done=0, total=0):
    if step == moment:
        die()
    return tell(self, step, done, total)

def appended(self, drafts, *, blobs=()):
    global writes
    writes += 1
    if moment == f"before write {writes}":
        die()
    records = append(self, drafts, blobs=blobs)
    if moment == f"after write {writes}":
        die()
    return records

Reporter.__call__, AuditLog.append = told, appended
raise SystemExit(run_command_line(sys.argv[1:]))
"""


def conformed(bank: Path, *words: str, moment: str = "never") -> subprocess.CompletedProcess[str]:
    """One command in a process of its own, which kills itself at a moment."""
    line = [sys.executable, "-c", KILLED, moment, *words, "--workspace", str(bank)]
    kept = {"CONFORMED_STATE"}  # keys of the tests' own
    environment = {name: value for name, value in os.environ.items() if name in kept or not name.startswith("CONFORMED_")}
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, env=environment)


def here(capsys: pytest.CaptureFixture[str], bank: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """One command in this process, which is quicker."""
    code = run_command_line([*words, "--workspace", str(bank)])
    said = capsys.readouterr()
    return subprocess.CompletedProcess(words, code, said.out, said.err)


def decided(said: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The decision that a command printed, without the run's own name; how many records its checkpoint covers is no part of it."""
    assert said.returncode == 0, said.stderr
    run = json.loads(said.stdout)["run"]
    found: dict[str, Any] = json.loads(said.stdout.replace(run, "RUN"))
    found.pop("publication")
    return found


MOMENTS = [
    "read certificate.txt", "retrieve", "precedence", "claim_check", "draft",
    "after write 1", "before write 3", "after write 5", "before write 8",
]  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_taken_up(
    moment: str, fenwick: Path, bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed at a step's beginning, while it reads, or around a write: resumed, it decides the same and the log holds."""
    killed = conformed(bank, "run", str(fenwick), "--json", moment=moment)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert killed.stdout == ""
    resumed = decided(here(capsys, bank, "run", str(fenwick), "--json", "--resume"))
    other = tmp_path / "other"
    shutil.copytree(bank / "policies", other / "policies")
    assert resumed == decided(here(capsys, other, "run", str(fenwick), "--json"))
    verified = here(capsys, bank, "log", "verify")
    assert verified.returncode == 0, verified.stdout
    done = here(capsys, bank, "run", str(fenwick), "--resume")
    assert (done.returncode, "No unfinished run" in done.stderr) == (2, True)


def test_killed_before_the_first_write_nothing_is_there(fenwick: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to resume, and a new run is not hindered."""
    assert conformed(bank, "run", str(fenwick), moment="before write 1").returncode == -signal.SIGKILL
    done = here(capsys, bank, "run", str(fenwick), "--resume")
    assert (done.returncode, "Run it without --resume" in done.stderr) == (2, True)
    assert here(capsys, bank, "run", str(fenwick)).returncode == 0


def test_killed_again_and_again(fenwick: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that is killed at every one of its steps in turn still ends, once."""
    first = conformed(bank, "run", str(fenwick), moment="intake")
    assert first.returncode == -signal.SIGKILL
    for step in ("retrieve", "precedence", "claim_check", "draft"):
        again = conformed(bank, "run", str(fenwick), "--resume", moment=step)
        assert again.returncode == -signal.SIGKILL, again.stderr
    found = decided(here(capsys, bank, "run", str(fenwick), "--resume", "--json"))
    assert found["result"] == "pass"
    assert here(capsys, bank, "log", "verify").returncode == 0


def test_a_resumed_run_is_not_asked_something_else(fenwick: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that differ from what the run was asked are refused and named; the same ones are taken."""
    asked = ("--test-date", "2024-06-30", "--covenant", "Senior Leverage Ratio")
    assert conformed(bank, "run", str(fenwick), *asked, moment="extract").returncode == -signal.SIGKILL
    other = here(capsys, bank, "run", str(fenwick), "--resume", "--test-date", "2024-09-30")
    assert other.returncode == 2
    assert "was asked test_date 2024-06-30, and not 2024-09-30" in other.stderr
    same = here(capsys, bank, "run", str(fenwick), "--resume", *asked, "--json")
    assert json.loads(same.stdout)["test_date"] == "2024-06-30"
    assert json.loads(same.stdout)["covenant"]["section"] == "6.11"


def test_a_pack_that_changed_has_no_run_to_resume(fenwick: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run belongs to the files with which it began."""
    assert conformed(bank, "run", str(fenwick), moment="extract").returncode == -signal.SIGKILL
    with (fenwick / "certificate.txt").open("a", encoding="utf-8") as file:
        file.write("Another line.\n")
    assert here(capsys, bank, "run", str(fenwick), "--resume").returncode == 2
