"""The command ``synth``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformed.errors import UsageError
from conformed.hooks import NoOptions
from conformed_plugins.training.items import Split, Task
from conformed_plugins.training.synth.command import COUNTS, SynthCommand
from conformed_plugins.training.synth.dataset import make, read

_FEW = [word for split in Split for word in ("--count", f"{split.value}=8")]


def run(*arguments: str) -> tuple[int, list[str]]:
    """Exit code and printed lines."""
    lines: list[str] = []
    return SynthCommand(NoOptions()).run(arguments, lines.append), lines


def test_it_writes_the_data_set_and_prints_its_card(tmp_path: Path) -> None:
    """The folder holds what ``make`` gives for that seed; the card names every split, the contamination and the digest."""
    code, lines = run("--seed", "5", "--out", str(tmp_path / "out"), *_FEW)
    data = make(5, dict.fromkeys(Split, 8))
    assert code == 0
    assert read(tmp_path / "out").digest == data.digest
    text = "\n".join(lines)
    assert all(f"  {split.value}: 8 items" in text for split in Split)
    assert "sft and unseen:" in text
    assert lines[-1] == f"Digest: {data.digest}"


def test_json_is_the_card_alone(tmp_path: Path) -> None:
    """With ``--json`` the output is one JSON text, the card; ``--tasks`` leaves the other tasks out."""
    _, lines = run("--seed", "5", "--out", str(tmp_path / "out"), *_FEW, "--json", "--tasks", "fields", "trace")
    card = json.loads("\n".join(lines))
    assert card == make(5, dict.fromkeys(Split, 8), (Task.FIELDS, Task.TRACE)).card
    assert card["tasks"] == ["fields", "trace"]


def test_every_split_has_a_count_of_its_own() -> None:
    """Without ``--count`` no split is empty."""
    assert set(COUNTS) == set(Split)
    assert min(COUNTS.values()) > 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--seed", "1"),
        ("--seed", "x", "--out", "y"),
        ("--seed", "1", "--out", "y", "--count", "sft"),
        ("--seed", "1", "--out", "y", "--count", "sft=-1"),
        ("--seed", "1", "--out", "y", "--count", "sft=٣"),
        ("--seed", "1", "--out", "y", "--count", "other=3"),
        ("--seed", "1", "--out", "y", "--count", "sft=9999999"),
        ("--seed", "1", "--out", "y", "--tasks", "guess"),
    ],
)
def test_odd_arguments_are_usage_errors(arguments: tuple[str, ...]) -> None:
    """Whatever is not understood is refused with an example or a mend, before anything is written."""
    with pytest.raises(UsageError) as refused:
        run(*arguments)
    assert refused.value.mend


def test_a_full_folder_is_refused(tmp_path: Path) -> None:
    """What is there is never written over."""
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        run("--seed", "1", "--out", str(tmp_path), *_FEW)
    assert (tmp_path / "kept").read_text() == "mine"
