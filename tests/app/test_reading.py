"""From a path to a case file: what is asked, who reads a file, and that one bad file harms no other."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.reading import case_of_files, open_pack, question_of, read_file
from conformed.engine.gather import File
from conformed.errors import PackError, UsageError
from conformed.model.document import Document, Media, Page, Refusal
from conformed.model.pack import Manifest

DAY = dt.date(2026, 3, 2)


class Reader:
    """Takes everything that is called after its own ending, and does as it is told."""

    def __init__(self, ending: str, does: object = None) -> None:
        self.ending, self.does = ending, does

    def accepts(self, name: str, head: bytes) -> bool:
        assert len(head) <= 4096
        return name.endswith(self.ending)

    def read(self, name: str, data: bytes) -> Document | Refusal:
        if isinstance(self.does, BaseException):
            raise self.does
        if self.does is not None:
            return self.does  # type: ignore[return-value]
        text = data.decode()
        pages = (Page(number=1, start=0, end=len(text)),)
        digest = hashlib.sha256(data).hexdigest()
        return Document(name=name, sha256=digest, media=Media.TEXT, reader="test 1", text=text, pages=pages, paged=False)


def file(name: str, data: bytes = b"Some words.") -> File:
    """A file as it is gathered."""
    return File(name=name, data=data, sha256=hashlib.sha256(data).hexdigest())


def test_the_first_reader_that_accepts_reads() -> None:
    """The contract's order decides, and a reader that does not accept is not asked."""
    never = Reader(".pdf", AssertionError("asked"))
    found = read_file(file("a.txt"), [never, Reader(".txt"), Reader(".txt", AssertionError("asked"))])
    assert isinstance(found, Document)
    assert found.text == "Some words."


def test_a_format_that_nobody_reads_is_refused_by_name() -> None:
    """The refusal names the file, its hash and the formats that are read."""
    found = read_file(file("a.xyz"), [Reader(".txt")])
    assert isinstance(found, Refusal)
    assert (found.name, found.code) == ("a.xyz", "unknown_format")
    assert found.sha256 == hashlib.sha256(b"Some words.").hexdigest()
    assert "a.xyz is in no format" in found.sentence
    assert "PDF, DOCX, HTML" in found.sentence


@pytest.mark.parametrize(
    ("does", "says"),
    [
        (ValueError("secret words of the paper"), "ValueError"),
        (RecursionError(), "RecursionError"),
        (PackError("its third page is torn.", ""), "its third page is torn."),
        ("no document", "another document"),
        (Refusal(name="b.txt", code="broken", sentence="b.txt is broken."), "another document"),
        (Refusal(name="a.txt", code="broken", sentence="a.txt is broken.", sha256="0" * 64), "another document"),
    ],
)
def test_whatever_a_reader_does_wrong_is_a_refusal(does: object, says: str) -> None:
    """It raises, gives nothing of use or another file: the file is refused by name, and no words of it get out."""
    found = read_file(file("a.txt"), [Reader(".txt", does)])
    assert isinstance(found, Refusal)
    assert (found.name, found.code) == ("a.txt", "broken")
    assert "a.txt" in found.sentence
    assert says in found.sentence
    assert "secret" not in found.sentence


def test_one_bad_file_harms_no_other(tmp_path: Path) -> None:
    """Of three files the two good ones are read; the third is a refusal of the case file, and progress names each."""
    for name in ("a.txt", "b.bad", "c.txt"):
        (tmp_path / name).write_text(f"Words of {name}.", encoding="utf-8")
    told: list[tuple[str, int, int]] = []
    kept: list[str] = []
    pack = open_pack(tmp_path)
    case = case_of_files(
        pack,
        question_of(RunOptions(test_date=DAY), pack.manifest, DAY),
        [Reader(".bad", OSError()), Reader(".txt")],
        lambda step, done=0, total=0: told.append((step, done, total)),
        lambda document: kept.append(document.name),
    )
    assert [document.name for document in case.documents] == kept == ["a.txt", "c.txt"]
    assert [refusal.name for refusal in case.refusals] == ["b.bad"]
    assert told == [("read a.txt", 1, 3), ("read b.bad", 2, 3), ("read c.txt", 3, 3)]


def test_the_same_files_give_the_same_case_file(fenwick: Path) -> None:
    """Read twice, the case file is the same, and so is its digest; a changed byte changes the digest."""

    def read() -> tuple[str, str]:
        pack = open_pack(fenwick)
        readers: Sequence[Reader] = [Reader(".txt")]
        case = case_of_files(pack, question_of(RunOptions(), pack.manifest, DAY), readers, silent)  # type: ignore[arg-type]
        return case.model_dump_json(), case.digest

    first = read()
    assert read() == first
    (fenwick / "certificate.txt").write_text("Another certificate.", encoding="utf-8")
    assert read()[1] != first[1]


MANIFEST = Manifest(test_date=dt.date(2024, 9, 30), known_at=dt.date(2024, 11, 30), covenant="Leverage Ratio", section="6.10")


def test_what_is_asked_comes_from_the_manifest() -> None:
    """Without options the manifest says everything."""
    asked = question_of(RunOptions(), MANIFEST, DAY)
    assert (asked.test_date, asked.known_at) == (dt.date(2024, 9, 30), dt.date(2024, 11, 30))
    assert (asked.covenant, asked.section) == ("Leverage Ratio", "6.10")


def test_a_section_typed_alone_drops_the_name_of_the_manifest() -> None:
    """Who types one of name and section means that one, and not the manifest's other."""
    by_section = question_of(RunOptions(section="7.01"), MANIFEST, DAY)
    assert (by_section.covenant, by_section.section) == (None, "7.01")
    by_name = question_of(RunOptions(covenant="Interest Cover"), MANIFEST, DAY)
    assert (by_name.covenant, by_name.section) == ("Interest Cover", None)


def test_no_test_date_is_a_usage_error() -> None:
    """It says where a date can be given."""
    with pytest.raises(UsageError, match=r"pack\.yaml.*--test-date"):
        question_of(RunOptions(), Manifest(), DAY)


def test_facts_are_sorted() -> None:
    """The order in which facts are typed does not reach the record."""
    one = question_of(RunOptions(test_date=DAY, facts={"b": "2", "a": "1"}), Manifest(), DAY)
    assert list(one.facts) == ["a", "b"]
