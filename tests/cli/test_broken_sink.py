"""A sink that is wrongly configured: a warning where a command only reads, an error or pending where publication is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.entry import run_command_line

BROKEN = {
    "no sink of that name": "sinks:\n- sink: carrier_pigeon\n",
    "no key": "sinks:\n- sink: witness\n  options: {url: 'http://127.0.0.1:1', key: nonsense}\n",
    "options that are none": "sinks:\n- sink: file\n  options: {colour: red}\n",
    "inside the workspace": "sinks:\n- sink: file\n  options: {folder: FOLDER}\n",
    "no mapping": "- sinks\n",
    "no YAML": "sinks: [\n",
}
READING = (
    ("approvals", "RUN"),
    ("log", "list"),
    ("log", "find", "--borrower", "fenwick"),
    ("log", "show", "RUN"),
    ("log", "verify"),
    ("log", "verify", "RUN"),
    ("log", "verify", "--quorum", "0", "--checkpoint", "NOTES"),
    ("log", "prove", "RUN"),
    ("log", "keys"),
    ("replay", "RUN"),
    ("plugins",),
)
USING = {("approvals",), ("log", "verify"), ("log", "keys"), ("replay",)}
"""What looks into publication.yaml to read: who is outside, and which witnesses there are."""


def say(capsys: pytest.CaptureFixture[str], *words: Any) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line."""
    code = run_command_line([str(word) for word in words])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture
def at_bank(
    bank: Path, fenwick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, str]:
    """A workspace with a published run, and the run."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    monkeypatch.setenv("COLUMNS", "400")
    code, out, _ = say(capsys, "run", fenwick, "--json")
    assert code == 0
    return bank, json.loads(out)["run"]


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_what_only_reads_goes_on(
    at_bank: tuple[Path, str], broken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that only reads answers as before; those that would have used publication.yaml say that they could not."""
    bank, run = at_bank
    notes = next((tmp_path / "state").rglob("checkpoints"))
    lines = {line: tuple({"RUN": run, "NOTES": str(notes)}.get(word, word) for word in line) for line in READING}
    (bank / "publication.yaml").write_text(broken.replace("FOLDER", str(bank / "notes")), encoding="utf-8")
    warned = set()
    for line, typed in lines.items():
        code, _, err = say(capsys, *typed)
        assert code in ((0, 20) if line[0] == "replay" else (0,)), (line, err)  # 20: a plugin was changed since the run
        if "conformed: warning: " in err:
            warned.add(line)
    assert warned
    assert warned <= {line for line in READING if line[:2] in USING or line[:1] in USING}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_publication_is_an_error(
    at_bank: tuple[Path, str], broken: str, fenwick: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked to publish, it says what is wrong and ends with 1; a run is recorded and pending, never lost; evidence is refused."""
    bank, run = at_bank
    (bank / "publication.yaml").write_text(broken.replace("FOLDER", str(bank / "notes")), encoding="utf-8")
    code, out, _ = say(capsys, "log", "publish")
    assert (code, out.startswith("PENDING: ")) == (1, True)
    code, out, err = say(capsys, "run", fenwick, "--json")
    assert code == 0, err
    assert json.loads(out)["publication"]["state"] == "pending"
    code, _, err = say(capsys, "evidence", run, "-o", "evidence.zip")
    assert (code, "No checkpoint could be signed" in err) == (1, True)
    assert not (bank / "evidence.zip").exists()
