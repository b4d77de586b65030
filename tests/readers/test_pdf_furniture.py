"""Running heads, page numbers and stamps: voted over pages, never by margins."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_plugins.readers.pdf_furniture import furniture


def gone(texts: list[str]) -> list[list[str]]:
    """The words of each page that are furniture."""
    return [[text[start:end].strip() for start, end in runs] for text, runs in zip(texts, furniture(texts), strict=True)]


def page(*lines: str) -> str:
    """A page's text as pdfium gives it."""
    return "\r\n".join(lines)


def body(number: int) -> list[str]:
    """Lines of prose that differ from page to page."""
    return [f"words {'qwertzuiopas'[number]}{letter} of the body that go on" for letter in "abcdefgh"]


def test_heads_numbers_and_stamps_are_found_even_inside_a_sentence() -> None:
    """Row 29: a head, a page number and an envelope stamp are furniture on each page; the sentence around them is not."""
    texts = [page("CREDIT AGREEMENT", *body(n), f"- {n + 1} -", "DocuSign Envelope ID: 6B1F-77AA") for n in range(5)]
    assert gone(texts) == [["CREDIT AGREEMENT", f"- {n + 1} -\r\nDocuSign Envelope ID: 6B1F-77AA"] for n in range(5)]


def test_numbers_count_pages_in_every_common_shape() -> None:
    """Arabic, roman, prefixed and 'of' numbers count as page numbers, odd and even heads each on their own pages."""
    roman = ["i", "ii", "iii", "iv", "v"]
    for shape in ("{n}", "Page {n} of 9", "S-{n}", "{n} Loan Agreement", "CLB-106 (11/04) {n} Form", "{r}"):
        texts = [page(*body(n), shape.format(n=n + 1, r=roman[n])) for n in range(5)]
        assert gone(texts) == [[shape.format(n=n + 1, r=roman[n])] for n in range(5)], shape


def test_two_pages_are_enough_for_a_plain_page_number_only() -> None:
    """In a document of two pages, 'Page 1 of 2' is furniture; a repeated title is not."""
    assert gone([page("COMPLIANCE CERTIFICATE", *body(n), f"Page {n + 1} of 2") for n in range(2)]) == [
        ["Page 1 of 2"],
        ["Page 2 of 2"],
    ]


def test_titles_headings_and_list_items_are_text() -> None:
    """Headings that count as the pages do, and titles of few pages, are not eaten."""
    for shape in ("Section {n}", "SCHEDULE {n}", "ARTICLE {n} DEFINITIONS", "({n}) the Borrower shall", "{n}. Term of the loan"):
        texts = [page(shape.format(n=n + 1), *body(n)) for n in range(4)]
        assert gone(texts) == [[], [], [], []], shape
    texts = [page("IN WITNESS WHEREOF the parties", *body(n)) if n in (7, 9) else page(*body(n)) for n in range(12)]
    assert not any(gone(texts))


def test_a_row_of_figures_at_the_edge_stays_a_row() -> None:
    """The same figure on three of ten pages, or figures that differ, stay: a row of a table is not a running head."""
    texts = [page(*body(n), "Total 3.50 to 1.00") if n in (3, 4, 5) else page(*body(n)) for n in range(10)]
    assert not any(gone(texts))
    texts = [page(*body(n), f"March 31, 20{25 + n % 3} {3 + n % 2}.{n}0 to 1.00") for n in range(10)]
    assert not any(gone(texts))


def test_a_word_broken_before_the_foot_keeps_its_half() -> None:
    """A hyphen mark right before a stamp stays with the word; only the stamp is furniture."""
    texts = [f"words of page {'qwer'[n]} and the consoli\ufffeDraft of 1 May" for n in range(4)]
    assert gone(texts) == [["Draft of 1 May"]] * 4


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["", "Head", "1", "2", "3.50 to 1.00", "- 2 -", "words", "\ufffe"]), max_size=9), max_size=7
    )
)
def test_runs_are_always_sorted_disjoint_and_inside(pages: list[list[str]]) -> None:
    """Whatever the pages say, each page's runs are sorted, disjoint, not empty and inside the page; twice gives the same."""
    texts = [page(*lines) for lines in pages]
    found = furniture(texts)
    assert len(found) == len(texts)
    assert found == furniture(texts)
    for text, runs in zip(texts, found, strict=True):
        edge = -1
        for start, end in runs:
            assert edge < start < end <= len(text)
            edge = end
