"""The awkward bank, end to end: each of its 37 rows in each format in which it makes sense, through the product itself.

Every variant ends right, flagged by a code, or refused by name, as its row asks; none is determined and wrong, and none loses a
figure without a word. What only a look at the pixels can tell is put through with the OCR program where there is one.
"""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

pytest.importorskip("reportlab", reason="reportlab makes the PDFs of these tests")
pytest.importorskip("xlsxwriter")

from awkward.paper import Variant, docx, run, web
from awkward.product import Product

MODULES = ("letters", "marks", "layout", "files", "amounts", "certificates")
MAKERS: dict[str, Callable[[], list[Variant]]] = {
    name.removeprefix("row_"): cache(getattr(module, name))
    for module in (importlib.import_module(f"awkward.{name}") for name in MODULES)
    for name in module.__all__
    if name.startswith("row_")
}
NOT_FOR = {
    7: "html and docx have no turn of the page that leaves words lying",
    14: "a Word document draws each word once; a run that is there twice is there twice",
    15: "a page of html knows no password",
    16: "a page of html knows no password",
    17: "a page of html has no directory",
}
"""Rows that make no sense in some format, and why."""
FORMATS = {
    7: {"pdf"}, 14: {"pdf", "html"}, 15: {"pdf", "docx"}, 16: {"pdf", "docx"}, 17: {"pdf", "docx"},
}  # fmt: skip
EYES = shutil.which("tesseract") is not None


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Product:
    """One workspace for all variants."""
    return Product(tmp_path_factory.mktemp("awkward"))


def test_every_row_is_made_in_every_format_in_which_it_makes_sense() -> None:
    """The makers are those of rows 1 to 37; each makes PDF, HTML and DOCX, or a reason says why it does not."""
    rows = {int(name): maker for name, maker in MAKERS.items() if name.isdigit()}
    assert sorted(rows) == list(range(1, 38))
    for number, maker in rows.items():
        made = {variant.name.partition(":")[0] for variant in maker()}
        assert made == FORMATS.get(number, {"pdf", "html", "docx"}), number
        assert (number in FORMATS) <= bool(NOT_FOR.get(number)), number


@pytest.mark.parametrize("row", sorted(MAKERS))
def test_no_variant_is_wrong_without_a_word(row: str, product: Product) -> None:
    """Each variant of a row ends in one of the ways that its row allows, and with the note that it must bear."""
    bad = []
    for variant in MAKERS[row]():
        if variant.eye and not EYES:
            continue
        end = product.end(variant)
        if end.how not in variant.want:
            bad.append((variant.name, end.how, end.said))
        elif variant.note and end.how != "refused" and variant.note not in product.notes(variant):
            bad.append((variant.name, "no note", variant.note))
    assert bad == []


def test_the_same_file_always_ends_the_same(product: Product) -> None:
    """A second reading of one variant of each kind ends as the first: a verdict is about the product and not about chance."""
    for row, number in (("05", 0), ("08", 0), ("31", 2), ("37", 2)):
        variant = MAKERS[row]()[number]
        assert product.end(variant) == product.end(variant)


@pytest.mark.parametrize(
    ("data", "file", "how"),
    [
        (docx(run("3.25 to 1.00")), "a.docx", "wrong"),
        (web("3.25 to 1.00"), "a.html", "wrong"),
        (web("3.50 to 1.00"), "a.html", "right"),
        (web("a ratio to be agreed"), "a.html", "flagged"),
        (b"", "a.html", "refused"),
    ],
)
def test_the_judge_can_tell(data: bytes, file: str, how: str, product: Product) -> None:
    """A level that is not the true one is called wrong, one that nobody states is flagged: the verdicts above can fail."""
    assert product.end(Variant("x", data, file)).how == how


def test_the_judge_of_figures_can_tell(product: Product) -> None:
    """A figure that is another than the true one, one that is missing and a line that is not reported make a verdict wrong."""
    plain = next(v for v in MAKERS["tables"]() if v.name == "html: plain")
    assert product.end(plain).how == "right"
    assert product.end(replace(plain, figures={"total_debt": Fraction(300_001_000)})).how == "wrong"
    assert product.end(replace(plain, figures={**plain.figures, "gain_on_sale": Fraction(1)})).how == "wrong"
    assert product.end(replace(plain, differs=("ratio",))).how == "wrong"
