"""Overrides folded into a case: whatever is given, in whatever order, no level comes that no paper states."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed.model.covenant import Covenant
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.override import (
    MAY_ANSWER,
    CounselReading,
    CpEvidenceSeen,
    ExecutionSeen,
    InputCorrected,
    MappingCorrected,
    Override,
    ResultRejected,
    ReviewConfirmed,
    TargetConfirmed,
)
from conformed.model.pack import CaseFile, Execution, InstrumentKind, Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest
from conformed.rules.attested.attested import attest, decide_attested
from conformed.rules.instruments.casefile import build_case
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.readers.text import TextReader

DAY = dt.date(2024, 5, 14)
MORNING = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)
AGREEMENT = """CREDIT AGREEMENT

dated as of March 1, 2022 among Lowther Glass, Inc., as Borrower, the Lenders party hereto and Tarn Bank, as Agent

Section 7.11 Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal \
quarter to be greater than 4.00 to 1.00.

Section 7.12 Capital Spending. The Borrower shall not spend more than $10,000,000 in any fiscal year.

By: /s/ A. Glazier
"""
TO = (
    'Section 7.11 of the Credit Agreement is hereby amended and restated in its entirety to read as follows:\n\n"Section 7.11 Total '
    "Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater "
    'than {to} to 1.00."\n\n2. '
)
SLIP = (
    'Section 7.31 of the Credit Agreement is hereby amended by deleting "3.75 to 1.00" and inserting "3.25 to 1.00" in its place.'
)
SIGNING = "This Amendment is effective as of its date."
WAITS = "This Amendment shall become effective on the date on which the Agent has received payment of its fee."


def paper(number: str, day: str, body: str, signed: str = "/s/ A. Glazier") -> str:
    """An amendment of the glass maker's agreement."""
    return f"""{number} AMENDMENT TO CREDIT AGREEMENT

This Amendment, dated as of {day}, is among Lowther Glass, Inc., each Lender party hereto and Tarn Bank, as Agent, and changes the
Credit Agreement dated as of March 1, 2022 (the "Credit Agreement").

1. {body}

By: {signed}
"""


SECOND = paper("SECOND", "June 3, 2024", TO.format(to="3.75") + SIGNING, "__________")
PAPERS = {
    "agreement.txt": AGREEMENT,
    "first.txt": paper("FIRST", "May 10, 2024", TO.format(to="4.50") + WAITS),
    "second.txt": SECOND,
    "third.txt": paper("THIRD", "July 1, 2024", SLIP),
    "letter.txt": "The Agent wrote on May 14, 2024 that its fee had been paid and that nothing more was awaited.\n",
    "signed.txt": SECOND.replace("__________", "/s/ A. Glazier"),
}
SHOWS = "its fee had been paid"
STATED = {Fraction(4), Fraction(9, 2), Fraction(15, 4), Fraction(13, 4)}


def listed(name: str) -> ManifestDocument:
    """What is attested of a paper."""
    kind = {"letter.txt": InstrumentKind.OTHER, "signed.txt": InstrumentKind.OTHER}.get(name)
    execution = Execution.EXECUTED if name in {"agreement.txt", "first.txt", "third.txt"} else None
    effective = {"agreement.txt": dt.date(2022, 3, 1), "third.txt": dt.date(2024, 7, 1)}.get(name)
    return ManifestDocument(file=name, kind=kind, execution=execution, effective_on=effective)


def made() -> tuple[CaseFile, Extraction]:
    """A case with three things open: conditions, a signature, and a provision that there is not."""
    documents = [TextReader().read(name, text.encode()) for name, text in PAPERS.items()]
    manifest = Manifest(documents=tuple(listed(n) for n in PAPERS), chain_complete=True, fiscal_year_end="12-31")
    question = Question(test_date=dt.date(2024, 9, 30), known_at=dt.date(2026, 1, 1), section="7.11")
    case = build_case(documents, pack="glass", digest="0", question=question, manifest=manifest)  # type: ignore[arg-type]
    names = tuple(d.name for d in case.documents)
    return case, ClauseExtractor().extract(ExtractRequest(case, Retrieved(authorised=names)))


CASE, EXTRACTION = made()
OPEN = decide(CASE, EXTRACTION)
COMMON: dict[str, Any] = {"reason": "Seen.", "by": "Ida Marsh", "at": MORNING}
MET = CpEvidenceSeen(
    answers="review_cp_evidence_missing", subject="first.txt", met_on=DAY, file="letter.txt", words=SHOWS, **COMMON
)
SIGNED = ExecutionSeen(
    answers="review_unsigned_instrument", subject="second.txt", file="signed.txt", signed_on=dt.date(2024, 6, 3), **COMMON
)
MEANT = TargetConfirmed(
    answers="review_target_not_found", subject="third.txt", named="7.31", section="7.11", reference="PL/9", **COMMON
)


def read(chosen: Covenant, answers: str = "review_unsigned_instrument") -> CounselReading:
    """A reading of counsel."""
    return CounselReading(
        answers=answers, subject="second.txt", counsel="P. Lowe", advised_on=DAY, reference="PL/9", reading=1, run="r-1",
        chosen=chosen, **COMMON,
    )  # fmt: skip


def forged() -> Covenant:
    """A reading at a level that no paper states."""
    first = OPEN.candidates[0]
    return first.model_copy(update={"limit": first.limit.model_copy(update={"value": Fraction(9)})})


POOL: tuple[Override, ...] = (
    MET,
    SIGNED,
    MEANT,
    MET.model_copy(update={"met_on": dt.date(2024, 5, 15)}),
    MET.model_copy(update={"file": "first.txt", "words": "payment of its fee"}),
    MET.model_copy(update={"subject": "second.txt"}),
    SIGNED.model_copy(update={"file": "letter.txt"}),
    SIGNED.model_copy(update={"subject": "first.txt"}),
    MEANT.model_copy(update={"section": "7.12"}),
    MEANT.model_copy(update={"subject": "first.txt", "named": "7.11", "section": "7.12"}),
    read(forged()),
    *(read(c) for c in OPEN.candidates),
    read(OPEN.candidates[0], "review_target_not_found").model_copy(update={"subject": "third.txt"}),
    InputCorrected(
        answers="calculation", subject="letter.txt", figure="ebitda", old=Fraction(1), new=Fraction(2), file="letter.txt", words="2024",
        **COMMON,
    ),
    MappingCorrected(answers="calculation", subject="letter.txt", figure="ebitda", old="ebitda", new="cash", **COMMON),
    ReviewConfirmed(answers="review_unsigned_instrument", asks="I. Marsh", asked="Tarn Bank", by_when=DAY, **COMMON),
    ResultRejected(answers="calculation", **COMMON),
)  # fmt: skip


def answer(overrides: list[Override]) -> Effective:
    """Precedence with overrides."""
    found = attest(CASE, EXTRACTION, overrides)
    return decide_attested(found.case, found.extraction, found)[0]


def reviews(effective: Effective) -> set[tuple[str, str]]:
    """What is open."""
    return {(r.code, r.subject) for r in effective.reasons if r.code.startswith("review")}


def codes(effective: Effective) -> set[str]:
    """Codes of what is open; a clash of two papers gives the codes of both about one of them."""
    return {code for code, _ in reviews(effective)}


def levels(effective: Effective) -> set[Fraction]:
    """Every level that an answer shows."""
    governing = [effective.covenant] if isinstance(effective.covenant, Covenant) else []
    return {c.limit.value for c in (*governing, *effective.candidates)}


def test_the_case_has_three_things_open() -> None:
    """The ground of the properties: without an override each is asked, and with all three facts one level governs."""
    assert codes(OPEN) == {"review_cp_evidence_missing", "review_unsigned_instrument", "review_target_not_found"}
    assert levels(OPEN) == STATED
    every = answer([MET, SIGNED, MEANT])
    assert (every.result, levels(every)) == ("determined", {Fraction(13, 4)})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chosen=st.lists(st.sampled_from(range(len(POOL))), unique=True, max_size=7), data=st.data())
def test_no_level_from_a_person_and_no_order(chosen: list[int], data: st.DataObject) -> None:
    """Any overrides, true, false or forged: every level shown is one that a paper states; any order gives the same answer."""
    overrides = [POOL[n] for n in chosen]
    one = answer(overrides)
    assert levels(one) <= STATED
    other = answer(data.draw(st.permutations(overrides)))
    assert one.model_dump_json() == other.model_dump_json()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chosen=st.lists(st.sampled_from(range(len(POOL))), unique=True, max_size=7))
def test_only_what_is_answered_is_closed(chosen: list[int]) -> None:
    """A code that is gone is one that an override which was taken may answer."""
    overrides = [POOL[n] for n in chosen]
    after = answer(overrides)
    used = {r.code for r in after.reasons if r.code.startswith("override")}
    may = {code for o in overrides if o.code in used for code in MAY_ANSWER.get(o.code, ())}
    assert codes(OPEN) - codes(after) <= may


@pytest.mark.parametrize("alone", [MET, SIGNED, MEANT], ids=lambda o: o.code)
def test_one_fact_settles_one_thing(alone: Override) -> None:
    """Each fact is taken, is a reason about its document, and leaves the two others open."""
    after = answer([alone])
    assert (alone.code, alone.subject) in {(r.code, r.subject) for r in after.reasons}
    assert (alone.answers, alone.subject) not in reviews(after)
    assert after.result == "review"
    assert {o.answers for o in (MET, SIGNED, MEANT) if o is not alone} <= codes(after)


def test_counsel_settles_no_fact() -> None:
    """Whether a paper is signed is no question of law: the reading is not taken, and why is told."""
    found = attest(CASE, EXTRACTION, [read(OPEN.candidates[0])])
    effective, taken, why = decide_attested(found.case, found.extraction, found)
    assert (reviews(effective), taken) == (reviews(OPEN), False)
    assert "no question of law" in why


def test_a_clear_instruction_is_not_turned() -> None:
    """Nobody moves an instruction that names the covenant plainly to another provision."""
    turned = MEANT.model_copy(update={"subject": "first.txt", "named": "7.11", "section": "7.12"})
    after = answer([turned])
    assert "override_target_confirmed" not in {r.code for r in after.reasons}
    assert reviews(after) > reviews(OPEN)
    assert levels(after) == levels(OPEN)


def test_two_facts_about_one_thing_are_none() -> None:
    """Overrides that disagree are both left, and the disagreement is a review of its own."""
    other = SIGNED.model_copy(update={"signed_on": dt.date(2024, 6, 9)})
    after = answer([SIGNED, other])
    assert "override_execution_seen" not in {r.code for r in after.reasons}
    assert any("different facts" in r.sentence for r in after.reasons)


def test_a_person_is_quoted_by_no_rule() -> None:
    """Words of the person stand in no reason: they are data beside it."""
    after = answer([o.model_copy(update={"reason": "zebra 9.99 to 1.00"}) for o in (MET, SIGNED, MEANT)])
    assert "zebra" not in after.model_dump_json()


def test_which_of_two_instructions_must_be_said() -> None:
    """A paper that names the same absent provision twice is asked about, until words say which instruction is meant."""
    slip = next(o for o in EXTRACTION.operations if o.document == "third.txt")
    other = slip.model_copy(update={"id": "third.txt#other", "instruction": slip.instruction[:0]})
    twice = EXTRACTION.model_copy(update={"operations": (*EXTRACTION.operations, other)})
    found = attest(CASE, twice, [MEANT])
    assert (found.said[0][1].code, found.extraction) == ("review_target_ambiguous", twice)
    chosen = MEANT.model_copy(update={"words": "inserting"})
    assert attest(CASE, twice, [chosen]).said[0][1].code == "override_target_confirmed"


def test_a_paper_does_not_show_that_its_own_conditions_were_met() -> None:
    """Words of the amendment and its own date are no evidence that what it waits for has come."""
    own = MET.model_copy(update={"file": "first.txt", "words": "received payment of its fee", "met_on": dt.date(2024, 5, 10)})
    found = attest(CASE, EXTRACTION, [own])
    assert found.said[0][1].code == "review_cp_evidence_missing"
    assert found.case == CASE
