"""The case file: the same documents in any order are the same case."""

from __future__ import annotations

import datetime as dt
import itertools

from conformed.model.document import Document, Media, Page
from conformed.model.pack import CaseFile, InstrumentKind, Manifest, Question
from conformed.rules.instruments.casefile import build_case

TEXTS = {
    "01.txt": (
        "CREDIT AGREEMENT\ndated as of March 3, 2021\nSection 7.11 Leverage. The Leverage Ratio shall not exceed 3.50 to 1.00.\n"
    ),
    "02.txt": (
        'FIRST AMENDMENT\ndated as of June 1, 2023\nSection 1.1 Change. It reads:\n"Section 7.11 Leverage. The '
        'Leverage Ratio shall not exceed 4:1."\n'
    ),
    "03.txt": "NOTICE OF EFFECTIVENESS\nAll conditions to the First Amendment were satisfied on June 9, 2023.\n",
}


def _build(names: tuple[str, ...]) -> CaseFile:
    documents = [
        Document(name=n, sha256="0" * 64, media=Media.TEXT, reader="text 1.0.0", text=TEXTS[n], pages=(Page(number=1, start=0, end=len(TEXTS[n])),), paged=False)
        for n in names
    ]  # fmt: skip
    question = Question(test_date=dt.date(2023, 6, 30), known_at=dt.date(2024, 1, 1))
    return build_case(documents, pack="p", digest="d", question=question, manifest=Manifest())


def test_order_does_not_matter() -> None:
    """Documents given in any order make the same case file, sorted by name."""
    cases = [_build(order) for order in itertools.permutations(TEXTS)]
    assert all(c == cases[0] for c in cases)
    assert [d.name for d in cases[0].documents] == sorted(TEXTS)


def test_trees_and_instruments_stand_beside_their_documents() -> None:
    """Each document has its instrument and its tree at the same place; only an amendment's quotations are marked."""
    case = _build(tuple(TEXTS))
    assert [i.kind for i in case.instruments] == [
        InstrumentKind.FACILITY_AGREEMENT,
        InstrumentKind.AMENDMENT,
        InstrumentKind.CONDITION_NOTICE,
    ]
    assert case.instruments[1].effective_on == dt.date(2023, 6, 9)
    assert [t.document for t in case.trees] == sorted(TEXTS)
    assert len(case.trees[0].find("7.11")) == 1
    assert len(case.trees[1].find("7.11", quoted=True)) == 1
