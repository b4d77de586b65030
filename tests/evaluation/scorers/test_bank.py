"""Candidate banks: named by hash, read strictly, and shown to scorers without their labels."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import UsageError
from conformed.evaluation.scorers.bank import bank_of, read_bank, scorer_input

Line = Callable[..., dict[str, Any]]


def _bytes(*lines: dict[str, Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in lines).encode()


def test_a_bank_is_its_bytes(make_line: Line, tmp_path: Path) -> None:
    """The digest is of the exact bytes; the candidates are sorted, whatever their order in the file."""
    lines = [make_line(item, n, "correct") for item in ("b", "a") for n in (1, 0)]
    data = _bytes(*lines)
    (tmp_path / "bank.jsonl").write_bytes(data)
    bank = read_bank(tmp_path / "bank.jsonl")
    assert bank.digest == hashlib.sha256(data).hexdigest()
    assert [one.key for one in bank.candidates] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    random.Random(3).shuffle(lines)
    again = bank_of(_bytes(*lines), name="bank.jsonl")
    assert again.candidates == bank.candidates
    assert again.digest != bank.digest


def test_no_label_is_shown(make_line: Line) -> None:
    """What a scorer is shown is the same for a right and a wrong candidate, whoever generated it, and for sound and unsound steps."""
    one = make_line("a", 0, "correct", check="correct", steps=[{"text": "1 = 1", "sound": True}])
    other = make_line(
        "a", 0, "incorrect", check="incorrect", steps=[{"text": "1 = 1", "sound": False}], generator="h 2",
        generator_trained_with=["s 1"], slices={"kind": "hard"}, split="train",
    )  # fmt: skip
    shown = [scorer_input(bank_of(_bytes(each), name="b").candidates[0]) for each in (one, other)]
    assert shown[0] == shown[1]
    assert shown[0]["steps"] == ["1 = 1"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"outcome": "good"}, "outcome"),
        ({"sample": -1}, "sample"),
        ({"sample": True}, "sample"),
        ({"reference": "3"}, "reference"),
        ({"logprobs": [0.5]}, "logprobs"),
        ({"logprobs": [float("-inf")]}, "logprobs"),
        ({"terminal_tokens": 1}, "final field"),
        ({"item": ""}, "item"),
    ],
)
def test_a_line_that_is_no_candidate(make_line: Line, changed: dict[str, Any], said: str) -> None:
    """It is refused with file, line and field."""
    with pytest.raises(UsageError, match=rf"bank:2: .*{said}"):
        bank_of(_bytes(make_line("a", 0, "correct"), make_line("b", 0, "correct") | changed), name="bank")


@pytest.mark.parametrize(
    ("second", "said"),
    [({}, "stands twice"), ({"sample": 1, "prompt": "Another?"}, "two prompts"), ({"sample": 1, "split": "train"}, "two splits")],
)
def test_lines_that_contradict(make_line: Line, second: dict[str, Any], said: str) -> None:
    """A sample that stands twice, and an item with two prompts or in two splits, are refused."""
    with pytest.raises(UsageError, match=said):
        bank_of(_bytes(make_line("a", 0, "correct"), make_line("a", 0, "correct") | second), name="bank")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[1]\n", b"{", b'{"item": "a", "item": "b"}', b"\xff\xfe"])
def test_bytes_that_are_no_bank(data: bytes) -> None:
    """Nothing, and what is no JSON object with each key once, is refused."""
    with pytest.raises(UsageError):
        bank_of(data, name="bank")


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_bank(tmp_path / "none.jsonl")
