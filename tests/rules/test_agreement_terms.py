"""Clauses of the agreement that bind a calculation: found where they stand, in the agreement in force, with their place."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from conformed.language.agreement import read_cure, read_frozen
from conformed.language.conversion import read_conversion
from conformed.language.rounding import read_rounding
from conformed.model.document import Document, Media, Page, Run
from conformed.model.pack import CaseFile, Manifest, ManifestDocument, Question
from conformed.rules.calculation.agreement_terms import AgreementTerms, agreement_terms
from conformed.rules.instruments.casefile import build_case

DAY = dt.date(2025, 6, 30)
ROUND = "carrying the result to one place more than the number of places by which the ratio is expressed in this Agreement and rounding the result up or down to the nearest number"
AGREEMENT = """CREDIT AGREEMENT

dated as of March 1, 2023

among FENWICK TIMBER COMPANY, as Borrower, and OAKRIDGE BANK, as Administrative Agent

ARTICLE I
DEFINITIONS

Section 1.01 Defined Terms. As used in this Agreement, terms have the meanings given below.

{section}

ARTICLE VII
COVENANTS

Section 7.11 Leverage. The Leverage Ratio shall not exceed 3.50 to 1.00.

Executed: /s/ A. Person, Borrower  /s/ B. Person, Agent
"""


def document(name: str, text: str, **more: Any) -> Document:
    """A plain document."""
    page = Page(number=1, start=0, end=len(text))
    return Document(name=name, sha256="0" * 64, media=Media.TEXT, reader="t", text=text, pages=(page,), paged=False, **more)


def case(*papers: Document, attested: tuple[ManifestDocument, ...] = ()) -> CaseFile:
    """A case file of some papers."""
    question = Question(test_date=DAY, known_at=DAY)
    return build_case(papers, pack="p", digest="0" * 64, question=question, manifest=Manifest(documents=attested))


def terms(section: str) -> AgreementTerms:
    """What an agreement with one further section says."""
    return agreement_terms(case(document("a.txt", AGREEMENT.format(section=section))))


def test_a_rounding_clause_is_found_in_the_interpretation_section() -> None:
    """Read where it stands, with its place; an agreement without one rounds nothing."""
    found = terms(f"Section 1.03 Rounding. Any financial ratio shall be calculated by {ROUND}.").rounding
    assert found is not None
    assert found.carry == "unstated"
    assert found.spans[0].text.startswith("Section 1.03 Rounding.")
    plain = terms("Section 1.03 Times of Day. All references to times are to New York time.")
    assert plain == AgreementTerms(written=plain.written)


def test_a_struck_clause_and_one_of_a_fee_do_not_bind() -> None:
    """A clause that is struck through is not read; words that round a margin are not words about the ratio tested."""
    text = AGREEMENT.format(section=f"Section 1.03 Rounding. Any financial ratio shall be calculated by {ROUND}.")
    start, end = text.index("calculated by"), text.index("nearest number")
    assert agreement_terms(case(document("a.txt", text, struck=(Run(start=start, end=end),)))).rounding is None
    assert terms("Section 2.09 Applicable Margin. The ratio shall be rounded to the nearest hundredth.").rounding is None


def test_frozen_accounting_and_cures_are_found() -> None:
    """The clause that keeps the accounting, and how new money counts."""
    frozen = terms(
        "Section 1.04 Accounting Terms. If an accounting change would alter the ratio, it shall continue to be computed on the accounting principles "
        "used in the Original Financial Statements until the parties agree."
    ).frozen
    assert frozen is not None
    cure = terms(
        "Section 8.04 Right to Cure. The Cure Amount shall be included in Consolidated EBITDA for the fiscal quarter concerned."
    ).cure
    assert cure is not None
    assert cure.kind == "ebitda"


def test_deemed_to_exceed_beside_the_definitions() -> None:
    """The rule for earnings of zero or less may stand in the covenant's own article."""
    said = "Section 7.12 Negative Earnings. If EBITDA is zero or negative, the Leverage Ratio shall be deemed to be greater than the permitted level."
    assert terms(said).non_positive == "breach"


@pytest.mark.parametrize(
    ("text", "carry", "places", "half"),
    [
        (f"by {ROUND}", "unstated", None, "up"),
        (
            "worked out to one decimal place more than the ratio is stated with and then rounded, an exact half going up",
            "unstated",
            None,
            "up",
        ),
        ("by carrying the result, truncated, to one place more than the level and rounding it", "truncate", None, "up"),
        ("Each ratio shall be rounded to two decimal places.", "none", 2, "up"),
        ("All ratios are rounded down to the nearest tenth.", "none", 1, "down"),
        ("Every ratio shall be rounded up to the nearest one-hundredth.", "none", 2, "ceiling"),
        ("Every ratio shall be rounded to the second decimal place, with 0.005 rounded upwards.", "none", 2, "up"),
    ],
)
def test_wordings_of_rounding(text: str, carry: str, places: int | None, half: str) -> None:
    """One place more, or straight to named places; cut, half up or always up by the words."""
    found = read_rounding(text)
    assert found is not None
    assert (found.carry, found.places, found.half) == (carry, places, half)


@pytest.mark.parametrize(
    "text", ["Amounts are rounded to the nearest thousand.", "The ratio shall not exceed 3.50 to 1.00.", "rounding of numbers"]
)
def test_other_words_round_nothing(text: str) -> None:
    """Amounts, levels and captions are no rounding clause."""
    assert read_rounding(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The Cure Amount shall be deemed to increase Consolidated EBITDA for that quarter.", "ebitda"),
        ("New Shareholder Injections may be added to Adjusted EBITDA for that period.", "ebitda"),
        ("The equity cure shall be applied in prepayment of the Loans.", "debt"),
        ("The Cure Amount shall be included in EBITDA and shall reduce Indebtedness.", ""),
        ("The Cure Amount shall be included in EBITDA and shall not reduce Indebtedness for that quarter.", "ebitda"),
        ("A cure right exists.", None),
        ("Any repayment reduces Indebtedness.", None),
    ],
)
def test_how_new_money_counts(text: str, kind: str | None) -> None:
    """As earnings, as less debt, as both (open), or nothing said."""
    found = read_cure(text)
    assert (found.kind if found else None) == kind


def test_frozen_wordings() -> None:
    """A freeze needs a change and words that keep the earlier accounting; "as in effect from time to time" freezes nothing."""
    us = "In the event of an Accounting Change, the ratio shall be calculated in accordance with GAAP as in effect prior to such change and applied without it."
    assert read_frozen(us) is not None
    usual = "Upon a change in GAAP the provision shall be interpreted on the basis of GAAP as in effect and applied immediately before such change became effective."
    assert read_frozen(usual) is not None
    assert read_frozen("All terms shall be construed in accordance with GAAP as in effect from time to time.") is None


@pytest.mark.parametrize(
    ("text", "kind", "of", "sourced"),
    [
        (
            "Debt in another currency shall be converted into Dollars at the average rate of exchange used in the accounts.",
            "average",
            ("debt",),
            True,
        ),
        ("Cash in a foreign currency shall be translated at the spot rate published by the Agent.", "closing", ("cash",), True),
        ("Amounts in other currencies shall be converted at the rate of exchange.", "", (), False),
        ("Interest at the rate of interest in another currency shall be calculated daily.", None, (), False),
    ],
)
def test_currency_clauses(text: str, kind: str | None, of: tuple[str, ...], sourced: bool) -> None:
    """Kind of rate, what is converted, and whether a source is named; interest is no exchange."""
    found = read_conversion(text)
    assert [(c.kind, c.of, bool(c.source)) for c in found] == ([] if kind is None else [(kind, of, sourced)])
