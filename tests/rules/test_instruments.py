"""Instruments: what a document is in law, its number, its date and how far it is signed."""

from __future__ import annotations

import datetime as dt

import pytest

from conformed.language.traced import live_view
from conformed.model.document import Document, Media, Page
from conformed.model.pack import Execution, Instrument, InstrumentKind, ManifestDocument
from conformed.rules.instruments.instruments import read_instrument

K = InstrumentKind


def _read(text: str, attested: ManifestDocument | None = None) -> Instrument:
    page = Page(number=1, start=0, end=len(text))
    document = Document(
        name="d.txt", sha256="0" * 64, media=Media.TEXT, reader="text 1.0.0", text=text, pages=(page,), paged=False
    )
    return read_instrument(live_view(document), "d.txt", attested)


SIGNED = "\nIN WITNESS WHEREOF the parties have signed.\nBy: /s/ Ada Quill\nName: Ada Quill\n"
BLANK = "\nIN WITNESS WHEREOF the parties have signed.\nBy: ______________\nName:\n"

KINDS = [
    ("CREDIT AGREEMENT\ndated as of March 3, 2021\namong Alder Co. and the Lenders\n", K.FACILITY_AGREEMENT, None),
    ("FACILITIES AGREEMENT\n3 March 2021\nfor Alder plc\n", K.FACILITY_AGREEMENT, None),
    ("SECOND AMENDMENT TO CREDIT AGREEMENT\nThis Second Amendment dated as of May 4, 2022\n", K.AMENDMENT, 2),
    ("AMENDMENT NO. 3\ndated as of May 4, 2022 to the Credit Agreement\n", K.AMENDMENT, 3),
    ("AMENDED AND RESTATED CREDIT AGREEMENT\ndated as of May 4, 2022\n", K.RESTATEMENT, None),
    ("WAIVER LETTER\n4 May 2022\nTo: Alder plc\n", K.WAIVER, None),
    ("CONSENT LETTER\n4 May 2022\nTo: Alder plc\n", K.CONSENT, None),
    ("COMPLIANCE CERTIFICATE\nfor the quarter ended March 31, 2022\n", K.COMPLIANCE_CERTIFICATE, None),
    ("RESERVATION OF RIGHTS\n4 May 2022\n", K.RESERVATION, None),
    ("SIDE LETTER\n4 May 2022\nre the Credit Agreement\n", K.SIDE_LETTER, None),
    ("NOTICE OF EFFECTIVENESS\nof Amendment No. 1\n", K.CONDITION_NOTICE, None),
    ("Minutes of a meeting of the board held on May 4, 2022\n", K.OTHER, None),
]


@pytest.mark.parametrize(("text", "kind", "number"), KINDS)
def test_kind_and_number(text: str, kind: InstrumentKind, number: int | None) -> None:
    """The title says what a document is, and which of several amendments."""
    found = _read(text + "The parties agree as set out below.\n")
    assert (found.kind, found.number) == (kind, number)


def test_its_own_date_and_not_the_agreements() -> None:
    """An amendment's date is its own, not that of the agreement that it amends; that one is recited."""
    text = (
        "FIRST AMENDMENT\nThis First Amendment, dated as of June 1, 2023, amends the Credit Agreement dated as of March 3, 2021 "
        "between Alder Co. and the Lenders.\n"
    )
    found = _read(text)
    assert found.dated == dt.date(2023, 6, 1)
    assert found.amends is not None
    assert found.amends.dated == dt.date(2021, 3, 3)
    assert [s.text for s in found.spans["dated"]] == ["June 1, 2023"]


def test_earlier_amendments_are_recited() -> None:
    """Amendments that a later one names are recited with their dates."""
    text = (
        "THIRD AMENDMENT TO CREDIT AGREEMENT\nThis Third Amendment is dated as of June 1, 2023. The Credit Agreement dated as of "
        "March 3, 2021, as amended by the First Amendment dated as of May 2, 2022 and the Second Amendment dated as of July 9, 2022.\n"
    )
    assert [(r.number, r.dated) for r in _read(text).recites] == [(1, dt.date(2022, 5, 2)), (2, dt.date(2022, 7, 9))]


@pytest.mark.parametrize(
    ("text", "execution"),
    [
        ("FIRST AMENDMENT\ndated June 1, 2023\n" + SIGNED, Execution.EXECUTED),
        ("FIRST AMENDMENT\ndated June 1, 2023\n" + BLANK, Execution.UNSIGNED),
        ("FIRST AMENDMENT\ndated June 1, 2023\n" + SIGNED + "AGENT\nBy: ______________\n", Execution.PARTIAL),
        ("DRAFT (2)\nFIRST AMENDMENT\ndated June 1, 2023\n" + SIGNED, Execution.DRAFT),
        ("FIRST AMENDMENT\nSUBJECT TO CONTRACT\n", Execution.DRAFT),
        ("FIRST AMENDMENT\ndated June 1, 2023\n", Execution.UNKNOWN),
    ],
)
def test_execution(text: str, execution: Execution) -> None:
    """Signatures, blanks and marks of a draft say how far it is made; nothing is assumed where there are none."""
    found = _read(text)
    assert found.execution is execution
    assert not found.execution_attested


def test_what_is_attested_goes_before_what_is_read() -> None:
    """pack.yaml overrides kind, date and execution, and gives an effective day that no text could."""
    attested = ManifestDocument(
        file="d.txt", kind=K.WAIVER, dated=dt.date(2023, 6, 2), execution=Execution.EXECUTED, effective_on=dt.date(2023, 6, 9)
    )
    found = _read("FIRST AMENDMENT\ndated June 1, 2023\n" + BLANK, attested)
    assert (found.kind, found.dated, found.execution) == (K.WAIVER, dt.date(2023, 6, 2), Execution.EXECUTED)
    assert found.execution_attested
    assert found.effective_on == dt.date(2023, 6, 9)


def test_a_printed_date_is_no_effective_date() -> None:
    """The date on an instrument is never the day from which it counts."""
    assert _read("FIRST AMENDMENT\ndated June 1, 2023\n" + SIGNED).effective_on is None
