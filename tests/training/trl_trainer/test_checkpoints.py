"""Seals of checkpoints, without TRL."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed.errors import GivenValueError, UsageError
from conformed_plugins.training.trl_trainer.checkpoints import SEAL, newest, seal


def checkpoint(folder: Path, update: int, *, condition: str | None = "one") -> Path:
    """Writes a checkpoint of two files, and seals it under a condition."""
    made = folder / f"checkpoint-{update}"
    (made / "inner").mkdir(parents=True)
    (made / "model.safetensors").write_bytes(b"weights" + bytes([update]))
    (made / "inner" / "rng_state.pth").write_bytes(b"generators")
    if condition is not None:
        seal(made, condition=condition)
    return made


def test_the_newest_by_number_is_taken(tmp_path: Path) -> None:
    """10 comes after 9, whatever a sort of names says."""
    for update in (10, 2, 9):
        checkpoint(tmp_path, update)
    assert newest(tmp_path, condition="one") == (10, tmp_path / "checkpoint-10")


@pytest.mark.parametrize("spoil", ["altered", "missing", "added", "no seal", "broken seal", "seal of a list"])
def test_one_that_is_not_whole_is_passed_over(spoil: str, tmp_path: Path) -> None:
    """A file altered, gone or added, and a seal that is absent or broken: the checkpoint before it is taken."""
    checkpoint(tmp_path, 1)
    bad = checkpoint(tmp_path, 2, condition=None if spoil == "no seal" else "one")
    if spoil == "altered":
        (bad / "inner" / "rng_state.pth").write_bytes(b"generatorz")
    elif spoil == "missing":
        (bad / "inner" / "rng_state.pth").unlink()
    elif spoil == "added":
        (bad / "scheduler.pt").write_bytes(b"another's")
    elif spoil == "broken seal":
        (bad / SEAL).write_bytes(b'{"condition": "one", "fil')
    elif spoil == "seal of a list":
        (bad / SEAL).write_bytes(b"[]")
    assert newest(tmp_path, condition="one")[0] == 1


def test_the_newest_of_another_run_is_refused_rather_than_an_older_one_taken(tmp_path: Path) -> None:
    """A whole checkpoint of other settings is no torn one: the resume is refused."""
    checkpoint(tmp_path, 1)
    checkpoint(tmp_path, 2, condition="other")
    with pytest.raises(GivenValueError, match="update 2"):
        newest(tmp_path, condition="one")


def test_none_at_all_is_said(tmp_path: Path) -> None:
    """An empty folder, an absent one, and names that are none."""
    (tmp_path / "checkpoint-x").mkdir()
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(UsageError, match="no whole checkpoint"):
            newest(folder, condition="one")


def test_the_pickle_of_arguments_is_not_kept(tmp_path: Path) -> None:
    """Nothing reads it, and it is not there to be read."""
    made = checkpoint(tmp_path, 1, condition=None)
    (made / "training_args.bin").write_bytes(b"pickle")
    seal(made, condition="one")
    assert not (made / "training_args.bin").exists()
    assert newest(tmp_path, condition="one")[0] == 1
