"""What was read is kept for the next date, and never taken for anything else."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from conformed.app.memory import Memory, Read, held_back, program_stamp
from conformed.app.options import RunOptions
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, Covenant, Doubt, Limit, Unit
from conformed.model.decision import Effective, Overlay
from conformed.model.document import Refusal
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Manifest, Question
from conformed.model.retrieval import Retrieved

QUESTION = Question(test_date=dt.date(2024, 9, 30), known_at=dt.date(2024, 11, 30))


def read(digest: str = "d1", *, refused: bool = False, coverage: tuple[Doubt, ...] = ()) -> Read:
    """A pack that was read and has nothing in it."""
    refusals = (Refusal(name="a.pdf", code="timeout", sentence="a.pdf takes too long."),) if refused else ()
    case = CaseFile(
        pack="p", digest=digest, borrower=None, question=QUESTION, manifest=Manifest(), documents=(), trees=(),
        instruments=(), refusals=refusals,
    )  # fmt: skip
    return Read(case=case, retrieved=Retrieved(authorised=(), coverage=coverage), extraction=Extraction(producer="x"))


class Maker:
    """Makes a reading and counts how often it was asked."""

    def __init__(self, made: Read) -> None:
        self.made, self.asked = made, 0

    def __call__(self) -> Read:
        self.asked += 1
        return self.made


def test_a_reading_is_made_once(tmp_path: Path) -> None:
    """In one process and in the next, the same key gives what was read without reading."""
    make = Maker(read())
    memory = Memory(tmp_path, "stamp")
    assert memory.get("key", make).case == memory.get("key", make).case == make.made.case
    assert Memory(tmp_path, "stamp").get("key", make).case == make.made.case
    assert make.asked == 1


@pytest.mark.parametrize(("key", "stamp"), [("other", "stamp"), ("key", "a changed program")])
def test_another_key_or_program_reads_again(tmp_path: Path, key: str, stamp: str) -> None:
    """Nothing that was read of other files, under another contract or by another program counts."""
    make = Maker(read())
    Memory(tmp_path, "stamp").get("key", make)
    Memory(tmp_path, stamp).get(key, make)
    assert make.asked == 2


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b"not json"])
def test_a_damaged_entry_is_read_as_absent(tmp_path: Path, damage: bytes) -> None:
    """Whatever stands in the file, an answer is never made of it."""
    make = Maker(read())
    Memory(tmp_path, "stamp").get("key", make)
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(damage)
    assert Memory(tmp_path, "stamp").get("key", make).case == make.made.case
    assert make.asked == 2


def test_an_entry_put_in_anothers_place_is_not_taken(tmp_path: Path) -> None:
    """A file that was renamed to another key's name is known for what it is."""
    Memory(tmp_path, "stamp").get("one", Maker(read("d1")))
    (one,) = tmp_path.iterdir()
    Memory(tmp_path, "stamp").get("two", Maker(read("d2")))
    two = next(path for path in tmp_path.iterdir() if path != one)
    one.replace(two)
    make = Maker(read("d2"))
    assert Memory(tmp_path, "stamp").get("two", make).case.digest == "d2"
    assert make.asked == 1


def test_a_reading_with_a_refusal_is_not_kept(tmp_path: Path) -> None:
    """A file that could not be read now may be read later: the next process tries again."""
    make = Maker(read(refused=True))
    Memory(tmp_path, "stamp").get("key", make)
    assert list(tmp_path.iterdir()) == []
    Memory(tmp_path, "stamp").get("key", make)
    assert make.asked == 2


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    """The memory is a convenience: where it cannot be kept, the answer is still given."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    make = Maker(read())
    assert Memory(tmp_path / "file" / "cache", "stamp").get("key", make).case == make.made.case


def test_half_an_entry_is_never_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills while an entry is written leaves no part of it."""

    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    Memory(tmp_path, "stamp").get("key", Maker(read()))
    assert list(tmp_path.iterdir()) == []


def test_a_changed_module_changes_the_stamp(tmp_path: Path) -> None:
    """Size or time of any module below a package count; files that are no modules do not."""
    module = tmp_path / "package" / "inner" / "part.py"
    module.parent.mkdir(parents=True)
    module.write_text("a = 1\n", encoding="utf-8")
    before = program_stamp((tmp_path,))
    (tmp_path / "package" / "notes.txt").write_text("no module", encoding="utf-8")
    assert program_stamp((tmp_path,)) == before
    module.write_text("a = 22\n", encoding="utf-8")
    assert program_stamp((tmp_path,)) != before


def test_another_date_is_answered_from_memory(fenwick: Path, bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second question about the same files reads no file; a changed file is read again."""
    from conformed_plugins.readers.text import TextReader

    names: list[str] = []
    original = TextReader.read

    def counted(self: TextReader, name: str, data: bytes) -> object:
        names.append(name)
        return original(self, name, data)

    monkeypatch.setattr(TextReader, "read", counted)

    def ask(day: dt.date) -> str:
        service = Service(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})
        return service.covenant(fenwick, RunOptions(test_date=day)).result

    assert ask(dt.date(2024, 9, 30)) == ask(dt.date(2024, 6, 30)) == "determined"
    assert ask(dt.date(2022, 6, 30)) != "determined"  # before the agreement
    assert names == ["agreement.txt", "certificate.txt"]
    with (fenwick / "agreement.txt").open("a", encoding="utf-8") as file:
        file.write("\n")
    ask(dt.date(2024, 9, 30))
    assert names == ["agreement.txt", "certificate.txt"] * 2


COVENANT = Covenant(
    name="Leverage Ratio", metric="total_leverage", section="6.10", comparator=Comparator.LE,
    limit=Limit(unit=Unit.RATIO, value=4, raw="4.00"), document="a.txt",
)  # fmt: skip
DETERMINED = Effective(result="determined", overlay=Overlay.NONE, covenant=COVENANT)


def test_what_retrieval_leaves_open_holds_an_answer_back() -> None:
    """An answer without a record passes over nothing at which a run would stop: it is brought to review, its level a candidate."""
    doubt = Doubt(code="review_retrieval_incomplete", sentence="No agreement is in the pack.")
    found = held_back(DETERMINED, read(coverage=(doubt,)))
    assert (found.result, found.candidates) == ("review", (COVENANT,))
    assert isinstance(found.covenant, Missing)
    assert found.reasons[0].code == "review_retrieval_incomplete"


def test_a_finding_holds_nothing_back() -> None:
    """A code that does not stop a run does not stop an answer."""
    doubt = Doubt(code="finding_recited_instrument_absent", sentence="An instrument is named and absent.")
    assert held_back(DETERMINED, read(coverage=(doubt,))) == DETERMINED
