"""Provisions: numbers that are headings, in US and UK style, and numbers that are none."""

from __future__ import annotations

import pytest

from conformed.language.traced import Traced, live_view
from conformed.model.document import Document, Media, Page
from conformed.model.provision import ProvisionTree
from conformed.rules.instruments.provisions import build_tree, canonical_label


def _view(text: str) -> Traced:
    page = Page(number=1, start=0, end=len(text))
    return live_view(
        Document(name="a.txt", sha256="0" * 64, media=Media.TEXT, reader="text 1.0.0", text=text, pages=(page,), paged=False)
    )


def _tree(text: str, *, amendment: bool = False) -> ProvisionTree:
    return build_tree(_view(text), "a.txt", amendment=amendment)


BODY = "The Borrower shall do what it has promised to the Lenders in this place and shall go on doing so until it is released.\n"

US = f"""ARTICLE VII
Negative Covenants

Section 7.10 Liens. {BODY}
Section 7.11 Financial Covenants.
(a) Maximum Leverage. The ratio counts.
(i) first limb;
(ii) second limb.
(b) Minimum Cover. The cover counts.
"""

UK = f"""22. FINANCIAL COVENANTS
22.1 Financial definitions
In this Clause 22:
"Relevant Period" means each period of twelve months.
22.2 Financial condition
(a) Leverage: {BODY}
(b) Interest cover: {BODY}
23. GENERAL UNDERTAKINGS
23.1 Authorisations
{BODY}"""


def test_us_numbering() -> None:
    """Articles hold sections, sections hold letters, letters hold roman limbs; labels are full paths."""
    tree = _tree(US)
    labels = [p.label for p in tree.provisions]
    assert labels == ["ARTICLE VII", "7.10", "7.11", "7.11(a)", "7.11(a)(i)", "7.11(a)(ii)", "7.11(b)"]
    by_label = {p.label: p for p in tree.provisions}
    assert tree.provisions[by_label["7.11(a)(ii)"].parent or 0].label == "7.11(a)"
    assert by_label["7.11"].heading == "Financial Covenants"
    assert by_label["7.11(a)"].heading == "Maximum Leverage"
    assert by_label["7.10"].end == by_label["7.11"].start


def test_uk_numbering() -> None:
    """Clauses, sub-clauses, letters and defined terms of a UK agreement."""
    tree = _tree(UK)
    assert [p.label for p in tree.provisions if p.kind != "definition"] == [
        "22",
        "22.1",
        "22.2",
        "22.2(a)",
        "22.2(b)",
        "23",
        "23.1",
    ]
    (term,) = [p for p in tree.provisions if p.kind == "definition"]
    assert term.heading == "Relevant Period"
    assert tree.find("22.2")[0].heading == "Financial condition"


def test_a_table_of_contents_is_no_provision() -> None:
    """Entries of a table of contents are dropped; the provision with a body stays."""
    contents = "Section 7.10 Liens ......... 41\nSection 7.11 Financial Covenants ......... 42\n\n"
    tree = _tree(contents + US)
    assert [p.label for p in tree.provisions].count("7.11") == 1
    assert tree.find("7.11")[0].start > len(contents)


def test_reserved_keeps_its_number() -> None:
    """A reserved section is a provision, so that the next one does not slide."""
    tree = _tree(f"Section 7.10 [Reserved]\n\nSection 7.11 Leverage. {BODY}")
    assert [p.label for p in tree.provisions] == ["7.10", "7.11"]


@pytest.mark.parametrize(
    "text",
    [
        "as required by Section 7.11 of this Agreement and Section 7.12 hereof,\n",
        "the ratio shall not exceed\n3.50 to 1.00 at any time.\n",
        "pursuant to\nSection 2.05 and the Borrower\n",
        "on the terms of Section 7.11(a), (b) and (c)\n",
    ],
)
def test_references_and_ratios_are_no_headings(text: str) -> None:
    """A number inside a sentence is no provision, even at the start of a line."""
    assert [p.label for p in _tree(text).provisions if p.kind == "section"] == []


def test_a_letter_after_h_is_a_letter() -> None:
    """(i) after (h) is a letter of the same list; (i) at the start of a list is a roman limb."""
    text = "Section 6.01 Matters.\n" + "".join(f"({c}) matter {c};\n" for c in "abcdefghij")
    assert [p.label for p in _tree(text).provisions][-2:] == ["6.01(i)", "6.01(j)"]


def test_exhibits_stand_outside() -> None:
    """What stands in an exhibit behind the signatures belongs to the exhibit, not to the last section."""
    text = US + (
        "\nIN WITNESS WHEREOF the parties have signed.\n\nEXHIBIT C - FORM OF COMPLIANCE CERTIFICATE\n\n1. Leverage. "
        "The ratio is below.\n"
    )
    tree = _tree(text)
    exhibit = next(p for p in tree.provisions if p.kind == "schedule")
    last = tree.find("7.11(b)")[0]
    assert last.end <= exhibit.start
    assert exhibit.depth == 0


def test_quoted_provisions_of_an_amendment_are_marked() -> None:
    """A section inside the quotation of an amending instruction is not the amendment's own."""
    text = f'Section 1.1 Amendment. Section 7.11 is replaced by:\n"Section 7.11 Leverage. {BODY}"\nSection 1.2 Effect. {BODY}'
    tree = _tree(text, amendment=True)
    assert [(p.label, p.quoted) for p in tree.provisions if p.kind == "section"] == [
        ("1.1", False),
        ("7.11", True),
        ("1.2", False),
    ]
    assert tree.find("7.11") == ()
    assert len(tree.find("7.11", quoted=True)) == 1


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Section 7.11 (a) (i)", "7.11(a)(i)"),
        ("clause 22.2", "22.2"),
        ("§ 6.7", "6.7"),
        ("Sub-clause 4.1,", "4.1"),
        ("7.11(a)", "7.11(a)"),
    ],
)
def test_canonical_label(text: str, label: str) -> None:
    """Ways to write a number have one normal form."""
    assert canonical_label(text) == label


def test_offsets_are_of_the_document() -> None:
    """Offsets of provisions point into the canonical text, at the number or the term's quotation mark."""
    for p in _tree(UK).provisions:
        assert 0 <= p.start <= p.body <= p.end <= len(UK)
        assert UK[p.start] == '"' if p.kind == "definition" else UK[p.start :].startswith(p.label.split("(")[0]) or "(" in p.label
