"""Folders that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformed.errors import GivenValueError, StepError
from conformed_plugins.training.state.checkpoint import Checkpoint, checkpoints, latest, read, write
from conformed_plugins.training.state.files import MANIFEST, publish, verify

FILES = {"one": b"first", "two": b"second" * 100, "none": b""}


def test_what_is_published_is_read_back(tmp_path: Path) -> None:
    """Every byte, and nothing else lies beside it."""
    folder = publish(tmp_path / "made", FILES)
    assert verify(folder) == dict(sorted(FILES.items()))
    assert [one.name for one in tmp_path.iterdir()] == ["made"]


def test_any_flipped_bit_any_lost_or_added_file_is_found(tmp_path: Path) -> None:
    """Each byte of each file in turn, each file taken away, one added: refused, by name where there is one."""
    folder = publish(tmp_path / "made", {"one": b"first", "two": b"2"})
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        for place in range(len(data)):
            file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            with pytest.raises(GivenValueError):
                verify(folder)
        file.unlink()
        with pytest.raises(GivenValueError):
            verify(folder)
        file.write_bytes(data)
    (folder / "three").write_bytes(b"")
    with pytest.raises(GivenValueError, match="other files"):
        verify(folder)


def test_what_is_not_proven_has_no_name(tmp_path: Path) -> None:
    """The proof sees the finished folder under another name; where it refuses, what stood there before still stands."""
    publish(tmp_path / "made", {"one": b"old"})

    def refuse(folder: Path) -> None:
        assert verify(folder) == {"one": b"new"}
        assert folder != tmp_path / "made"
        raise StepError("no")

    with pytest.raises(StepError):
        publish(tmp_path / "made", {"one": b"new"}, refuse)
    assert verify(tmp_path / "made") == {"one": b"old"}
    assert verify(publish(tmp_path / "made", {"one": b"new"})) == {"one": b"new"}


def test_every_file_and_folder_is_flushed_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, then their list, then their folder reach the disk before the rename, and the folder above after it."""
    order: list[str] = []
    flush, rename = os.fsync, Path.rename

    def flushed(handle: int) -> None:
        order.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        flush(handle)

    def renamed(one: Path, target: Path) -> Path:
        order.append(f"rename to {target.name}")
        return rename(one, target)

    if not Path("/proc/self/fd").exists():
        pytest.skip("open files have no names here")
    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "rename", renamed)
    publish(tmp_path / "made", FILES)
    assert order == [*FILES, MANIFEST, ".made.half", "rename to made", tmp_path.name]


def made(update: int) -> Checkpoint:
    """A checkpoint of an update."""
    return Checkpoint(update, {"update": update}, {"weights": bytes([update])})


def test_the_last_whole_checkpoint_is_taken(tmp_path: Path) -> None:
    """Of four two are kept; with the last one spoilt the one before it is taken, with the reason; with both spoilt none."""
    for update in (1, 2, 3, 4):
        write(tmp_path, made(update), keep=2)
    assert [update for update, _ in checkpoints(tmp_path)] == [3, 4]
    assert latest(tmp_path) == (made(4), ())
    (tmp_path / "update-00000004" / "weights").write_bytes(b"5")
    assert latest(tmp_path) == (made(3), ("update-00000004/weights is not what was written.",))
    (tmp_path / "update-00000003" / "state.json").unlink()
    assert latest(tmp_path)[0] is None
    assert len(latest(tmp_path)[1]) == 2
    assert latest(tmp_path / "nowhere") == (None, ())


def test_half_written_ones_are_no_checkpoints(tmp_path: Path) -> None:
    """What a killed process left over is looked at by nobody, and does not stand in the way."""
    write(tmp_path, made(1), keep=2)
    for left in (".update-00000002.half", ".update-00000000.gone"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "weights").write_bytes(b"x")
    assert latest(tmp_path) == (made(1), ())
    write(tmp_path, made(2), keep=2)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["update-00000001", "update-00000002"]


def test_a_checkpoint_under_another_name_is_refused(tmp_path: Path) -> None:
    """A folder that is renamed to a later update is not taken for it."""
    folder = write(tmp_path, made(1), keep=2).rename(tmp_path / "update-00000007")
    with pytest.raises(GivenValueError, match="not of the update"):
        read(folder)
