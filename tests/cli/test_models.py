"""``models``: what a person types and what they are told, with the exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformed.mirror.manifest import MANIFEST

WEIGHTS = (2).to_bytes(8, "little") + b"{}"
CARD = f"""\
model: small
source: {{kind: repository, repository: maker/small, commit: {"c" * 40}}}
licence: Apache-2.0
architecture: SmallForCausalLM
stored: float32
owner: Model risk
"""


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one card, and the files of its model beside it."""
    (tmp_path / "policies" / "models").mkdir(parents=True)
    (tmp_path / "policies" / "covenant.yaml").touch()
    (tmp_path / "policies" / "models" / "small.yaml").write_text(CARD)
    files = tmp_path / "files"
    files.mkdir()
    (files / "model.safetensors").write_bytes(WEIGHTS)
    (files / "config.json").write_text(json.dumps({"architectures": ["SmallForCausalLM"], "dtype": "float32"}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    return tmp_path


def test_pin_verify_and_list(bank: Path, typed: Any) -> None:
    """Pinned, verified with 0, altered and refused with 1 and the file's name, and the same as JSON."""
    pinned = typed("models", "pin", "small", "files")
    digest = json.loads((bank / "files" / MANIFEST).read_text())["files"][1]["sha256"]
    assert (pinned.code, pinned.err) == (0, "")
    assert digest in pinned.out
    assert typed("models", "verify", "./files").code == 0
    (bank / "files" / "model.safetensors").write_bytes(WEIGHTS[:-1] + b" ")
    altered = typed("models", "verify", "./files")
    assert altered.code == 1
    assert "model.safetensors: altered" in altered.out
    (row,) = json.loads(typed("models", "verify", "./files", "--json").out)
    assert [one[:17] for one in row["troubles"]] == ["model.safetensors"]
    (listed,) = json.loads(typed("models", "list", "--json").out)
    assert (listed["model"], listed["note"]) == ("small", "not in the mirror")


def test_the_mirror_can_be_elsewhere(bank: Path, typed: Any) -> None:
    """A folder of models that is shared by several workspaces is named."""
    (bank / "shared").mkdir()
    (bank / "files").rename(bank / "shared" / "small")
    assert typed("models", "pin", "small", "--mirror", "shared").code == 0
    assert "as pinned" in typed("models", "verify", "--mirror", "shared").out
    assert "approves no manifest yet" in typed("models", "list", "--mirror", "shared").out


def test_a_refusal_is_one_sentence(bank: Path, typed: Any) -> None:
    """A pickle in the folder: exit code 1, the file's name, the mend, no manifest."""
    (bank / "files" / "pytorch_model.bin").write_bytes(b"x")
    found = typed("models", "pin", "small", "files")
    assert found.code == 1
    assert "pytorch_model.bin: pickle" in found.err
    assert not (bank / "files" / MANIFEST).exists()


@pytest.mark.parametrize(
    "words",
    [
        ("models", "pin", "unknown"),
        ("models", "verify"),
        ("models", "add", "small"),
        ("models", "inspect-template", "small"),
        ("models", "inspect-template", "small", "--message", "a", "--file", "b"),
        ("models", "inspect-template", "small", "--file", "absent"),
        ("models", "inspect-template", "small", "--message", "a", "--thinking", "perhaps"),
    ],
)
def test_what_cannot_be_done_as_typed(bank: Path, typed: Any, words: tuple[str, ...]) -> None:
    """An unknown model, nothing to verify, a model that no package brings, no prompt or two: exit code 2 and nothing on stdout."""
    found = typed(*words)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("conformed: ")
