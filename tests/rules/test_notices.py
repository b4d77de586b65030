"""Condition notices: the day that a notice shows for the instrument that it names, and for no other."""

from __future__ import annotations

import datetime as dt

import pytest

from conformed.language.traced import live_view
from conformed.model.document import Document, Media, Page
from conformed.model.pack import ManifestDocument
from conformed.rules.instruments.instruments import read_instrument
from conformed.rules.instruments.notices import apply_notices

AMENDMENT = "FIRST AMENDMENT TO CREDIT AGREEMENT\nThis First Amendment is dated as of June 1, 2023.\nBy: /s/ Ada Quill\n"
SECOND = "SECOND AMENDMENT TO CREDIT AGREEMENT\nThis Second Amendment is dated as of August 1, 2023.\nBy: /s/ Ada Quill\n"


def _effective(texts: dict[str, str], attested: ManifestDocument | None = None) -> dict[str, dt.date | None]:
    views = {}
    for name, text in texts.items():
        page = Page(number=1, start=0, end=len(text))
        views[name] = live_view(
            Document(name=name, sha256="0" * 64, media=Media.TEXT, reader="text 1.0.0", text=text, pages=(page,), paged=False)
        )
    read = tuple(read_instrument(v, n, attested if attested and attested.file == n else None) for n, v in views.items())
    found = apply_notices(read, views)
    for instrument in found:
        assert all(s.text in texts[s.document] for s in instrument.effective_evidence)
    return {i.document: i.effective_on for i in found}


def _notice(sentence: str) -> str:
    return f"NOTICE OF EFFECTIVENESS\nDated June 10, 2023\nTo the Borrower and the Lenders:\n{sentence}\n"


def test_the_day_goes_to_the_instrument_named() -> None:
    """The agent's word that conditions were met on a day gives that day to the amendment that it names."""
    notice = _notice("We confirm that all conditions to the First Amendment were satisfied on June 9, 2023.")
    days = _effective({"a.txt": AMENDMENT, "b.txt": SECOND, "n.txt": notice})
    assert days["a.txt"] == dt.date(2023, 6, 9)
    assert days["b.txt"] is None


@pytest.mark.parametrize(
    "sentence",
    [
        "The conditions to the First Amendment have not been satisfied as of June 9, 2023.",
        "The First Amendment will take effect on June 9, 2023 if all conditions are satisfied.",
        "We acknowledge the First Amendment.",
        "All conditions were satisfied on June 9, 2023 or June 12, 2023 as regards the First Amendment.",
        "All conditions to the Seventh Amendment were satisfied on June 9, 2023.",
    ],
)
def test_no_day_where_it_is_not_plain(sentence: str) -> None:
    """What is not met, still to come, of two days, or of another instrument, changes nothing."""
    assert _effective({"a.txt": AMENDMENT, "n.txt": _notice(sentence)})["a.txt"] is None


def test_the_month_of_may_denies_nothing() -> None:
    """A day in May is a day; the word beside it still forbids, hopes or allows."""
    met = "All conditions to the First Amendment were satisfied on May 9, 2023."
    assert _effective({"a.txt": AMENDMENT, "n.txt": _notice(met)})["a.txt"] == dt.date(2023, 5, 9)
    hoped = met.replace("were satisfied", "may be satisfied")
    assert _effective({"a.txt": AMENDMENT, "n.txt": _notice(hoped)})["a.txt"] is None


def test_an_attested_day_stays() -> None:
    """A day attested in pack.yaml is not overwritten by a notice."""
    notice = _notice("We confirm that all conditions to the First Amendment were satisfied on June 9, 2023.")
    attested = ManifestDocument(file="a.txt", effective_on=dt.date(2023, 6, 5))
    assert _effective({"a.txt": AMENDMENT, "n.txt": notice}, attested)["a.txt"] == dt.date(2023, 6, 5)


def test_without_a_notice_there_is_no_day() -> None:
    """Execution is not effectiveness (P16)."""
    assert _effective({"a.txt": AMENDMENT})["a.txt"] is None
