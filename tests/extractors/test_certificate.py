"""Filled certificates become figures with the place of figure, label and scale; forms and guesses do not."""

from __future__ import annotations

import datetime
from fractions import Fraction

import pytest

from conformed.model.calculation import Certificate
from conformed.model.document import Cell, Document, Media, Page, Run, Table
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind, Manifest, Question
from conformed.model.provision import ProvisionTree
from conformed.model.retrieval import Retrieved
from conformed.ports import Extractor, ExtractRequest
from conformed_plugins.extractors.certificate import VERSION, CertificateExtractor

DAY = datetime.date(2024, 12, 31)
FILLED = """COMPLIANCE CERTIFICATE
To the Agent, under the Credit Agreement dated as of March 4, 2022, for the fiscal quarter ended December 31, 2024.

(U.S. dollars in thousands, except ratios)

A. Consolidated Total Net Leverage Ratio (Section 7.11(a))
1. Term Loans outstanding\t$\t320,000
2. Revolving Loans\t$\t80,000
3. Finance Leases ........... 12,600
4. Consolidated Total Debt (sum of lines 1 through 3) $412,600
5. Unrestricted cash and Cash Equivalents   50,100 (1)
6. Consolidated Net Income: 40,000
   plus Interest Expense 22,400
   plus provision for income taxes\t\t9,100
   Depreciation and amortization expense   18,000
   Gain on sale of a warehouse   (1,500)
   Restructuring charges   nil
   Pension costs   —
7. Consolidated EBITDA   88,000
8. Consolidated Total Net Leverage Ratio (Line 4 less line 5 over line 7)   4.12 to 1.00
9. Maximum permitted ratio  4.75 to 1.00
B. Consolidated Interest Coverage Ratio 3.93 to 1.00; minimum required 2.50 to 1.00

By: /s/ Ada Lindqvist
Title: Chief Financial Officer
"""
FORM = """EXHIBIT D
FORM OF COMPLIANCE CERTIFICATE for the fiscal quarter ended __________
(in thousands)
1. Consolidated Total Debt  $__________
2. Consolidated EBITDA  $__________
3. Ratio of line 1 to line 2  ____ to 1.00
4. Maximum permitted  4.75 to 1.00
By: ______________
"""


def document(text: str, **more: object) -> Document:
    """A plain document of one page."""
    page = Page(number=1, start=0, end=len(text))
    return Document(
        name="certificate.txt", sha256="0" * 64, media=Media.TEXT, reader="test", text=text, pages=(page,), paged=True, **more
    )  # type: ignore[arg-type]


def request(text: str, *, tables: tuple[Table, ...] = (), authorised: tuple[str, ...] = (), **more: object) -> ExtractRequest:
    """A case file that holds one certificate."""
    known = {key: more.pop(key) for key in ("execution", "execution_attested") if key in more}
    instrument = Instrument(document="certificate.txt", kind=InstrumentKind.COMPLIANCE_CERTIFICATE, **known)  # type: ignore[arg-type]
    case = CaseFile(
        pack="p",
        digest="0" * 64,
        borrower=None,
        question=Question(test_date=DAY, known_at=DAY),
        manifest=Manifest(),
        documents=(document(text, **more),),
        trees=(ProvisionTree(document="certificate.txt", provisions=()),),
        instruments=(instrument,),
    )
    return ExtractRequest(case=case, retrieved=Retrieved(authorised=authorised), tables=lambda name, pages: tables)


def read(text: str, **more: object) -> Certificate:
    """The one certificate of a text."""
    (certificate,) = CertificateExtractor().extract(request(text, **more)).certificates  # type: ignore[arg-type]
    return certificate


def values(certificate: Certificate) -> dict[str, Fraction]:
    """Values by name."""
    return {figure.name: figure.value for figure in certificate.figures}


def test_a_filled_certificate_gives_its_figures() -> None:
    """Lines with tabs, leaders, colons and plain blanks are read under one heading of scale; names come from the labels."""
    certificate = read(FILLED)
    assert certificate.test_date == DAY
    assert certificate.signed is True
    assert (certificate.states_ratio, certificate.states_level) == (Fraction("4.12"), Fraction("4.75"))
    assert certificate.doubts == ()
    assert values(certificate) == {
        "debt_term_loans_outstanding": 320_000_000,
        "debt_revolving_loans": 80_000_000,
        "debt_finance_leases": 12_600_000,
        "total_debt": 412_600_000,
        "unrestricted_cash": 50_100_000,
        "net_income": 40_000_000,
        "interest": 22_400_000,
        "taxes": 9_100_000,
        "depreciation_and_amortization": 18_000_000,
        "gain_gain_on_sale_of_a_warehouse": -1_500_000,
        "addback_restructuring_charges": 0,
        "pension_costs": 0,
        "ebitda": 88_000_000,
        "ratio": Fraction("4.12"),
        "required_level": Fraction("4.75"),
        "ratio_cover": Fraction("3.93"),
        "required_level_cover": Fraction("2.50"),
    }
    assert {figure.currency for figure in certificate.figures if "ratio" not in figure.name and "level" not in figure.name} == {
        "USD"
    }


def test_every_figure_shows_where_it_stands() -> None:
    """Spans slice back to figure, label and heading of scale, in the document's own text."""
    certificate = read(FILLED)
    debt = next(figure for figure in certificate.figures if figure.name == "total_debt")
    assert [span.text for span in debt.spans] == [
        "$412,600",
        "4. Consolidated Total Debt (sum of lines 1 through 3)",
        "U.S. dollars in thousands",
    ]
    assert debt.scale == 1000
    for figure in certificate.figures:
        assert figure.spans
        assert all(FILLED[span.start : span.end] == span.text for span in figure.spans)
    assert certificate.spans["signed"][0].text.startswith("/s/ Ada")


def test_no_heading_means_review() -> None:
    """Without a statement of scale every figure that counts carries the doubt; its size decides nothing (CA-10)."""
    certificate = read(FILLED.replace("(U.S. dollars in thousands, except ratios)", ""))
    assert {doubt.code for doubt in certificate.doubts} == {"review_scale_unknown"}
    assert values(certificate)["total_debt"] == 412_600


def test_each_line_may_state_its_own_scale() -> None:
    """A scale on a line is that line's alone, and a later line without one has none."""
    text = FILLED.replace("(U.S. dollars in thousands, except ratios)\n", "").replace(
        "$412,600", "(in millions of U.S. dollars) 412.6"
    )
    certificate = read(text)
    debt = next(figure for figure in certificate.figures if figure.name == "total_debt")
    assert (debt.value, debt.scale) == (412_600_000, 10**6)
    assert "review_scale_unknown" in {doubt.code for doubt in certificate.doubts}
    assert not any("Total Debt" in doubt.sentence for doubt in certificate.doubts)


def test_a_form_with_blanks_is_no_certificate() -> None:
    """A template has no figures, whatever level is printed in it."""
    assert CertificateExtractor().extract(request(FORM)).certificates == ()


COLUMNS = """Relevant Period ended 31 December 2024. All amounts are in
thousands of pounds sterling (£000).
Line Total Net Debt on 31 December 2024 £000
A.1 6.25% Senior Notes due 2031 150,000
A.2 Overdrafts 1,300
A.3 Guarantees of others nil
A.4 Total Debt (lines A.1 to A.3) 151,300
A.5 Unrestricted Cash 12,750
A.6 Unrestricted Cash deducted (limit £10,000,000) 10,000
A.7 Total Debt less Unrestricted Cash deducted 141,300
B.1 Profit for the period after tax 16,240
B.2 add: tax on profit 5,110
B.3 add: Net Finance Charges 9,150
B.4 less: gains on disposals (2,400)
B.5 EBITDA before restructuring costs 28,100
B.6 add: restructuring costs 5,200
B.7 EBITDA (line B.5 plus line B.6) 33,300
Covenant Result Requirement
Clause 22.2(a): Leverage (line A.7 divided by
line B.7)
4.24:1 not more than 4.75:1
Clause 22.2(b): Interest Cover (line B.7 divided
by line B.3)
3.64:1 not less than 3.50:1
Signed: /s/ Ada Lindqvist
"""


def test_a_page_of_single_blanks_between_columns() -> None:
    """Line numbers, years in names, page-wide rows and ratios below their wrapped labels are told apart."""
    certificate = read(COLUMNS)
    assert certificate.doubts == ()
    assert values(certificate) == {
        "debt_6_25_senior_notes_due_2031": 150_000_000,
        "debt_overdrafts": 1_300_000,
        "debt_guarantees_of_others": 0,
        "total_debt": 151_300_000,
        "unrestricted_cash": 12_750_000,
        "stated_eligible_cash": 10_000_000,
        "stated_net_debt": 141_300_000,
        "net_income": 16_240_000,
        "taxes": 5_110_000,
        "interest": 9_150_000,
        "gain_gains_on_disposals": -2_400_000,
        "stated_base_ebitda": 28_100_000,
        "addback_restructuring_costs": 5_200_000,
        "ebitda": 33_300_000,
        "ratio": Fraction("4.24"),
        "required_level": Fraction("4.75"),
        "ratio_cover": Fraction("3.64"),
        "required_level_cover": Fraction("3.5"),
    }
    assert {figure.currency for figure in certificate.figures if figure.scale == 1000} == {"GBP"}


def test_struck_and_hidden_figures_are_not_read() -> None:
    """A struck or hidden figure is no figure; the live one beside it is."""
    text = FILLED.replace("$412,600", "$999,999 $412,600")
    at = text.index("$999,999")
    run = (Run(start=at, end=at + len("$999,999 ")),)
    for kind in ("struck", "hidden"):
        assert values(read(text, **{kind: run}))["total_debt"] == 412_600_000


@pytest.mark.parametrize(
    ("signature", "signed"),
    [
        ("By: /s/ Ada Lindqvist", True),
        ("Electronically signed by Ada Lindqvist", True),
        ("By: ______________", False),
        ("By:", None),
    ],
)
def test_signatures(signature: str, signed: bool | None) -> None:
    """A signature, a blank for one, and nothing at all are three things."""
    assert read(FILLED.replace("By: /s/ Ada Lindqvist", signature)).signed is signed


def test_what_is_attested_of_a_signature_goes_first() -> None:
    """A person's attestation settles what the text leaves open."""
    text = FILLED.replace("By: /s/ Ada Lindqvist", "By: ______________")
    assert read(text, execution=Execution.EXECUTED, execution_attested=True).signed is True


def test_the_date_of_the_agreement_is_not_the_test_date() -> None:
    """The day comes from the words about the period; two periods of equal right leave it open."""
    assert read(FILLED.replace("for the fiscal quarter ended December 31, 2024", "setting out figures")).test_date is None
    certificate = read(FILLED + "\nfor the fiscal quarter ended September 30, 2024\n")
    assert certificate.test_date is None
    assert "review_period_mismatch" in {doubt.code for doubt in certificate.doubts}


def test_columns_are_chosen_by_their_heads() -> None:
    """Among several columns the one headed by the test date counts; without heads the line is a doubt and no figure."""
    heads = "\tSeptember 30, 2024\tDecember 31, 2024\n"
    line = "4. Consolidated Total Debt (sum of lines 1 through 3) $412,600"
    text = FILLED.replace(line, f"{heads}Consolidated Total Debt\t400,000\t412,600")
    assert values(read(text))["total_debt"] == 412_600_000
    bare = read(FILLED.replace(line, "Consolidated Total Debt\t400,000\t412,600"))
    assert "total_debt" not in values(bare)
    assert "review_period_mismatch" in {doubt.code for doubt in bare.doubts}


def test_part_of_a_year_is_not_annualised() -> None:
    """Figures of nine months, without any of twelve, are a doubt."""
    stub = read(FILLED.replace("for the fiscal quarter ended", "for the nine months ended"))
    assert [doubt.code for doubt in stub.doubts] == ["review_period_incomplete"]
    assert read(FILLED.replace("A. Consol", "LTM; nine months ended\nA. Consol")).doubts == ()


def test_other_currencies_keep_theirs() -> None:
    """A sign on a figure goes before the heading's currency."""
    figures = {figure.name: figure.currency for figure in read(FILLED.replace("$412,600", "€412,600")).figures}
    assert (figures["total_debt"], figures["ebitda"]) == ("EUR", "USD")


def test_a_wrapped_label_is_whole_in_its_table_cell() -> None:
    """Where a table gives the cell of a figure, its label is the table's and not the broken line's."""
    text = FILLED.replace("7. Consolidated EBITDA   88,000", "7. Earnings before interest and of the\nfour quarters   88,000")
    at = text.index("88,000")
    cell = Cell(text="88,000", span=document(text).span(at, at + 6))
    table = Table(page=1, rows=((Cell(text="7. Consolidated EBITDA of the four quarters"), cell),))
    assert "ebitda" not in values(read(text))
    assert values(read(text, tables=(table,)))["ebitda"] == 88_000_000


def test_an_unreadable_figure_is_a_doubt_and_no_number() -> None:
    """A token that could be two numbers, or none, is asked about."""
    certificate = read(FILLED.replace("$412,600", "$41,26,00"))
    assert "total_debt" not in values(certificate)
    assert "review_numeric_token_malformed" in {doubt.code for doubt in certificate.doubts}


def test_two_values_for_one_line_are_both_kept() -> None:
    """A repeat with the same value is one figure; with another value both stay, and neither is a stated ratio."""
    same = read(FILLED + "Consolidated EBITDA   88,000\n")
    assert [name for name in values(same) if name.startswith("ebitda")] == ["ebitda"]
    other = read(FILLED + "Consolidated EBITDA   87,000\nConsolidated Total Net Leverage Ratio 4.50 to 1.00\n")
    assert [name for name in values(other) if name.startswith("ebitda")] == ["ebitda", "ebitda__2"]
    assert other.states_ratio is None


def test_only_authorised_certificates_are_read() -> None:
    """A document outside the authorised set is not looked at, and the plugin is the port's."""
    extractor = CertificateExtractor()
    assert isinstance(extractor, Extractor)
    assert extractor.extract(request(FILLED, authorised=("other.txt",))).certificates == ()
    assert extractor.extract(request(FILLED)).producer == f"certificate {VERSION}"
