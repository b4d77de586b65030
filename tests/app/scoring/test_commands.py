"""The commands about scorers, as they are typed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.entry import run_command_line


@pytest.fixture
def typed(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Types a command in the workspace: its exit code, and what it wrote to both streams."""

    def run(*words: str) -> tuple[int, str, str]:
        code = run_command_line([*words, "--workspace", str(workspace)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_list(typed: Any) -> None:
    """It names the plugins, and as JSON it is a list."""
    code, out, _ = typed("scorers", "list")
    assert code == 0
    assert "process 1.0.0" in out
    rows = json.loads(typed("scorers", "list", "--json")[1])
    assert [one["name"] for one in rows] == ["outcome", "process", "recalculation", "tokens"]


def test_replay_writes_the_same_bytes(typed: Any, bank: Path, tmp_path: Path) -> None:
    """Two replays write the same file, which is what --json prints."""
    hashes = set()
    for name in ("a.json", "b.json"):
        assert typed("scorers", "replay", "tokens-mean", "--bank", str(bank), "-o", str(tmp_path / name))[0] == 0
        hashes.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(hashes) == 1
    printed = typed("scorers", "replay", "tokens-mean", "--bank", str(bank), "--json")[1]
    assert printed.encode() == (tmp_path / "a.json").read_bytes()
    rows = json.loads(printed)["rows"]
    assert all(row["score"]["tokens"] > 0 for row in rows)


def test_drift_ends_with_1_when_a_bound_is_passed(typed: Any, bank: Path, workspace: Path) -> None:
    """A scorer against itself is 0; against one that selects otherwise it is 1, and says why first."""
    assert typed("scorers", "drift", "recalculation", "recalculation", "--bank", str(bank))[0] == 0
    folder = workspace / "policies" / "scorers"
    card = (folder / "tokens-mean.yaml").read_text()
    changed = card.replace("tokens-mean", "tokens-sum").replace("way: mean", "way: sum")
    (folder / "tokens-sum.yaml").write_text(changed, encoding="utf-8")
    code, out, err = typed("scorers", "drift", "tokens-mean", "tokens-sum", "--bank", str(bank))
    assert code == 1
    assert "declared bounds passed" in out.splitlines()[0]
    assert err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scorers", "replay", "nobody", "--bank", "BANK"), "no scorer 'nobody'"),
        (("scorers", "replay", "recalculation"), "--bank"),
        (("scorers", "replay", "recalculation", "--bank", "gone.jsonl"), "cannot be read"),
        (("scorers", "drift", "recalculation", "tokens-mean", "--bank", "BANK"), "one event"),
        (("scorers", "replay", "recalculation", "--bank", "BANK", "-o", "no/such/a.json"), "does not exist"),
    ],
)
def test_wrong_words(typed: Any, bank: Path, words: tuple[str, ...], said: str) -> None:
    """Wrong usage is one sentence on standard error, and nothing on standard output."""
    code, out, err = typed(*(str(bank) if word == "BANK" else word for word in words))
    assert code in (1, 2)
    assert said in err
    assert out == ""
    assert err.count("\n") == 1


def test_train_and_evaluate(typed: Any, bank: Path, tmp_path: Path, workspace: Path) -> None:
    """Train, then evaluate: exit code 1 while a gate is not passed, with the reason first."""
    pytest.importorskip("torch", reason="needs the extra ml")
    code, out, _ = typed(
        "scorers", "train", "outcome", "--bank", str(bank), "--name", "whole", "--owner", "Tests", "-o", str(tmp_path / "w")
    )
    assert code == 0
    assert "conformed scorers evaluate" in out
    gates = workspace / "policies" / "scorer-gates" / "learned.yaml"
    code, out, _ = typed("scorers", "evaluate", str(tmp_path / "w" / "whole.yaml"), "--bank", str(bank), "--gates", str(gates))
    assert code == 1
    assert out.startswith("whole 1.0.0 MAY NOT BE USED")
    assert "FAILED least_auroc" in out
