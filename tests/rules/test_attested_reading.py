"""A reading of counsel chooses; it passes over no conformed copy and no number that nobody has looked at."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from test_attested import AGREEMENT, COMMON, SIGNING, TO, paper

from conformed.model.covenant import Covenant
from conformed.model.decision import Effective
from conformed.model.document import Document, Note
from conformed.model.operation import Extraction
from conformed.model.override import CounselReading
from conformed.model.pack import CaseFile, Execution, InstrumentKind, Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest
from conformed.rules.attested.attested import attest, decide_attested
from conformed.rules.instruments.casefile import build_case
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.readers.text import TextReader

DAY = dt.date(2024, 5, 10)


def read(name: str, text: str) -> Document:
    """A document from its text."""
    found = TextReader().read(name, text.encode())
    assert isinstance(found, Document)
    return found


def case_of(documents: list[Document], kinds: dict[str, InstrumentKind] | None = None) -> tuple[CaseFile, Extraction]:
    """A case in which every paper is executed and counts from its day, and what is proposed of it."""
    listed = tuple(
        ManifestDocument(
            file=d.name,
            kind=(kinds or {}).get(d.name),
            execution=Execution.EXECUTED,
            effective_on=dt.date(2022, 3, 1) if d.name == "agreement.txt" else DAY,
        )
        for d in documents
    )
    question = Question(test_date=dt.date(2024, 9, 30), known_at=dt.date(2026, 1, 1), section="7.11")
    case = build_case(
        documents, pack="glass", digest="0", question=question, manifest=Manifest(documents=listed, chain_complete=True)
    )
    names = tuple(d.name for d in case.documents)
    return case, ClauseExtractor().extract(ExtractRequest(case, Retrieved(authorised=names)))


def clash(*, note: str = "") -> list[Document]:
    """An agreement and two changes of one day; the second may have been read by OCR."""
    second = read("second.txt", paper("SECOND", "May 10, 2024", TO.format(to="3.75") + SIGNING))
    if note:
        second = second.model_copy(update={"notes": (Note(code=note, sentence="Read from a picture."),)})
    return [
        read("agreement.txt", AGREEMENT),
        read("first.txt", paper("FIRST", "May 10, 2024", TO.format(to="4.50") + SIGNING)),
        second,
    ]


def with_copy(level: str) -> tuple[CaseFile, Extraction]:
    """The same with a conformed copy that states a level, and what an extractor reads in it."""
    copy = read("copy.txt", "CONFORMED COPY\n\n" + AGREEMENT.replace("4.00", level))
    case, extraction = case_of([*clash(), copy], {"copy.txt": InstrumentKind.CONFORMED_COPY})
    said = case_of([copy], {"copy.txt": InstrumentKind.FACILITY_AGREEMENT})[1].operations
    others = tuple(o for o in extraction.operations if o.document != "copy.txt")
    return case, extraction.model_copy(update={"operations": (*others, *said)})


def advised(case: CaseFile, extraction: Extraction, level: Fraction) -> Effective:
    """The answer where counsel chooses the reading at a level."""
    before = decide(case, extraction)
    assert {r.code for r in before.reasons if r.code.startswith("review")} == {"review_conflict_same_effective_date"}
    number, chosen = next((n, c) for n, c in enumerate(before.candidates, 1) if c.limit.value == level)
    subject = next(r.subject for r in before.reasons if r.code.startswith("review"))
    one = CounselReading(
        answers="review_conflict_same_effective_date", subject=subject, counsel="P. Lowe", advised_on=DAY, reference="PL/9",
        reading=number, run="r-1", chosen=chosen, **COMMON,
    )  # fmt: skip
    found = attest(case, extraction, [one])
    return decide_attested(found.case, found.extraction, found)[0]


@pytest.mark.parametrize("level", [Fraction(9, 2), Fraction(15, 4)])
def test_the_reading_governs(level: Fraction) -> None:
    """Either of the two, with nothing left open."""
    answer = advised(*case_of(clash()), level)
    assert isinstance(answer.covenant, Covenant)
    assert (answer.result, answer.covenant.limit.value, answer.candidates) == ("determined", level, ())


def test_a_conformed_copy_that_says_otherwise_stops_counsel() -> None:
    """The level is shown with the conflict; a copy that repeats the reading stops nothing."""
    answer = advised(*with_copy("4.25"), Fraction(9, 2))
    assert answer.result == "review"
    assert "review_conformed_copy_conflict" in {r.code for r in answer.reasons}
    assert advised(*with_copy("4.50"), Fraction(9, 2)).result == "determined"


def test_a_number_read_from_a_picture_stops_counsel() -> None:
    """Advice on the order of two papers says nothing of whether a figure was read right; the other figure is plain text."""
    case, extraction = case_of(clash(note="ocr"))
    answer = advised(case, extraction, Fraction(15, 4))
    assert answer.result == "review"
    assert "review_number_not_witnessed" in {r.code for r in answer.reasons}
    assert advised(case, extraction, Fraction(9, 2)).result == "determined"
