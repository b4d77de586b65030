"""``conformed override``: from what a person types to an exit code, on a real pack and a real log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

REJECTED = ("--code", "override_result_rejected", "--answers", "calculation", "--reason", "Wrong quarter.")
ACCOUNTS = "Borrowings in all at September 30, 2024: 390,000.\n"
FILE = """overrides:
- code: override_input_corrected
  answers: calculation
  figure: Consolidated Total Debt
  old: 300000000
  new: 390000000
  file: {file}
  words: "in all at September 30, 2024: 390,000"
  reason: The revolver was left out.
- code: override_result_rejected
  answers: calculation
  reason: Wrong quarter.
"""


@pytest.fixture
def at_bank(bank: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace, with the settings of a quiet terminal."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return bank


@pytest.fixture
def run_id(typed: Any, fenwick: Path, at_bank: Path) -> str:
    """A run of the timber company's pack, which passes."""
    said = typed("run", str(fenwick), "--json")
    assert said.code == 0
    found: str = json.loads(said.out)["run"]
    return found


def test_one_override_on_the_command_line(typed: Any, run_id: str) -> None:
    """The record is JSON alone, names the earlier run, and the exit code is that of its result."""
    said = typed("override", run_id, *REJECTED, "--by", "Ida Marsh", "--json")
    record = json.loads(said.out)
    assert (said.code, record["result"], record["overridden"]["earlier"]) == (0, "pass", run_id)
    assert record["overridden"]["told"][0]["override"]["by"] == "Ida Marsh"
    assert "override_result_rejected: Noted." in said.err


def test_several_from_a_file(typed: Any, run_id: str, at_bank: Path) -> None:
    """A file gives a list; the exit code turns with the figure, and the log of the earlier run is as it was."""
    (at_bank / "accounts.txt").write_text(ACCOUNTS, encoding="utf-8")
    file = at_bank / "overrides.yaml"
    file.write_text(FILE.format(file=at_bank / "accounts.txt"), encoding="utf-8")
    before = typed("log", "show", run_id).out
    said = typed("override", run_id, "--from", str(file))
    assert said.code == 10
    assert said.out.startswith("RESULT  BREACH")
    assert f"Overrides of run {run_id}, which stays as it was" in said.out
    assert typed("log", "show", run_id).out == before
    assert typed("log", "verify").code == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ((), "It is not said which override is meant"),
        (("--code", "override_everything"), "is no code of an override"),
        (("--code", "override_result_rejected"), "override_result_rejected lacks answers"),
        ((*REJECTED, "--fact", "level=3.5"), "never gives a level, a comparator or a result"),
        ((*REJECTED, "--fact", "level"), "is not NAME=VALUE"),
        ((*REJECTED, "--fact", "reason=x"), "given as an option and as a fact"),
        ((*REJECTED, "--from", "x.yaml"), "are given together"),
    ],
)
def test_bad_input_is_one_sentence(typed: Any, run_id: str, line: tuple[str, ...], sentence: str) -> None:
    """Wrong usage ends with 2 and one line that says what is wrong."""
    said = typed("override", run_id, *line)
    assert (said.code, said.out) == (2, "")
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- code: x\n", ":1:1: the file is not a list under the one key overrides"),
        ("overrides: []\n", ":1:1: the file is not a list under the one key overrides"),
        ("overrides:\n- x\n", ":2:3: an override is no mapping"),
        ("overrides:\n- code: override_result_rejected\n  answers: [a]\n", ":3:12: answers is no plain value"),
    ],
)
def test_a_wrong_file_is_shown_where(typed: Any, run_id: str, at_bank: Path, text: str, place: str) -> None:
    """A file that is no list of overrides is refused with file, line and column."""
    file = at_bank / "overrides.yaml"
    file.write_text(text, encoding="utf-8")
    said = typed("override", run_id, "--from", str(file))
    assert said.code == 1
    assert f"{file}{place}" in said.err


def test_without_a_log_there_is_nothing_to_override(typed: Any, at_bank: Path) -> None:
    """The sentence says what to do first."""
    said = typed("override", "r-1", *REJECTED)
    assert said.code == 2
    assert "There is no log at" in said.err
