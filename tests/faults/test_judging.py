"""Those who judge the faults see what they are to see: each column of the table is counted when its trouble is there."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "long"))

import fault_bits
import fault_fuzz
from fault_clerk import Clerk, judge
from fault_told import Told, table


@pytest.fixture
def lived(tmp_path: Path) -> tuple[Path, list[str]]:
    """A deployment after one life, and what was acknowledged."""
    folder, said = tmp_path / "one", []
    folder.mkdir()
    Clerk(folder, "life", said.append).work()
    return folder, said


def judged(folder: Path, said: list[str]) -> Told:
    """The judge's word."""
    told = Told("x")
    judge(folder, said, told, "about")
    return told


def test_an_undisturbed_life_is_well(lived: tuple[Path, list[str]]) -> None:
    """All that was acknowledged is there: six records and one with content, two checkpoints, one bundle."""
    folder, said = lived
    kinds = [line.split(" ")[0] for line in said]
    assert [kinds.count(kind) for kind in ("record", "blob", "checkpoint", "bundle", "refused")] == [7, 1, 2, 1, 0]
    assert judged(folder, said).held


@pytest.mark.parametrize("line", ["record " + "0" * 64, "bundle life " + "0" * 64, "checkpoint 3 " + "0" * 64])
def test_something_acknowledged_that_is_not_there_is_lost(line: str, lived: tuple[Path, list[str]]) -> None:
    """A record, a file or a checkpoint that somebody was promised."""
    folder, said = lived
    told = judged(folder, [*said, line])
    assert (told.held, told.lost > 0, told.forks) == (False, True, 0)


def test_a_cut_tail_is_lost(lived: tuple[Path, list[str]], tmp_path: Path) -> None:
    """An older log put back under the same promises."""
    folder, said = lived
    older, more = tmp_path / "older", list(said)
    shutil.copytree(folder, older)
    Clerk(folder, "second", more.append).work()
    shutil.copy(older / "log.db", folder / "log.db")
    told = judged(folder, more)
    assert told.lost > 0
    assert told.alarms > 0


def test_a_finding_where_nothing_was_altered_is_an_alarm(lived: tuple[Path, list[str]]) -> None:
    """Here something was, and the judge does not know."""
    folder, said = lived
    with closing(sqlite3.connect(folder / "log.db")) as connection:
        connection.execute("DROP TRIGGER blob_delete")
    told = judged(folder, said)
    assert (told.alarms > 0, told.forks) == (True, 0)
    assert judged(folder, ["foreign KeyError: 0"]).alarms > 0


def test_two_histories_are_a_fork(lived: tuple[Path, list[str]], tmp_path: Path) -> None:
    """A checkpoint outside of a log that went on otherwise."""
    folder, said = lived
    other, also = tmp_path / "other", []
    shutil.copytree(folder, other)
    Clerk(folder, "one", said.append).work()
    Clerk(other, "two", also.append).work()
    for note in (other / "checkpoints").glob("*.note"):
        shutil.copy(note, folder / "checkpoints" / note.name)
    assert judged(folder, [*said, *also]).forks > 0


def test_data_that_changed_unseen_is_unnoticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a verification that finds nothing, flipped bits are counted; with the right one they are not."""
    right = fault_bits._verify
    good = Told("x")
    work: dict[str, Callable[..., None]] = {"a bit of stored content flipped": fault_bits._content}
    monkeypatch.setattr(fault_bits, "_WORK", work)
    (tmp_path / "a").mkdir()
    (good,) = fault_bits.flips(tmp_path / "a", 1, 3)
    whole = right(tmp_path / "a" / "whole")
    monkeypatch.setattr(fault_bits, "_verify", lambda *_: whole)
    (tmp_path / "b").mkdir()
    (bad,) = fault_bits.flips(tmp_path / "b", 1, 3)
    assert (good.unnoticed, bad.unnoticed, bad.held) == (0, 3, False)


def test_a_parser_that_takes_too_much_or_raises_is_counted() -> None:
    """One that takes another spelling; one whose exception is not its own."""
    told = Told("x")
    fault_fuzz.weigh("lax", fault_fuzz.Parser(b"a", lambda data: True, bytes.lower), b"A", told, "")
    fault_fuzz.weigh("raising", fault_fuzz.Parser(b"a", lambda data: bool(data[9]), bytes), b"A", told, "")
    assert (told.unnoticed, told.alarms) == (1, 1)


def test_the_table_shows_each_column_and_what_was_left_out() -> None:
    """One row a fault, a line for what is wrong, and a line for what was not done."""
    bad = Told("bits", 7)
    bad.bad("unnoticed", "byte 9", 2)
    text = table([bad, Told("disk", skipped="no right to mount")])
    assert "| bits | 7 | 0 | 0 | 0 | 2 |" in text
    assert "bits: unnoticed: byte 9" in text
    assert "not done here: disk: no right to mount" in text
