"""Retrieval by index: what is authorised, what is found, in which order, how fast, and what was not seen."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.document import Document, Media, Page, Refusal
from conformed.model.pack import CaseFile, Manifest, Question
from conformed.model.retrieval import PassageKind, Retrieved
from conformed.rules.instruments.casefile import build_case
from conformed_plugins.retrievers.index import IndexRetriever, SearchIndex

AGREEMENT = """CREDIT AGREEMENT

dated as of March 1, 2023

Section 1.01 Defined Terms. As used in this Agreement:

"Adjusted Cash" means Cash less Blocked Cash.

"Blocked Cash" means cash that is charged to another creditor.

"Consolidated EBITDA" means Consolidated Net Income plus interest expense, taxes, depreciation and amortization.

"Consolidated Net Income" means the net income of the Borrower and its Subsidiaries.

"Leverage Ratio" means the ratio of Total Debt less Adjusted Cash to Consolidated EBITDA.

"Permitted Lien" means a Lien for taxes that are not yet due.

"Total Debt" means the principal of all borrowed money of the Borrower and its Subsidiaries.

Section 6.01 Liens. The Borrower shall not create any Lien other than a Permitted Lien.

Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any fiscal quarter to be \
greater than 3.75 to 1.00.

Section 6.11 Distributions. The Borrower shall pay no dividend.

IN WITNESS WHEREOF, the parties have executed this Agreement.
"""
CERTIFICATE = "COMPLIANCE CERTIFICATE\n\nFor the fiscal quarter ended September 30, 2024\n\nTotal Debt 300,000\n\nLeverage Ratio 3.00 to 1.00\n"
AMENDMENT = """SECOND AMENDMENT TO CREDIT AGREEMENT

dated as of June 1, 2024

WHEREAS, the parties are party to the Credit Agreement, as amended by the First Amendment dated as of January 5, 2024;

1. Section 6.10 of the Credit Agreement is amended by deleting "3.75 to 1.00" and inserting "4.00 to 1.00" in its place.
"""


def document(name: str, text: str) -> Document:
    """A text as a document."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    pages = (Page(number=1, start=0, end=len(text)),)
    return Document(name=name, sha256=digest, media=Media.TEXT, reader="test 1", text=text, pages=pages, paged=False)


def case(
    *documents: Document, covenant: str | None = "Leverage Ratio", section: str | None = None, complete: bool = False
) -> CaseFile:
    """A case file of some documents."""
    return build_case(
        documents,
        pack="p",
        digest="d",
        question=Question(test_date=dt.date(2024, 9, 30), known_at=dt.date(2024, 11, 30), covenant=covenant, section=section),
        manifest=Manifest(chain_complete=complete),
        refusals=(Refusal(name="x.pdf", code="encrypted", sentence="x.pdf asks for a password."),),
    )


def found(retrieved: Retrieved, kind: PassageKind) -> list[str]:
    """Subjects of the passages of a kind, in their order."""
    return [passage.subject for passage in retrieved.passages if passage.kind is kind]


PACK = (document("a.txt", AGREEMENT), document("b.txt", AMENDMENT), document("c.txt", CERTIFICATE))


def test_what_intake_read_is_authorised_and_nothing_else() -> None:
    """Every document that was read may be looked at; one that was refused may not."""
    assert IndexRetriever().retrieve(case(*PACK)).authorised == ("a.txt", "b.txt", "c.txt")


def test_financial_sections_by_their_caption() -> None:
    """The covenant's section is taken from the index; sections of other things are not."""
    retrieved = IndexRetriever().retrieve(case(*PACK))
    assert found(retrieved, PassageKind.COVENANT) == ["6.10"]


def test_the_section_that_is_asked_for_is_always_taken() -> None:
    """Whatever its caption says."""
    retrieved = IndexRetriever().retrieve(case(*PACK, section="6.11"))
    assert found(retrieved, PassageKind.COVENANT) == ["6.10", "6.11"]


def test_definitions_are_followed_to_the_end() -> None:
    """Terms that the covenant uses, terms that these use, and so on; no other term."""
    retrieved = IndexRetriever().retrieve(case(*PACK))
    assert found(retrieved, PassageKind.DEFINITION) == [
        "Adjusted Cash", "Blocked Cash", "Consolidated EBITDA", "Consolidated Net Income", "Leverage Ratio", "Total Debt",
    ]  # fmt: skip


def test_every_passage_is_of_its_document_and_its_place() -> None:
    """Offsets are of the canonical text, sorted, and a definition begins at its term."""
    retrieved = IndexRetriever().retrieve(case(*PACK))
    texts = {one.name: one.text for one in PACK}
    assert [(p.document, p.start) for p in retrieved.passages] == sorted((p.document, p.start) for p in retrieved.passages)
    for passage in retrieved.passages:
        words = texts[passage.document][passage.start : passage.end]
        assert words
        if passage.kind is PassageKind.DEFINITION:
            assert words.startswith(f'"{passage.subject}"')


def test_instruments_that_change_and_certificates_are_taken_whole() -> None:
    """An amendment and a certificate are looked at from end to end."""
    whole = {
        p.document: p
        for p in IndexRetriever().retrieve(case(*PACK)).passages
        if p.start == 0 and p.kind is not PassageKind.SEARCH
    }
    assert (whole["b.txt"].kind, whole["b.txt"].end) == (PassageKind.INSTRUCTION, len(AMENDMENT))
    assert (whole["c.txt"].kind, whole["c.txt"].end) == (PassageKind.CERTIFICATE, len(CERTIFICATE))


def test_full_text_search_comes_second() -> None:
    """What the index gives has rank 0; what a search gives has its place in the list."""
    passages = IndexRetriever().retrieve(case(*PACK)).passages
    assert {p.rank for p in passages if p.kind is not PassageKind.SEARCH} == {0}
    ranks = sorted(p.rank for p in passages if p.kind is PassageKind.SEARCH)
    assert ranks == list(range(1, len(ranks) + 1))
    assert ranks


def test_a_pack_without_an_agreement_is_not_covered() -> None:
    """Only instruments that change one: a person is asked, unless the chain is attested as complete."""
    codes = [doubt.code for doubt in IndexRetriever().retrieve(case(PACK[1])).coverage]
    assert "review_retrieval_incomplete" in codes
    assert IndexRetriever().retrieve(case(PACK[1], complete=True)).coverage == ()
    assert "review_retrieval_incomplete" not in [d.code for d in IndexRetriever().retrieve(case(*PACK)).coverage]


def test_a_recited_instrument_that_is_absent_is_told_with_its_words() -> None:
    """The second amendment names a first one that is not in the pack."""
    (doubt,) = IndexRetriever().retrieve(case(*PACK)).coverage
    assert doubt.code == "finding_recited_instrument_absent"
    assert "First Amendment" in doubt.sentence
    assert "b.txt" in doubt.sentence
    assert all(AMENDMENT[span.start : span.end] == span.text for span in doubt.spans)
    assert doubt.spans


def test_a_covenant_that_is_defined_nowhere_is_missing() -> None:
    """A name that reads like a ratio and is no defined term is told."""
    assert IndexRetriever().retrieve(case(*PACK, covenant="Quick  Ratio")).terms_missing == ("Quick Ratio",)
    assert IndexRetriever().retrieve(case(*PACK, covenant="leverage ratio")).terms_missing == ()


def test_the_order_of_the_documents_changes_nothing() -> None:
    """The same documents in another order give the same passages."""
    assert IndexRetriever().retrieve(case(*reversed(PACK))) == IndexRetriever().retrieve(case(*PACK))


# exact facts: a generated agreement of many numbered clauses that read alike

WORDS = (
    "Capital Expenditures", "Disposals", "Distributions", "Investments", "Guarantees", "Finance Leases", "Hedging", "Insurance",
    "Real Property", "Receivables", "Rent", "Royalties", "Subordinated Debt", "Working Capital",
)  # fmt: skip
FILLER = (
    "The Borrower shall not, and shall not permit a Subsidiary to, exceed what this clause allows, save with the consent of the "
    "Required Lenders, and shall tell the Administrative Agent promptly of anything that bears on it. "
)
FACTS = [
    (f"{5 + n // 9}.{n % 9 + 1:02}", word, f"${(n + 3) * 1_250_000:,}", f"{2 + n * 7 % 40 // 10}.{n * 7 % 10}{n % 2 * 5}")
    for n, word in enumerate(WORDS * 4)
]
LONG = "\n\n".join(
    f"Section {section} {word}. {FILLER * 4}In a fiscal year ending after the {number}th anniversary the limit is {amount} "
    f"and the ratio is {ratio} to 1.00. {FILLER * 3}"
    for number, (section, word, amount, ratio) in enumerate(FACTS, 1)
)
QUERIES = [(f"Section {section} {word}", section) for section, word, _, _ in FACTS[:28]] + [
    (f"{word} limit {amount}", amount) for _, word, amount, _ in FACTS
]


@pytest.fixture(scope="module")
def index() -> Iterator[SearchIndex]:
    """The generated agreement, indexed."""
    made = SearchIndex([document("long.txt", LONG), *PACK])
    yield made
    made.close()


def test_the_first_hit_of_an_exact_fact_is_the_fact(index: SearchIndex) -> None:
    """Eighty-four questions after a section number or an amount, among clauses that read alike: the first passage holds it."""
    assert len(QUERIES) == 84
    wrong = []
    for query, fact in QUERIES:
        (name, at), *_ = index.search(query)
        if fact not in {"long.txt": LONG}.get(name, "")[at : at + 1_100]:
            wrong.append(query)
    assert wrong == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("greater than 3.75", "greater than 3.75 to 1.00"),
        ("$ 300,000", "Total Debt 300,000"),
        ("than 3.75 to 1.00.", "greater than 3.75 to 1.00."),
        ("LEVERAGE ratio ADJUSTED cash", "Total Debt less Adjusted Cash"),
        ("“4.00 to 1.00” deleting", "deleting"),
    ],
)
def test_figures_are_found_as_they_are_written(query: str, words: str) -> None:
    """A decimal point and a thousands comma belong to the figure; a full stop behind it does not."""
    made = SearchIndex(PACK)
    texts = {one.name: one.text for one in PACK}
    name, at = made.search(query)[0]
    assert words in texts[name][at : at + 1_100]


@pytest.mark.parametrize(
    "query",
    ["3.50:1.00", "$25,000,000", "Lenders’ (a)", "AND OR", "non-recurring", "NOT", 'a "quoted" word', "NEAR(a b)", "words:*",
     "^", "{}", ";--", "'", '"', "", "   ", ". , .", "\x00", "§ 7.11(a)", "é NULL", "a" * 5_000],
)  # fmt: skip
def test_awkward_characters_are_words_or_nothing(index: SearchIndex, query: str) -> None:
    """No character is an operator of the search: there are hits or there are none."""
    assert isinstance(index.search(query), list)


@given(st.text(max_size=60))
def test_no_query_raises(query: str) -> None:
    """Whatever is typed, a search answers, the same twice, within the limit."""
    made = SearchIndex([document("a.txt", AGREEMENT)])
    assert made.search(query, 3) == made.search(query, 3)
    assert len(made.search(query, 3)) <= 3
    made.close()


def test_passages_with_all_the_words_come_first() -> None:
    """One rare word does not outweigh a passage that has every word."""
    both = document("a.txt", "The limit for vessels is 40 tons. " + "The limit stands. " * 30)
    rare = document("b.txt", "zebra " * 40)
    assert SearchIndex([rare, both]).search("limit vessels")[0] == ("a.txt", 0)
    mixed = document("c.txt", "limit " * 60)
    assert SearchIndex([mixed, both]).search("limit vessels")[0][0] == "a.txt"


def test_a_figure_weighs_more_than_words() -> None:
    """Who asks for 3.50 is not given a passage with 3.75, however many of the other words it has."""
    right = document("a.txt", "Leverage must not exceed 3.50. " + "Nothing else is said here. " * 20)
    near = document("b.txt", "The Leverage Ratio limit: the Leverage Ratio limit is 3.75. " * 5)
    assert SearchIndex([near, right]).search("Leverage Ratio limit 3.50")[0][0] == "a.txt"


def test_a_search_is_quick(index: SearchIndex) -> None:
    """At most 5 ms a query in the median, over the queries above: an index, not a scan."""
    took = []
    for query, _ in QUERIES:
        began = time.perf_counter()
        index.search(query)
        took.append(time.perf_counter() - began)
    assert sorted(took)[len(took) // 2] < 0.005
