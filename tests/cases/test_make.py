"""The sample packs: made by their script, whole, and consistent in their own figures."""

from __future__ import annotations

import importlib.util
import re
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from conformed.model.codes import CODES

CASEFILES = Path(__file__).resolve().parents[2] / "casefiles"
NAMES = ("harrow-review", "kestrel-breach", "marlow-pass", "tarn-not-tested")


class Sheet(NamedTuple):
    """Which printed lines make up the ratio, under the definitions in force on the test date."""

    debts: tuple[str, ...]
    cash: str
    cash_limit: Fraction
    earnings: tuple[str, ...]
    extra: str
    extra_share: Fraction


SHEETS = {
    "marlow-pass": Sheet(
        debts=(
            "Outstanding principal of Term Loans",
            "Outstanding principal of Revolving Loans",
            "5.75% Senior Notes due 2029",
            "Attributable Debt under Finance Leases",
            "Drawings under letters of credit not reimbursed",
        ),
        cash="A.8 Unrestricted Cash as of September 30, 2024",
        cash_limit=Fraction(40_000),
        earnings=(
            "B.1 Consolidated Net Income",
            "plus Consolidated Interest Charges",
            "plus provision for income taxes",
            "plus depreciation and amortization expense",
            "plus non-cash compensation expense",
            "minus non-cash gains",
        ),
        extra="other non-recurring costs incurred",
        extra_share=Fraction(15, 100),
    ),
    "kestrel-breach": Sheet(
        debts=("1 Term Loans", "2 Revolving Loans", "3 Loan notes", "4 Finance Leases", "5 Overdrafts"),
        cash="8 Unrestricted Cash",
        cash_limit=Fraction(10_000),
        earnings=(
            "profit for the period after tax",
            "add: tax on profit",
            "add: Net Finance Charges",
            "add: depreciation and amortisation",
            "less: gains on the disposal of fixed assets",
        ),
        extra="add: restructuring and reorganisation costs charged in the period",
        extra_share=Fraction(10, 100),
    ),
    "harrow-review": Sheet(
        debts=(
            "1(a) Term Loans",
            "1(b) Revolving Loans and Swingline Loans",
            "seller of Prairie Drayage",
            "1(d) Attributable Debt",
        ),
        cash="",
        cash_limit=Fraction(0),
        earnings=(
            "2(a) Consolidated Net Income",
            "plus Consolidated Interest Expense",
            "plus provision for taxes on income",
            "plus depreciation and amortization",
            "minus gains on the sale of equipment",
        ),
        extra="(not more than 12.5% of line 2(f), or 11,500)",
        extra_share=Fraction(125, 1000),
    ),
}


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The script, loaded by path; its writers need the extra ``samples``."""
    pytest.importorskip("reportlab")
    pytest.importorskip("docx")
    spec = importlib.util.spec_from_file_location("casefiles_make", CASEFILES / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def loaded(pack: str, name: str) -> dict[str, Any]:
    """One YAML file of a pack."""
    return dict(YAML(typ="safe").load((CASEFILES / pack / name).read_text(encoding="utf-8")))


def documents(pack: str) -> list[Path]:
    """The documents of a pack."""
    return sorted(path for path in (CASEFILES / pack).iterdir() if path.suffix in {".pdf", ".docx", ".html"})


def text_of(path: Path) -> str:
    """The text of a document, with runs of white space as one space."""
    if path.suffix == ".pdf":
        pypdfium2 = pytest.importorskip("pypdfium2")
        with pypdfium2.PdfDocument(path) as opened:
            raw = " ".join(page.get_textpage().get_text_bounded() for page in opened)
    elif path.suffix == ".docx":
        with zipfile.ZipFile(path) as box:
            raw = re.sub(r"<[^>]+>", "", box.read("word/document.xml").decode().replace("</w:p>", " "))
    else:
        raw = re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8").replace("&#36;", "$"))
    return re.sub(r"\s+", " ", raw.replace("&amp;", "&"))


def test_committed_files_are_what_the_script_makes(maker: ModuleType) -> None:
    """The committed documents of a pack equal what the script makes, and it tells a file that differs or is missing."""
    assert maker.check("marlow-pass", CASEFILES / "marlow-pass") == []


def test_check_tells_each_kind_of_difference(maker: ModuleType, tmp_path: Path) -> None:
    """A missing, a changed and a foreign file are each named."""
    for path in documents("marlow-pass"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "02_amendment-1_2023-02-17.pdf").unlink()
    html = tmp_path / "03_amendment-2_2023-10-20.html"
    html.write_text(html.read_text(encoding="utf-8").replace("4.75 to 1.00", "4.95 to 1.00"), encoding="utf-8")
    (tmp_path / "07_stray.txt").write_text("x", encoding="utf-8")
    told = maker.check("marlow-pass", tmp_path)
    assert [re.findall(r"/(\d\d)_.*?: (\w+)", sentence)[0] for sentence in told] == [
        ("02", "missing"),
        ("07", "not"),
        ("03", "differs"),
    ]


def test_the_script_makes_the_same_bytes_twice(maker: ModuleType) -> None:
    """PDF and DOCX carry no clock, no random name and no order of a set."""
    first, second = maker.made("tarn-not-tested"), maker.made("tarn-not-tested")
    assert first == second
    assert {name.rsplit(".", 1)[1] for name in first} == {"pdf", "docx", "html"}


def test_agreements_are_long() -> None:
    """Two agreements are PDFs of 60 pages or more, one in American and one in British numbering."""
    pypdfium2 = pytest.importorskip("pypdfium2")
    for pack, cited in (("marlow-pass", "Section 7.11"), ("kestrel-breach", "Clause 22.2")):
        path = documents(pack)[0]
        with pypdfium2.PdfDocument(path) as opened:
            assert len(opened) >= 60
        assert cited in text_of(path)


@pytest.mark.parametrize("pack", NAMES)
def test_each_document_opens(pack: str) -> None:
    """Each document gives text, names the borrower, and the pack is small."""
    found = documents(pack)
    assert len(found) == 6
    borrower = str(loaded(pack, "pack.yaml")["borrower"])
    for path in found:
        assert borrower.casefold() in text_of(path).casefold(), path.name
    assert sum(path.stat().st_size for path in (CASEFILES / pack).iterdir()) < 1_500_000
    assert len(text_of(found[0]).split()) > 20_000


@pytest.mark.parametrize("pack", NAMES)
def test_manifest_and_expectation_name_what_exists(pack: str) -> None:
    """pack.yaml and expected.yaml name only files of the pack, reason codes of the model, and levels that stand as written."""
    manifest, expected = loaded(pack, "pack.yaml"), loaded(pack, "expected.yaml")
    names = {path.name for path in documents(pack)}
    assert {entry["file"] for entry in manifest.get("documents", [])} <= names
    for key in ("codes", "must_not_codes", "rejected_ratios", "findings"):
        assert set(expected[key]) <= CODES.keys()
    assert not set(expected["codes"]) & set(expected["must_not_codes"])
    terms = [expected["covenant"]] if expected["covenant"] else expected["candidates"]
    assert terms
    for term in terms:
        assert term["level_as_written"] in text_of(CASEFILES / pack / term["document"])
        assert Fraction(re.split(r" to |:", term["level_as_written"])[0]) == Fraction(str(term["level"]))


@pytest.mark.parametrize("pack", NAMES)
def test_expected_ratio_follows_from_the_certificate(pack: str) -> None:
    """Ratio and headroom of expected.yaml, worked again from the certificate's lines under the terms in force."""
    expected = loaded(pack, "expected.yaml")
    text = text_of(documents(pack)[-1])

    def line(label: str) -> Fraction:
        found = re.findall(re.escape(label) + r".*? (\(?[\d,]+\)?)(?= [A-Z\d])", text)
        assert found, label
        return Fraction(found[0].strip("()").replace(",", "")) * (-1 if found[0].startswith("(") else 1)

    if pack not in SHEETS:
        assert expected["ratio"] is None, "a covenant that is not tested has no ratio to compare"
        return
    sheet = SHEETS[pack]
    debt = sum(map(line, sheet.debts)) - (min(line(sheet.cash), sheet.cash_limit) if sheet.cash else 0)
    before = sum(map(line, sheet.earnings))
    ebitda = before + min(line(sheet.extra), sheet.extra_share * before)
    assert debt / ebitda == Fraction(expected["ratio"])
    if expected["headroom_debt"] is not None:
        level = Fraction(str(expected["covenant"]["level"]))
        assert (level * ebitda - debt) * 1000 == expected["headroom_debt"]
        assert (debt / ebitda <= level) == (expected["result"] == "pass")


def test_struck_words_are_marked_in_html() -> None:
    """The American amendments in HTML carry deleted words struck through and new words underlined."""
    raw = (CASEFILES / "marlow-pass" / "03_amendment-2_2023-10-20.html").read_text(encoding="utf-8")
    assert '<span style="text-decoration:line-through;color:#c00000">4.25 to 1.00</span>' in raw
    assert '<span style="text-decoration:underline;color:#0000c0">4.75 to 1.00</span>' in raw


def test_no_paragraph_is_padding(maker: ModuleType) -> None:
    """No long paragraph stands twice in an agreement."""
    maker.made("marlow-pass")
    agreement = sys.modules["_writing.agreement"]
    for pack in ("marlow", "kestrel", "harrow", "tarn"):
        deal = importlib.import_module(f"_writing.{pack}").DEAL
        long = [block.text for block in agreement.agreement(deal) if len(block.text) > 120]
        assert len(long) > 150
        repeated = {text for text in long if long.count(text) > 1}
        assert not repeated
