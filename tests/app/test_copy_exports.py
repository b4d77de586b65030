"""The conformed copy in files, and the difference between two of them."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from typing import Any

import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from conformed.app.answer import CovenantAnswer
from conformed.app.copies.copy_diff import Asked, Change, compare_copies, diff_text
from conformed.app.copies.copy_docx import copy_docx
from conformed.app.copies.copy_html import marked, render_copy
from conformed.model.decision import Conformed, ConformedRun, Decision
from conformed.model.document import Refusal
from conformed_plugins.readers.docx import DocxReader
from conformed_plugins.readers.html import HtmlReader

BASE, FIRST, SECOND = "agreement.pdf", "first <b>amendment</b>.html", "second.docx"
EARLY, LATE = (Asked(test_date=dt.date(year, 6, 30), known_at=dt.date(2026, 11, 15)) for year in (2025, 2026))
WORDS = st.lists(st.sampled_from(["the", "ratio", "4.25", "to", "1.00", ".", "(a)", "shall", "not", "exceed"]), max_size=30)


def run(text: str, document: str = BASE, operation: str = "") -> ConformedRun:
    """A run of words."""
    return ConformedRun(text=text, document=document, operation=operation)


def provision(*runs: ConformedRun, section: str = "7.11", superseded: tuple[ConformedRun, ...] = (), **more: Any) -> Conformed:
    """A provision made of runs."""
    return Conformed(section=section, heading="", runs=runs, superseded=superseded, **more)


OLD = provision(run("The ratio shall not exceed 4.25 to 1.00 at any quarter end."))
NEW = provision(
    run("The ratio shall not\nexceed "),
    run("3.50 to 1.00", FIRST, "op-1"),
    run(" at any quarter end."),
    superseded=(run("4.25 to 1.00"),),
)


@pytest.fixture
def answer() -> CovenantAnswer:
    """What governs, with a reason that tries to be a tag."""
    return CovenantAnswer(
        pack="p<script>", test_date=LATE.test_date, known_at=LATE.known_at, result="review", overlay="none", reason="",
        covenant=None, codes=("review_input_missing",),
        reasons=({"code": "review_input_missing", "sentence": "A <i>figure</i> is missing."},),
    )  # fmt: skip


def test_words_in_and_out_with_their_instruments() -> None:
    """The changed figure comes out of the agreement and into the amendment; a line break is no change."""
    diff = compare_copies([OLD], [NEW], dates=(EARLY, LATE))
    (one,) = diff.changed
    assert [(p.change, p.text, p.document) for p in one.pieces if p.change is not Change.SAME] == [
        (Change.REMOVED, " 4.25", BASE),
        (Change.ADDED, " 3.50", FIRST),
    ]
    assert (one.added, one.removed, diff.instruments) == (1, 1, (BASE, FIRST))
    assert [(p.text, p.was) for p in one.pieces if p.was] == [(" to 1.00", BASE)]  # same words, now by the amendment


def test_provisions_that_came_went_and_stayed() -> None:
    """A new definition, one that is gone and one that stayed are told apart; a definition is not the section of its name."""
    kept, gone, new = (provision(run(f"{name} means it."), section=name, definition=True) for name in ("Kept", "7.11", "New"))
    diff = compare_copies([OLD, kept, gone], [OLD, kept, new], dates=(EARLY, LATE))
    assert [(one.section, one.definition, one.change.value) for one in diff.provisions] == [
        ("7.11", False, "same"),
        ("Kept", True, "same"),
        ("New", True, "added"),
        ("7.11", True, "removed"),
    ]
    assert "“New”: added, 4 words in, 0 words out" in diff_text(diff)


def test_a_restatement_word_for_word_is_no_change_and_is_still_told() -> None:
    """The same words by another instrument change no word, and the screen names the provision."""
    again = provision(*(one.model_copy(update={"document": SECOND}) for one in OLD.runs))
    diff = compare_copies([OLD], [again], dates=(EARLY, LATE))
    assert diff.changed == ()
    assert "Same words by another instrument: 7.11." in diff_text(diff)
    assert "No word differs" in diff_text(diff)


@given(WORDS, WORDS)
def test_the_difference_loses_no_word(left: list[str], right: list[str]) -> None:
    """What stayed and what went is the old text, what stayed and what came is the new one; equal texts have no difference."""
    old, new = (provision(run(" ".join(words))) for words in (left, right))
    diff = compare_copies([old], [new], dates=(EARLY, LATE))
    (one,) = diff.provisions
    if left == right:
        assert one.change is Change.SAME
        return
    for side, whole in ((Change.REMOVED, left), (Change.ADDED, right)):
        text = "".join(p.text for p in one.pieces if p.change in (Change.SAME, side))
        assert re.sub(r"\s", "", text) == "".join(whole)


@given(WORDS, WORDS)
def test_the_difference_turned_round(left: list[str], right: list[str]) -> None:
    """A figure that differs never counts as the same, whichever copy comes first."""
    old, new = (provision(run(" ".join([*words, value]))) for words, value in ((left, "4.25"), (right, "4.2")))
    there = compare_copies([old], [new], dates=(EARLY, LATE)).provisions[0]
    back = compare_copies([new], [old], dates=(LATE, EARLY)).provisions[0]
    assert there.change is back.change is Change.CHANGED


def test_html_shows_every_run_with_its_origin_and_escapes(answer: CovenantAnswer) -> None:
    """Words, mark and note of each run are there, struck words are in a del element, and no text of a document is a tag."""
    evil = provision(run("<script>x</script> 4.00\x1b[31m", FIRST), superseded=(run("<b>3.00</b>"),), section="1.1")
    page = render_copy([NEW, evil], answer, compare_copies([OLD], [NEW, evil], dates=(EARLY, LATE)))
    tree = lxml_html.fromstring(page.encode())
    assert not tree.xpath("//script | //i | //b | //*[@src] | //link")
    assert "\x1b" not in page
    spans = [(s.get("class"), s.text) for s in tree.xpath("//p[@class='copy']/span")]
    assert ("run i2", "3.50 to 1.00") in spans
    assert [d.text for d in tree.xpath("//aside//del")] == ["4.25 to 1.00", "<b>3.00</b>"]
    marks = [a.get("href")[1:] for a in tree.xpath("//sup/a")]
    notes = tree.xpath("//ol[@class='notes']/li/@id")
    assert sorted(marks) == sorted(notes) == sorted(set(notes))
    assert f"2.1 {FIRST}; operation op-1" in [li.text_content() for li in tree.xpath("//ol[@class='notes']/li")]
    assert [one.text for one in tree.xpath("//ins")][:1] == [" 3.50"]
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_docx_strikes_what_no_longer_counts(answer: CovenantAnswer) -> None:
    """Word reads it: live words plain, superseded ones struck, every run followed by its raised mark, and its note below."""
    document = Document(io.BytesIO(copy_docx([NEW], answer)))
    runs = [run for paragraph in document.paragraphs for run in paragraph.runs]
    assert [r.text for r in runs if r.font.strike] == ["4.25 to 1.00"]
    assert [r.text for r in runs if r.font.superscript] == ["1.1", "2.1", "1.2", "1.3"]
    assert f"2.1  {FIRST}; operation op-1" in [p.text for p in document.paragraphs]
    assert "3.50 to 1.00" in [r.text for r in runs if not r.font.strike]


def test_the_readers_of_the_product_see_what_was_struck(answer: CovenantAnswer) -> None:
    """Read back by the product itself, live words are live and superseded ones struck, in the page and in the Word file."""
    for document in (
        DocxReader().read("copy.docx", copy_docx([NEW], answer)),
        HtmlReader().read("copy.html", render_copy([NEW], answer).encode()),
    ):
        assert not isinstance(document, Refusal)
        assert "".join(document.text[one.start : one.end] for one in document.struck) == "4.25 to 1.00"
        assert "3.50 to 1.00" in document.text


def test_docx_takes_any_character(answer: CovenantAnswer) -> None:
    """Characters that XML cannot hold, as PDF text has them, are left out instead of stopping the export."""
    odd = provision(run("consoli\ufffedated\x02 \x00\x0b\uffff net \U0001f4b0"))
    document = Document(io.BytesIO(copy_docx([odd], answer)))
    assert "consolidated  net \U0001f4b0" in [r.text for p in document.paragraphs for r in p.runs]


def test_same_copy_same_bytes(answer: CovenantAnswer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither file holds the clock: made in another year they have the same bytes."""
    first = copy_docx([NEW, OLD], answer), render_copy([NEW, OLD], answer)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    monkeypatch.setattr("time.localtime", lambda *_: (2033, 5, 18, 3, 33, 20, 2, 138, 0))
    assert (copy_docx([NEW, OLD], answer), render_copy([NEW, OLD], answer)) == first
    with zipfile.ZipFile(io.BytesIO(first[0])) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"2026-11-15T12:00:00Z" in archive.read("docProps/core.xml")


def test_marks_are_unique_and_name_their_instrument(decision: Decision) -> None:
    """Over a whole copy no mark comes twice, and a note names the run's own document."""
    copies = (*decision.conformed, NEW, OLD)
    found = [run for one in marked(copies) for run in (*one.runs, *one.struck)]
    assert len({run.mark for run in found}) == len(found)
    documents = [run.document for one in copies for run in (*one.runs, *one.superseded)]
    assert all(document.partition("<")[0] in run.note for document, run in zip(documents, found, strict=True))
