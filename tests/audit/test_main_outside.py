"""The command line with what is kept outside: keys, witnesses and checkpoints give the results of `conformed log verify`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import audit_world
import pytest
from audit_world import KEY, NEW_KEY, WITNESS_KEY, World

from conformed_audit.__main__ import main


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One published log for all tests, with the auditor's file of keys beside it."""
    made = audit_world.make_world(tmp_path_factory.mktemp("main") / "w")
    made.folder.joinpath("KEYS").write_text(f"# the log and its witness\n{KEY.key}\n{WITNESS_KEY.key}\n", encoding="utf-8")
    return made


def given(world: World) -> Path:
    """The folder outside in which checkpoints are."""
    return next(path.parent for path in sorted(world.folder.rglob("*.note")))


def test_the_result_is_that_of_the_library(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """With the same keys and checkpoints the command says what `verify` says, value for value."""
    line = ["verify", str(world.path), "--keys", str(world.folder / "KEYS"), "--quorum", "1", "--checkpoint", str(given(world))]
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(asdict(world.verify())))
    assert main(line) == 0
    said = capsys.readouterr().out
    assert "Every signature holds." in said
    assert "Cosignatures cover" in said
    assert "Nothing outside" not in said


def test_another_key_is_found(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is signed by another key than the auditor's does not hold."""
    (tmp_path / "KEYS").write_text(f"{NEW_KEY.key}\n", encoding="utf-8")
    assert main(["verify", str(world.path), "--keys", str(tmp_path / "KEYS")]) == 1
    assert "tampered" in capsys.readouterr().out


def test_a_cut_log_is_found(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One checkpoint that was kept elsewhere shows that an older copy was put in the place of the log."""
    older = world.copy(tmp_path / "older")
    with world.open() as log:
        log.append([audit_world.draft("case-late", "case.opened", None)])
        world.publish(log, KEY)
    notes = sorted(given(world).glob("*.note"), key=lambda path: int(path.stem.rpartition("-")[2]))
    assert main(["verify", str(older.path), "--checkpoint", str(notes[-1])]) == 1
    assert "truncated" in capsys.readouterr().out


def test_what_cannot_be_read_is_bad_usage(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Absent files, files that hold no key, an empty folder, a quorum of nobody: 2, and a sentence, no traceback."""
    (tmp_path / "none").write_text("no key\n", encoding="utf-8")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "empty").mkdir()
    keys = str(world.folder / "KEYS")
    for words in (
        ["--keys", str(tmp_path / "absent")],
        ["--keys", str(tmp_path / "none")],
        ["--keys", str(tmp_path / "bytes")],
        ["--keys", str(tmp_path / "empty")],
        ["--keys", keys, "--quorum", "2"],
        ["--quorum", "1"],
        ["--checkpoint", str(tmp_path / "absent")],
        ["--checkpoint", str(tmp_path / "empty")],
    ):
        with pytest.raises(SystemExit) as left:
            main(["verify", str(world.path), *words])
        assert left.value.code == 2, words
        assert "conformed_audit: error: " in capsys.readouterr().err
