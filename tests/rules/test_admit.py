"""Which instruments can operate (PR-01 to PR-05, PR-20), and what is in doubt about each."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support import Paper, base, candidates, codes, day, decided, record, set_level, waived

from conformed.model.operation import EffectiveMode
from conformed.model.pack import Execution, InstrumentKind, Manifest, ManifestDocument

K, X = InstrumentKind, Execution
FOUR, LOW = Fraction(4), Fraction(15, 4)
TEST = "2024-06-30"


def change(**more: object) -> Paper:
    """An amendment to 3.75 in force on the test date."""
    given: dict[str, object] = {"number": 1, **more}
    return Paper("a1.txt", K.AMENDMENT, day("2024-03-15"), [set_level()], **given)  # type: ignore[arg-type]


def test_made_after_the_knowledge_date() -> None:
    """An instrument dated, or signed to the end, after the knowledge date does not exist for the run (PR-01)."""
    found = decided([base(), change()], TEST, known="2024-03-14")
    assert record(found) == ("determined", FOUR, set())
    assert "reject_after_known_date" in codes(found)
    found = decided([base(), change(signed_on=day("2024-07-20"))], TEST, known="2024-07-19")
    assert (record(found), "reject_after_known_date" in codes(found)) == (("determined", FOUR, set()), True)


def test_notice_after_the_knowledge_date_shows_nothing() -> None:
    """A day that only a later notice shows was not evidenced yet, though the day itself is earlier."""
    notice = Paper("n.txt", K.CONDITION_NOTICE, day("2024-07-10"))
    papers = [base(), change(mode=EffectiveMode.ON_CP, effective_on=day("2024-04-02"), shown_by="n.txt"), notice]
    assert record(decided(papers, TEST, known="2024-07-10")) == ("determined", LOW, set())
    early = decided(papers, TEST, known="2024-07-09")
    assert record(early) == ("review", None, {FOUR, LOW})
    assert "review_cp_evidence_missing" in codes(early)


@pytest.mark.parametrize(
    ("execution", "code"),
    [
        (X.UNSIGNED, "review_unsigned_instrument"),
        (X.UNKNOWN, "review_unsigned_instrument"),
        (X.PARTIAL, "review_partial_execution"),
    ],
)
def test_signatures_that_are_missing(execution: Execution, code: str) -> None:
    """An instrument that is not signed to the end may count or not: both levels are shown (PR-05)."""
    found = decided([base(), change(execution=execution)], TEST)
    assert record(found) == ("review", None, {FOUR, LOW})
    assert code in codes(found)


@pytest.mark.parametrize("execution", [X.UNSIGNED, X.PARTIAL, X.UNKNOWN])
def test_unsigned_base_is_a_stop(execution: Execution) -> None:
    """Without an executed agreement nothing governs; its level is a candidate."""
    found = decided([base(execution=execution)], TEST)
    assert record(found) == ("review", None, {FOUR})


def test_drafts() -> None:
    """A draft is dropped with certainty, unless another instrument recites it as made (PR-04); a draft proves nothing of a draft."""
    draft = change(execution=X.DRAFT)
    found = decided([base(), draft], TEST)
    assert record(found) == ("determined", FOUR, set())
    assert "reject_draft" in codes(found)
    later = Paper("a2.txt", K.AMENDMENT, day("2024-05-01"), [], number=2, recites=[(1, None)])
    recited = decided([base(), draft, later], TEST)
    assert record(recited) == ("review", None, {FOUR, LOW})
    assert "review_unsigned_instrument" in codes(recited)
    other_draft = Paper("a2.txt", K.AMENDMENT, day("2024-05-01"), [], number=2, recites=[(1, None)], execution=X.DRAFT)
    assert record(decided([base(), draft, other_draft], TEST)) == ("determined", FOUR, set())


def test_draft_recited_after_the_knowledge_date() -> None:
    """Who recites a draft must itself be known."""
    later = Paper("a2.txt", K.AMENDMENT, day("2024-08-01"), [], number=2, recites=[(1, None)])
    assert record(decided([base(), change(execution=X.DRAFT), later], TEST, known="2024-07-31")) == ("determined", FOUR, set())


def test_draft_recited_by_its_date() -> None:
    """A draft without a number is recited by its date."""
    draft = Paper("letter.txt", K.AMENDMENT, day("2024-03-15"), [set_level()], execution=X.DRAFT)
    later = Paper("a2.txt", K.AMENDMENT, day("2024-05-01"), [], recites=[(None, "2024-03-15")])
    assert "review_unsigned_instrument" in codes(decided([base(), draft, later], TEST))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (K.RESERVATION, "reject_no_level_change"),
        (K.CONFORMED_COPY, "reject_non_operative_document"),
        (K.COMPLIANCE_CERTIFICATE, ""),
        (K.CONDITION_NOTICE, ""),
    ],
)
def test_kinds_that_cannot_operate(kind: InstrumentKind, code: str) -> None:
    """Evidence changes nothing, however it reads (PR-03)."""
    found = decided([base(), Paper("x.txt", kind, day("2024-03-15"), [set_level()])], TEST)
    assert record(found) == ("determined", FOUR, set())
    assert not code or code in codes(found)


def test_document_of_no_known_kind_that_makes_a_change() -> None:
    """A change in a document whose kind was not understood is not dropped in silence; a person who says what it is settles it."""
    paper = Paper("x.txt", K.OTHER, day("2024-03-15"), [set_level()])
    found = decided([base(), paper], TEST)
    assert record(found) == ("review", None, {FOUR, LOW})
    told = Manifest(documents=(ManifestDocument(file="base.txt"), ManifestDocument(file="x.txt", kind=K.OTHER)))
    assert record(decided([base(), paper], TEST, manifest=told)) == ("determined", FOUR, set())


def test_side_letter_needs_authority() -> None:
    """A side letter may operate or not: a person decides (PR-21)."""
    found = decided([base(), Paper("s.txt", K.SIDE_LETTER, day("2024-03-15"), [set_level()])], TEST)
    assert record(found) == ("review", None, {FOUR, LOW})
    assert "review_side_letter_authority" in codes(found)


def signed(words: str, kind: InstrumentKind = K.AMENDMENT) -> Paper:
    """An instrument whose signatures were read from its text and are nobody's attestation."""
    return Paper(
        "a1.txt", kind, day("2024-03-15"), [set_level()], number=1, attested=False, signed_on=day("2024-03-15"), words=words
    )


@pytest.mark.parametrize(
    ("words", "enough"),
    [
        ("The Borrower, the Agent and the Lenders party hereto, being the Required Lenders, agree.", True),
        ("Countersigned by the Agent for the Majority Lenders.", True),
        ("Each of the Lenders agrees to the change.", True),
        ("The Borrower and the Bank agree.", True),
        ("The Borrower and the Agent agree. The Lenders will be told.", False),
        ("The Borrower and the Agent agree. The Lenders will be told.\n\nBy: A. Stone, as Lender", True),
    ],
)
def test_consent_is_shown_or_asked_for(words: str, enough: bool) -> None:
    """An instrument that nobody attests must show the lenders' share where there is a group of lenders (PR-20)."""
    found = decided([base(), signed(words)], TEST)
    assert ("review_consent_threshold_unproven" in codes(found)) is not enough
    assert record(found) == (("determined", LOW, set()) if enough else ("review", None, {FOUR, LOW}))


def test_attested_execution_settles_consent() -> None:
    """Attested execution says that the lenders' share was given too."""
    found = decided([base(), change(words="The Borrower and the Agent agree. The Lenders will be told.")], TEST)
    assert record(found) == ("determined", LOW, set())


def test_waiver_without_consent_gives_no_overlay() -> None:
    """A waiver that shows no share of lenders is told as open and is no overlay (P36)."""
    waiver = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", (TEST, TEST))], attested=False, signed_on=day("2024-08-20"),
                   words="The Agent writes to the Borrower. The Lenders were asked.")  # fmt: skip
    found = decided([base(), waiver], TEST)
    assert found.overlay.value == "none"
    assert "review_consent_threshold_unproven" in codes(found)
    assert candidates(found) == set()
