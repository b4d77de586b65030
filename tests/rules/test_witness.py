"""A level that was read by OCR, or from a suspect page, is shown and not determined."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Figure, Step
from conformed.model.covenant import Comparator, Covenant, Limit, Unit
from conformed.model.decision import Effective, Overlay, Reason
from conformed.model.document import Document, Media, Note, Page
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile, Instrument, InstrumentKind, Manifest, Question
from conformed.model.provision import ProvisionTree
from conformed.model.span import Run
from conformed.rules.precedence.witness import (
    deciding_dates,
    deciding_figures,
    deciding_level,
    held_against,
    seen,
    unwitnessed,
    unwitnessed_figures,
)

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


@pytest.mark.parametrize("code", ["style_unread", "style_elsewhere", "fonts_own"])
def test_styles_and_fonts_that_cannot_be_followed_need_an_eye(code: str) -> None:
    """A page whose styles or fonts may show other words than its text stops a level in the same way."""
    whole = _case(Note(code=code, sentence="-"))
    assert [reason.code for reason in unwitnessed(whole, _covenant(whole))] == ["review_number_not_witnessed"]


@pytest.mark.parametrize("kind", ["struck", "hidden", "furniture"])
def test_a_level_that_nobody_sees_never_decides(kind: str) -> None:
    """A span inside struck, hidden or set-apart words is no witness, whoever proposed it; beside them it is."""
    case = _case()
    (paper,) = case.documents
    over = paper.model_copy(update={kind: (Run(start=30, end=34),)})
    beside = paper.model_copy(update={kind: (Run(start=0, end=8),)})
    covenant = _covenant(case)
    assert len(unwitnessed(case.model_copy(update={"documents": (over,)}), covenant)) == 1
    assert unwitnessed(case.model_copy(update={"documents": (beside,)}), covenant) == []


def test_the_dates_of_a_chosen_row_decide_too() -> None:
    """The level's own place counts, and the days of its row; the clause around them, which is long, does not."""
    case = _case()
    day, clause = case.documents[0].span(0, 8).model_copy(update={"text": "March 31, 2024"}), case.documents[0].span(0, 39)
    covenant = _covenant(case)
    chosen = covenant.model_copy(
        update={"row": "March 31, 2024", "spans": (*covenant.spans, day, clause.model_copy(update={"text": "x1" * 90}))}
    )
    assert [s.text for s in deciding_level(chosen)] == ["3.50 to 1.00", "March 31, 2024"]
    assert [s.text for s in deciding_level(chosen.model_copy(update={"row": ""}))] == ["3.50 to 1.00"]
    assert deciding_level(None) == ()


def test_the_day_from_which_a_level_counts_decides() -> None:
    """Dates in the words of effectiveness of the instrument that sets the level, and in a notice of it, are looked at; others are not."""
    case = _case()
    words = "takes effect on March 3, 2024 between them"
    paper = case.documents[0].model_copy(update={"text": words + " " * 20, "pages": (Page(number=1, start=0, end=62),)})
    case = case.model_copy(update={"documents": (paper,)})
    covenant = _covenant(_case())
    when = Effectiveness(mode=EffectiveMode.FIXED, date=dt.date(2024, 3, 3), spans=(paper.span(0, len(words)),))
    operation = Operation(id="a#1", op=Op.SET_LEVEL, document="a.pdf", target=Target(section="1"), effective=when)
    other = operation.model_copy(update={"document": "b.pdf"})
    assert [s.text for s in deciding_dates(case, Extraction(operations=(operation, operation)), covenant)] == ["March 3, 2024"]
    assert deciding_dates(case, Extraction(operations=(other,)), covenant) == ()
    noticed = case.instruments[0].model_copy(update={"effective_evidence": (paper.span(0, len(words)),)})
    shown = case.model_copy(update={"instruments": (noticed,)})
    assert [s.text for s in deciding_dates(shown, Extraction(), covenant)] == ["March 3, 2024"]
    found = seen(
        _effective(covenant), lambda spans: ["x" * (s.text == "March 3, 2024") for s in spans], lambda _c: (paper.span(16, 29),)
    )
    assert found.result == "review"


def _effective(covenant: Covenant) -> Effective:
    accepted = Reason(code="accept_base_statement", sentence="-")
    return Effective(result="determined", overlay=Overlay.NONE, covenant=covenant, reasons=(accepted,))


def test_a_page_that_speaks_against_the_level_makes_it_a_review() -> None:
    """What is said of the level's number stops it: the level is a candidate, the place is shown, nothing is accepted."""
    case = _case()
    covenant = _covenant(case)
    found = seen(_effective(covenant), lambda spans: ["the page as it is drawn reads 8.50"] * len(spans))
    assert found.result == "review"
    assert isinstance(found.covenant, Missing)
    assert found.candidates == (covenant,)
    assert [r.code for r in found.reasons] == ["review_number_not_witnessed"]
    assert "reads 8.50" in found.reasons[0].sentence
    assert found.reasons[0].spans == covenant.limit.spans


def test_a_page_that_agrees_changes_nothing() -> None:
    """Where nothing is said the answer is the same object of the same words; a review is not looked at."""
    effective = _effective(_covenant(_case()))
    assert seen(effective, lambda spans: [""] * len(spans)) == effective
    open_one = effective.model_copy(update={"result": "review"})
    assert seen(open_one, lambda _spans: pytest.fail("nobody was asked to look")) == open_one


def test_figures_of_a_calculation_are_witnessed_as_levels_are() -> None:
    """Only figures that some step uses count, the level apart; one on a page read by OCR needs an eye, one reason a document."""
    case = _case(Note(code="ocr", sentence="-", page=1))
    paper = case.documents[0]
    used = Figure(name="total_debt", label="Debt", value=Fraction(300), raw="3.50", spans=(paper.span(26, 30),))
    more = used.model_copy(update={"name": "ebitda", "spans": (paper.span(34, 38),)})
    idle = used.model_copy(update={"name": "cash", "spans": (paper.span(26, 38),)})
    level = used.model_copy(update={"name": "level"})
    steps = (Step(name="ratio", expression="total_debt / ebitda + level", value=Fraction(1), unit="x"),)
    nothing = Missing(reason="-", code="review_input_missing")
    calculation = Calculation(figures=(used, more, idle, level), steps=steps, ratio=Fraction(1), comparison=nothing)
    assert deciding_figures(calculation) == (*used.spans, *more.spans)
    (reason,) = unwitnessed_figures(case, calculation)
    assert (reason.code, reason.subject, len(reason.spans)) == ("review_number_not_witnessed", "a.pdf", 2)
    assert unwitnessed_figures(_case(), calculation) == []
    assert deciding_figures(nothing) == ()
    assert held_against((), lambda _spans: pytest.fail("nothing to look at")) == []
