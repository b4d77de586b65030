"""The commands of whoever keeps the log: publish, keys, rotate-key, verify with keys from outside, and the witness."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.entry import run_command_line


@pytest.fixture
def at_bank(bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace in which the commands are typed, with state of its own."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    monkeypatch.setenv("COLUMNS", "400")
    return bank


def say(capsys: pytest.CaptureFixture[str], *words: Any) -> tuple[int, str, str]:
    """Exit code, output and errors of a command line."""
    code = run_command_line([str(word) for word in words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_from_a_run_to_a_changed_key(at_bank: Path, fenwick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run says that it is published; keys are printed as verify takes them; a change of keys goes through."""
    assert say(capsys, "log", "keys")[0] == 2
    code, out, _ = say(capsys, "run", fenwick)
    assert code == 0
    assert "published · checkpoint of" in out
    found = json.loads(say(capsys, "run", fenwick, "--json")[1])
    assert (found["publication"]["state"], found["result"]) == ("published", "pass")
    code, out, _ = say(capsys, "log", "keys")
    (tmp_path / "keys").write_text(out, encoding="utf-8")
    assert (code, out.startswith("# signs\nconformed.local/")) == (0, True)
    code, out, _ = say(capsys, "log", "verify", "--keys", tmp_path / "keys")
    assert (code, "Signatures hold" in out) == (0, True)
    assert say(capsys, "log", "publish")[0] == 0
    code, out, _ = say(capsys, "log", "rotate-key")
    assert (code, out.startswith("Added: conformed.local/")) == (0, True)
    code, out, _ = say(capsys, "log", "rotate-key", "--finish", "--json")
    assert (code, json.loads(out)["use"]) == (0, "retired")
    code, out, _ = say(capsys, "log", "verify", "--keys", tmp_path / "keys")
    assert (code, "signature" in out) == (1, True)
    assert json.loads(say(capsys, "log", "keys", "--json")[1])[0]["use"] == "retired"
    assert say(capsys, "log", "verify")[0] == 0


def test_what_is_outside_is_read_or_refused(
    at_bank: Path, fenwick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of keys and checkpoints that are absent or wrong are usage errors; a run alone is not verified with keys."""
    say(capsys, "run", fenwick)
    (tmp_path / "bad").write_text("no key\n", encoding="utf-8")
    for words in (
        ("--keys", tmp_path / "absent"),
        ("--keys", tmp_path / "bad"),
        ("--checkpoint", tmp_path / "absent"),
        ("--checkpoint", at_bank / "policies"),
        ("r-1", "--quorum", 1),
    ):
        assert say(capsys, "log", "verify", *words)[0] == 2, words
    code, out, _ = say(capsys, "log", "verify", "--checkpoint", tmp_path / "bad")
    assert (code, "given" in out) == (1, True)


def test_pending_has_an_exit_code(at_bank: Path, fenwick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A printed line alone is nobody outside: the run ends as it ended, log publish ends with 1 and says why."""
    (at_bank / "publication.yaml").write_text("sinks:\n- sink: line\n", encoding="utf-8")
    code, out, _ = say(capsys, "run", fenwick)
    assert (code, "PENDING" in out) == (0, True)
    code, out, _ = say(capsys, "log", "publish")
    assert (code, "no sink is outside this workspace" in out) == (1, True)


def test_a_witness_as_a_process(at_bank: Path, fenwick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Conformed witness prints its key and address, cosigns a run, and keeps its key over a restart."""
    say(capsys, "run", fenwick)
    log_key = say(capsys, "log", "keys")[1].splitlines()[1]
    words = ["witness", "--dir", str(tmp_path / "w"), "--listen", "127.0.0.1:0", "--log-key", log_key]
    keys = []
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-m", "conformed.cli", *words], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            key = process.stdout.readline().strip().removeprefix("Witness key: ")
            url = process.stdout.readline().strip().removeprefix("Listening on ")
            plan = f"sinks:\n- sink: witness\n  options:\n    url: {url}\n    key: {key}\n"
            (at_bank / "publication.yaml").write_text(plan, encoding="utf-8")
            found = json.loads(say(capsys, "run", fenwick, "--json")[1])
            assert found["publication"]["state"] == "published", found["publication"]
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        keys.append(key)
    assert keys[0] == keys[1]
    code, out, _ = say(capsys, "log", "verify", "--checkpoint", tmp_path / "w")
    assert (code, "Cosignatures cover" in out) == (0, True)


@pytest.mark.parametrize(
    "words",
    [
        ("--listen", "8101", "--log-key", "x"),
        ("--listen", "127.0.0.1:99999", "--log-key", "x"),
        ("--log-key", "no key"),
        (),
    ],
)
def test_a_witness_that_cannot_start(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong address, a wrong key or no key: usage errors."""
    assert say(capsys, "witness", "--dir", tmp_path / "w", *words)[0] == 2
