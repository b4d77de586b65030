"""Every item is tied to a file by hash, and what it influenced is on record."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import ConformedError, UsageError
from conformed.evaluation.items import Item
from conformed.evaluation.lineage import DataSet, data_set, lineage, uninfluenced

HASH = "ab" * 32
FILE = DataSet(file="data/sums.jsonl", sha256=HASH, name="Sums")


def item(name: str, **changed: Any) -> Item:
    """An item of the file, with changes."""
    fields = {"prompt": "?", "reference": "4", "split": "test", "source": "data/sums.jsonl", "source_revision": HASH}
    return Item(id=name, **(fields | changed))


@pytest.mark.parametrize("file", ["GSM8K", "MATH", "squad", "data/sums", "data\\sums.jsonl", "", "."])
def test_a_name_alone_is_refused(file: str) -> None:
    """A benchmark's name is no data set, with or without a hash; a file with its suffix and hash is."""
    with pytest.raises(ValueError):
        DataSet(file=file, sha256=HASH)


@pytest.mark.parametrize("digest", ["", "latest", "AB" * 32, "ab" * 31, "main"])
def test_a_revision_that_is_no_hash_is_refused(digest: str) -> None:
    """Only a SHA-256 in lower-case hexadecimal names bytes."""
    with pytest.raises(ValueError):
        DataSet(file="data/sums.jsonl", sha256=digest)


def test_a_data_set_is_hashed_from_its_bytes(tmp_path: Path) -> None:
    """The hash is of the bytes, the name relative; what cannot be read or has no suffix is refused by our own errors."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sums.jsonl").write_bytes(b"1 + 1\r\n")
    made = data_set(tmp_path / "data" / "sums.jsonl", relative_to=tmp_path, name="Sums")
    assert (made.file, made.sha256) == ("data/sums.jsonl", hashlib.sha256(b"1 + 1\r\n").hexdigest())
    with pytest.raises(UsageError, match="cannot be read"):
        data_set(tmp_path / "GSM8K", relative_to=tmp_path)
    with pytest.raises(UsageError, match="does not lie below"):
        data_set(tmp_path / "data" / "sums.jsonl", relative_to=tmp_path / "other")
    (tmp_path / "GSM8K").write_bytes(b"")
    with pytest.raises(ConformedError, match="no suffix"):
        data_set(tmp_path / "GSM8K", relative_to=tmp_path)


def test_lineage_by_hand() -> None:
    """Items by split and file, and who was used for what, of how many."""
    items = [
        item("c", influence=("training",)),
        item("a", influence=("threshold_tuning", "training")),
        item("b"),
        item("d", split="development", influence=("prompt_example",)),
    ]
    found = lineage([FILE], items)
    assert found.counts == (("development", "data/sums.jsonl", 1), ("test", "data/sums.jsonl", 3))
    assert [(one.split, one.use, one.items, one.of) for one in found.influence] == [
        ("development", "prompt_example", ("d",), 1),
        ("test", "threshold_tuning", ("a",), 3),
        ("test", "training", ("a", "c"), 3),
    ]
    assert any("saw the items before" in one for one in found.not_known)
    assert [one.id for one in uninfluenced(items)] == ["b"]
    assert [one.id for one in uninfluenced(items, ["training"])] == ["b", "d"]
    assert lineage([FILE], items[::-1]) == found


@pytest.mark.parametrize(
    "items",
    [
        [item("a", source="GSM8K")],
        [item("a", source_revision="cd" * 32)],
        [item("a", source_revision="")],
        [item("a", influence=("looked_at",))],
        [item("a"), item("a")],
    ],
)
def test_items_that_are_loose(items: list[Item]) -> None:
    """An item of a name, of another revision or of none, with an unknown use or a second time, is refused."""
    with pytest.raises(ValueError) as refusal:
        lineage([FILE], items)
    assert isinstance(refusal.value, ConformedError)


def test_other_refusals() -> None:
    """A file twice, and a use that does not exist, are refused."""
    with pytest.raises(ValueError, match="stands twice"):
        lineage([FILE, FILE], [])
    with pytest.raises(ValueError, match="no known use"):
        uninfluenced([], ["looked_at"])
    with pytest.raises(ValueError, match="says it was used for"):
        uninfluenced([item("a", influence=("looked_at",))])
