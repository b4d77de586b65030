"""A level that was read by OCR, or from a suspect page, is shown and not determined."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.model.covenant import Comparator, Covenant, Limit, Unit
from conformed.model.document import Document, Media, Note, Page
from conformed.model.pack import CaseFile, Instrument, InstrumentKind, Manifest, Question
from conformed.model.provision import ProvisionTree
from conformed.rules.witness import unwitnessed

TEXT = "Leverage shall not exceed 3.50 to 1.00.\fSchedule of fees."


def _case(*notes: Note) -> CaseFile:
    pages = (Page(number=1, start=0, end=39), Page(number=2, start=40, end=len(TEXT)))
    paper = Document(
        name="a.pdf", sha256="0" * 64, media=Media.PDF, reader="pdf 1.0.0", text=TEXT, pages=pages, paged=True, notes=notes
    )
    return CaseFile(
        pack="p", digest="0" * 64, borrower=None, question=Question(test_date="2024-06-30", known_at="2024-08-01"), manifest=Manifest(),
        documents=(paper,), trees=(ProvisionTree(document="a.pdf", provisions=()),),
        instruments=(Instrument(document="a.pdf", kind=InstrumentKind.FACILITY_AGREEMENT),),
    )  # fmt: skip


def _covenant(case: CaseFile) -> Covenant:
    span = case.documents[0].span(26, 38)
    level = Limit(unit=Unit.RATIO, value=Fraction(7, 2), raw=span.text, places=2, spans=(span,))
    return Covenant(
        name="Leverage",
        metric="total_leverage",
        section="1",
        comparator=Comparator.LE,
        limit=level,
        document="a.pdf",
        spans=(span,),
    )


@pytest.mark.parametrize("code", ["ocr", "text_layer_suspect", "marks_unchecked"])
def test_a_level_on_a_page_that_may_lie_needs_an_eye(code: str) -> None:
    """OCR, a suspect text layer and unchecked marks on the level's own page stop the run; the place is shown."""
    case = _case(Note(code=code, sentence="-", page=1))
    (reason,) = unwitnessed(case, _covenant(case))
    assert reason.code == "review_number_not_witnessed"
    assert reason.spans[0].text == "3.50 to 1.00"


def test_a_note_on_another_page_changes_nothing() -> None:
    """Only the page on which the level stands counts; a note on the whole document counts everywhere."""
    other = _case(Note(code="ocr", sentence="-", page=2))
    assert unwitnessed(other, _covenant(other)) == []
    whole = _case(Note(code="ocr", sentence="-"))
    assert len(unwitnessed(whole, _covenant(whole))) == 1
    plain = _case(Note(code="restricted", sentence="-", page=1))
    assert unwitnessed(plain, _covenant(plain)) == []
    assert unwitnessed(plain, None) == []
