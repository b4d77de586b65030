"""Certificates with several periods, rates of exchange, statements in support, and certificates that are workbooks."""

from __future__ import annotations

import datetime as dt
import io
from fractions import Fraction

import openpyxl
import pytest

from conformed.language.conversion import direction_of
from conformed.model.calculation import Certificate
from conformed.model.document import Document, Media, Page
from conformed.model.pack import CaseFile, Instrument, InstrumentKind, Manifest, Question
from conformed.model.provision import ProvisionTree
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest
from conformed_plugins.extractors.certificate import CertificateExtractor
from conformed_plugins.readers.xlsx import XlsxReader

DAY = dt.date(2024, 9, 30)
HEAD = """COMPLIANCE CERTIFICATE
for the period ended September 30, 2024. (U.S. dollars in thousands)
Maximum permitted leverage ratio 4.75 to 1.00

"""
DEBT = "Total Debt\t$\t468,000\n"
SIGNED = "\nBy: /s/ Ada Lindqvist\n"


def given(document: Document) -> Certificate:
    """The certificate of a document."""
    case = CaseFile(
        pack="p",
        digest="0" * 64,
        borrower=None,
        question=Question(test_date=DAY, known_at=DAY),
        manifest=Manifest(),
        documents=(document,),
        trees=(ProvisionTree(document=document.name, provisions=()),),
        instruments=(Instrument(document=document.name, kind=InstrumentKind.COMPLIANCE_CERTIFICATE),),
    )
    request = ExtractRequest(case=case, retrieved=Retrieved(authorised=()), tables=lambda name, pages: ())
    (certificate,) = CertificateExtractor().extract(request).certificates
    return certificate


def read(text: str) -> Certificate:
    """The certificate of a text."""
    return given(
        Document(
            name="c.txt",
            sha256="0" * 64,
            media=Media.TEXT,
            reader="t",
            text=text,
            pages=(Page(number=1, start=0, end=len(text)),),
            paged=False,
        )
    )


COLUMNS = HEAD + DEBT + (
    "\tYear ended December 31, 2023\tNine months ended September 30, 2024\tNine months ended September 30, 2023 (restated)\n"
    "Net Income\t180,000\t140,000\t130,000\n"
    "plus interest expense\t40,000\t33,000\tnil\n"
) + SIGNED  # fmt: skip


def test_one_figure_a_period_with_its_length_and_end() -> None:
    """Year and stubs are three figures of one line, each with months, end and basis; nothing is added up here."""
    certificate = read(COLUMNS)
    found = {(f.name, f.months, f.as_of, f.basis): f.value for f in certificate.figures if f.months}
    assert found == {
        ("net_income__12m_20231231", 12, dt.date(2023, 12, 31), ""): 180_000_000,
        ("net_income__9m_20240930", 9, DAY, ""): 140_000_000,
        ("net_income__9m_20230930", 9, dt.date(2023, 9, 30), "restated"): 130_000_000,
        ("interest__12m_20231231", 12, dt.date(2023, 12, 31), ""): 40_000_000,
        ("interest__9m_20240930", 9, DAY, ""): 33_000_000,
        ("interest__9m_20230930", 9, dt.date(2023, 9, 30), "restated"): 0,
    }
    assert certificate.doubts == ()
    assert [f.value for f in certificate.figures if f.name == "total_debt"] == [468_000_000]


def test_heads_over_two_lines() -> None:
    """Lengths on one line and days on the next are one head; a line of single quarters too."""
    text = HEAD + DEBT + (
        "\tThree months ended\tThree months ended\tThree months ended\tThree months ended\n"
        "\tDecember 31, 2023\tMarch 31, 2024\tJune 30, 2024\tSeptember 30, 2024\n"
        "Net Income\t41,000\t44,000\t48,000\t57,000\n"
    ) + SIGNED  # fmt: skip
    assert [(f.months, f.value) for f in read(text).figures if f.months] == [
        (3, Fraction(v) * 1000) for v in (41000, 44000, 48000, 57000)
    ]


def test_a_column_of_twelve_months_to_the_day_goes_first() -> None:
    """Where one column is the twelve months to the test date, it is the figure, and the others are not read."""
    text = HEAD + DEBT + (
        "\tQuarter ended September 30, 2024\tTwelve months ended September 30, 2024\nNet Income\t57,000\t190,000\n"
    ) + SIGNED  # fmt: skip
    assert [(f.value, f.months) for f in read(text).figures if f.name.startswith("net_income")] == [(190_000_000, None)]


def test_a_paper_of_nine_months_says_so_of_its_figures() -> None:
    """Figures of part of a year carry their length, so that no rule takes them for a year."""
    text = HEAD.replace("the period ended", "the nine months ended") + DEBT + "Net Income\t140,000\n" + SIGNED
    (income,) = [f for f in read(text).figures if f.name == "net_income"]
    assert (income.months, income.as_of) == (9, DAY)
    assert "review_period_incomplete" in {doubt.code for doubt in read(text).doubts}


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("Average rate used in the accounts, US dollars per euro: 1.0850", "usd_per_eur_average", "1.0850"),
        ("Closing rate on the test date: €1.00 = $1.1120", "usd_per_eur_closing", "1.1120"),
        ("Spot rate (EUR per USD)\t0.8993", "eur_per_usd_closing", "0.8993"),
        ("Exchange rate USD/EUR\t1.0850", None, None),
        ("Interest rate per annum\t5.25", None, None),
    ],
)
def test_rates_with_their_direction(line: str, name: str | None, value: str | None) -> None:
    """A rate is read only with its direction, which is part of its name; a pair with a stroke is none."""
    rates = [
        f
        for f in read(HEAD + DEBT + "Net Income\t100,000\n" + line + "\n" + SIGNED).figures
        if "_per_" in f.name and f.currency is None
    ]
    assert [(f.name, f.value) for f in rates] == ([(name, Fraction(value))] if name and value else [])


def test_directions() -> None:
    """Home dollars fill a bare sign; two equal or unknown sides are no direction."""
    found = direction_of("average of the period: dollars per pound sterling", "USD")
    assert found is not None
    assert (found.quote, found.base, found.kind) == ("USD", "GBP", "average")
    assert direction_of("dollars per pound sterling", "XXX") is None
    assert direction_of("dollars per US dollar", "USD") is None


def test_what_a_certificate_states_beside_its_figures() -> None:
    """Certified savings with actions and horizon, a changed standard, a reconciliation: kept as statements."""
    said = (
        "The cost savings below are certified in good faith, result from actions already taken and will be realised within 18 months.\n\n"
        "The Group adopted IFRS 16 in the period. A reconciliation to the original basis is attached.\n\n"
    )
    certificate = read(HEAD + said + DEBT + "Net Income\t100,000\n" + SIGNED)
    assert set(certificate.supports) == {"certified", "actions", "horizon", "reconciliation"}
    assert certificate.accounting == "changed"
    plain = read(HEAD + DEBT + "Net Income\t100,000\n" + SIGNED)
    assert (plain.supports, plain.accounting) == ((), "")
    kept = read(
        HEAD
        + "These figures are computed on the accounting principles used in the original financial statements.\n\n"
        + DEBT
        + "Net Income\t9\n"
    )
    assert kept.accounting == "frozen"


def test_nil_has_the_currency_of_its_column() -> None:
    """A nil in a column of pounds is no amount without a currency."""
    text = (
        HEAD.replace("U.S. dollars in thousands", "£ in thousands")
        + "Guarantees of debt\tnil\nTotal Debt\t400\nNet Income\t100\n"
    )
    (nil,) = [f for f in read(text).figures if f.value == 0]
    assert nil.currency == "GBP"


def test_new_money_is_no_add_back() -> None:
    """An equity cure is a line of its own, whatever word leads it."""
    certificate = read(
        HEAD + DEBT + "Net Income\t100,000\nplus Equity Cure Amount\t5,000\nplus Specified Equity Contribution\t5,000\n" + SIGNED
    )
    names = [f.name for f in certificate.figures]
    assert "cure_amount" in names
    assert not any(name.startswith("addback_") for name in names)


def test_a_certificate_that_is_a_workbook() -> None:
    """The same lines in a workbook, with formats of their own, give the same figures and places."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["COMPLIANCE CERTIFICATE"],
        ["for the fiscal quarter ended September 30, 2024"],
        ["(U.S. dollars in thousands)"],
        ["Term Loans", 460000],
        ["Revolving Loans", None],
        ["Total Debt", 468000],
        ["Net Income", 100000],
        ["Loss on sale", -2500],
        ["Total Leverage Ratio", "4.68 to 1.00"],
        ["By: /s/ Ada Lindqvist"],
    ):
        sheet.append(row)
    sheet["B5"] = 8000
    for place in ("B4", "B5", "B6", "B7", "B8"):
        sheet[place].number_format = "#,##0_);(#,##0)"
    out = io.BytesIO()
    book.save(out)
    document = XlsxReader().read("c.xlsx", out.getvalue())
    assert isinstance(document, Document)
    certificate = given(document)
    found = {f.name: f.value for f in certificate.figures}
    assert (certificate.test_date, certificate.signed) == (DAY, True)
    assert found["debt_term_loans"] == 460_000_000
    assert (found["total_debt"], found["net_income"], found["ratio"]) == (468_000_000, 100_000_000, Fraction("4.68"))
    for figure in certificate.figures:
        assert all(document.text[s.start : s.end] == s.text for s in figure.spans)
