"""What was verified is what is loaded: the copy is made of the bytes that were hashed, and nobody else can reach it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed.errors import MirrorError
from conformed.mirror.manifest import Manifest
from conformed.mirror.private import PrivateCopy


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made."""
    made = tmp_path / "scratch"
    made.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(made))
    return made


def test_the_copy_is_the_pinned_bytes(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """Each pinned file is there with its bytes, and the manifest is not: nothing but the model can be loaded from it."""
    manifest = pinned()
    copy = PrivateCopy(folder, manifest.digest)
    assert {one.name: one.read_bytes() for one in copy.folder.iterdir()} == {
        one.name: (folder / one.name).read_bytes() for one in manifest.files
    }
    copy.close()
    assert list(scratch.iterdir()) == []


def test_a_change_after_the_check_changes_nothing(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """Time of check and time of use: files of the mirror are altered, removed and added after it; the copy is what was verified."""
    manifest = pinned()
    before = {one.name: (folder / one.name).read_bytes() for one in manifest.files}
    copy = PrivateCopy(folder, manifest.digest)
    (folder / "model.safetensors").write_bytes(b"evil")
    (folder / "config.json").unlink()
    (folder / "modeling.py").write_text("import os")
    assert {one.name: one.read_bytes() for one in copy.folder.iterdir()} == before
    copy.close()


def test_a_file_changed_while_it_is_read_is_refused_or_copied_as_hashed(
    folder: Path, pinned: Callable[[], Manifest], scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that changes a file between two reads of it: the hash is of the mixture that was copied, and that is not pinned."""
    (folder / "merges.txt").write_bytes(b"a" * (1 << 20) + b"b" * 10)
    manifest = pinned()
    real = os.read

    def read(file: int, count: int) -> bytes:
        found = real(file, count)
        if found.startswith(b"aaaa"):
            (folder / "merges.txt").write_bytes(b"a" * (1 << 20) + b"c" * 10)
        return found

    monkeypatch.setattr("conformed.mirror.verifying.os.read", read)
    with pytest.raises(MirrorError, match=r"merges\.txt: altered"):
        PrivateCopy(folder, manifest.digest)
    assert list(scratch.iterdir()) == []


def test_nobody_else_can_open_or_change_it(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """The folder is its owner's alone and closed to writing; so are the files."""
    copy = PrivateCopy(folder, pinned().digest)
    assert stat.S_IMODE(copy.folder.stat().st_mode) == 0o500
    assert {stat.S_IMODE(one.stat().st_mode) for one in copy.folder.iterdir()} == {0o400}
    copy.close()


def test_it_goes_with_the_object(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """A copy that nobody holds any more is removed."""
    copy = PrivateCopy(folder, pinned().digest)
    assert len(list(scratch.iterdir())) == 1
    del copy
    assert list(scratch.iterdir()) == []


def test_a_refused_model_leaves_nothing_behind(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """A file that should not be there, or another manifest: an error that names it, and no copy."""
    digest = pinned().digest
    (folder / "modeling.py").write_text("import os")
    with pytest.raises(MirrorError, match=r"modeling\.py: remote code") as held:
        PrivateCopy(folder, digest)
    assert list(scratch.iterdir()) == []  # though the traceback is still held
    assert held.tb is not None
    with pytest.raises(MirrorError, match="is pinned"):
        PrivateCopy(folder, "0" * 64)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system does not have")
def test_a_forked_child_leaves_its_parents_copy(folder: Path, pinned: Callable[[], Manifest], scratch: Path) -> None:
    """A child that ends and cleans up does not remove what its parent still loads from."""
    copy = PrivateCopy(folder, pinned().digest)
    child = os.fork()
    if child == 0:
        copy.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert (copy.folder / "model.safetensors").exists()
    copy.close()


def test_a_full_disk_is_a_refusal(
    folder: Path, pinned: Callable[[], Manifest], scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No room for the copy: refused in a sentence, nothing left behind."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    digest = pinned().digest
    monkeypatch.setattr("conformed.mirror.verifying.os.write", full)
    with pytest.raises(MirrorError, match="No space left on device"):
        PrivateCopy(folder, digest)
    assert list(scratch.iterdir()) == []
