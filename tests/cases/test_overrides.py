"""Overrides through the product: each of the eight kinds on a real small pack, what it settles, and what it does not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from override_packs import (
    ACCOUNTS,
    ATTESTED,
    DATED,
    NOTICE,
    SHOWS,
    Desk,
    advised,
    amend,
    conditional,
    confirmed,
    level,
    seen,
    two_of_one_day,
)

from conformed.errors import UsageError
from conformed.model.base import Missing
from conformed.model.decision import Result


@pytest.fixture
def desk(fenwick: Path, bank: Path) -> Desk:
    """The timber company's pack and a workspace."""
    return Desk(fenwick, bank)


def test_conditions_seen(desk: Desk) -> None:
    """The level of the amendment governs, the override is a reason with the person's words beside it, and the old run is untouched."""
    earlier = conditional(desk)
    before = desk.service.log_show(earlier.run)
    decision = desk.override(earlier, seen(desk))
    assert (decision.result, level(decision)) == (Result.PASS, Fraction(17, 4))
    assert "override_cp_evidence_seen" in desk.codes(decision)
    assert not any(code.startswith("review") for code in desk.codes(decision))
    assert decision.overridden is not None
    assert decision.overridden.earlier == earlier.run
    (told,) = decision.overridden.told
    assert (told.taken, told.changed, told.override.reason, told.override.by) == (
        True, True, "The agency desk sent its note.", "Ida Marsh",
    )  # fmt: skip
    assert "agency desk" not in " ".join(r.sentence for r in decision.reasons)
    assert desk.service.log_show(earlier.run) == before
    assert desk.service.log_verify(None).ok


@pytest.mark.parametrize(
    ("text", "words", "met_on", "code"),
    [
        (NOTICE, SHOWS, "2024-05-15", "review_cp_evidence_missing"),
        (NOTICE.replace("was met", "was not met"), SHOWS.replace("was met", "was not met"), "2024-05-14", "review_cp_evidence_missing"),
    ],
)  # fmt: skip
def test_evidence_that_shows_something_else_is_not_taken(desk: Desk, text: str, words: str, met_on: str, code: str) -> None:
    """A day that the paper does not bear, or words that deny, leave the review as it was and are told."""
    earlier = conditional(desk)
    decision = desk.override(earlier, seen(desk, text, words, met_on))
    assert decision.result is Result.REVIEW
    assert code in desk.codes(decision)
    assert "override_cp_evidence_seen" not in desk.codes(decision)
    assert decision.overridden is not None
    assert not decision.overridden.told[0].taken


def test_a_day_that_notices_of_the_pack_contradict_is_not_taken(desk: Desk) -> None:
    """Two notices that disagree leave the day open; a person's day does not pass over the one that says otherwise."""
    for day in ("14", "17"):
        text = f"NOTICE OF EFFECTIVENESS\n\nThe conditions to the First Amendment were satisfied on May {day}, 2024.\n"
        desk.add(f"notice-{day}.txt", text, "kind: condition_notice")
    decision = desk.override(conditional(desk), seen(desk))
    assert decision.result is Result.REVIEW
    assert "review_effective_date_ambiguous" in desk.codes(decision)
    assert "override_cp_evidence_seen" not in desk.codes(decision)
    assert "2024-05-17" in next(r.sentence for r in decision.reasons if r.code == "review_effective_date_ambiguous")


def test_executed_copy_seen(desk: Desk) -> None:
    """A copy with the same words and every signature makes the instrument count."""
    desk.add("first.txt", amend(DATED, signed=False), "kind: amendment", "dated: 2024-05-10")
    earlier = desk.run()
    assert "review_unsigned_instrument" in desk.codes(earlier)
    given = {
        "code": "override_execution_seen", "answers": "review_unsigned_instrument", "signed_on": "2024-05-10",
        "file": str(desk.beside("signed.txt", amend(DATED))), "reason": "From the deal bible.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert (decision.result, level(decision)) == (Result.PASS, Fraction(17, 4))
    assert "override_execution_seen" in desk.codes(decision)
    for name, text, code in (
        ("half.txt", amend(DATED, signed=False, half=True), "review_partial_execution"),
        ("again.txt", amend(DATED, signed=False), "review_unsigned_instrument"),
        ("other.txt", amend(DATED.replace("4.25", "4.75")), "review_unsigned_instrument"),
        ("draft.txt", "DRAFT of 3 May\n\n" + amend(DATED), "review_unsigned_instrument"),
    ):
        refused = desk.override(earlier, {**given, "file": str(desk.beside(name, text))})
        assert refused.result is Result.REVIEW, name
        assert code in desk.codes(refused), name
        assert "override_execution_seen" not in desk.codes(refused), name
        assert {c.limit.value for c in refused.candidates} == {Fraction(17, 4), Fraction(15, 4)}, name


def test_a_signature_does_not_show_that_the_lenders_agreed(desk: Desk) -> None:
    """The executed copy settles the signatures; the share of lenders that nothing shows stays open."""
    silent = (
        amend(DATED, signed=False).replace("each Lender party", "the Lenders").replace(" hereto and Oakridge", " and Oakridge")
    )
    silent = silent.replace("OAKRIDGE BANK, as Administrative Agent and as a Lender", "OAKRIDGE BANK, as Administrative Agent")
    desk.add("first.txt", silent, "kind: amendment", "dated: 2024-05-10")
    earlier = desk.run()
    signed = silent.replace("By: ____________________", "By: /s/ Somebody")
    given = {
        "code": "override_execution_seen", "answers": "review_unsigned_instrument", "signed_on": "2024-05-10",
        "file": str(desk.beside("signed.txt", signed)), "reason": "Seen.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert {"override_execution_seen", "review_consent_threshold_unproven"} <= desk.codes(decision)
    assert decision.result is Result.REVIEW


@pytest.mark.parametrize(("reading", "expected"), [("1", Fraction(4)), ("2", Fraction(17, 4))])
def test_reading_of_counsel(desk: Desk, reading: str, expected: Fraction) -> None:
    """The reading chosen governs, and the conformed copy shows its words and no other's."""
    decision = desk.override(two_of_one_day(desk), advised(reading))
    assert (decision.result, level(decision)) == (Result.PASS, expected)
    assert "override_counsel_reading" in desk.codes(decision)
    words = "".join(run.text for c in decision.conformed if c.section == "6.10" for run in c.runs)
    assert [at for at in ("4.00 to 1.00", "4.25 to 1.00") if at in words] == [f"{float(expected):.2f} to 1.00"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reading": "3"}, "shows 2 readings; there is no reading 3"),
        ({"reading": "3.50 to 1.00"}, "is not the number of a reading"),
        ({"level": "3.5"}, "never gives a level, a comparator or a result"),
        ({"chosen": "x"}, "never gives a level"),
        ({"answers": "review_cp_evidence_missing"}, "has no code 'review_cp_evidence_missing' to answer"),
        ({"subject": "agreement.txt"}, "is not about agreement.txt"),
        ({"counsel": " "}, "lacks counsel"),
        ({"reason": ""}, "lacks reason"),
    ],
)
def test_counsel_brings_no_level(desk: Desk, given: dict[str, str], said: str) -> None:
    """Only a reading that the run shows can be chosen; each other thing is one sentence, and leaves the log as it was."""
    earlier = two_of_one_day(desk)
    before = desk.service.log_verify(None).records
    with pytest.raises(UsageError, match=said):
        desk.override(earlier, {**advised("1"), **given})
    assert desk.service.log_verify(None).records == before


def test_counsel_cannot_settle_what_is_missing(desk: Desk) -> None:
    """Evidence that is not there is no question of law."""
    with pytest.raises(UsageError, match="cannot settle review_cp_evidence_missing"):
        desk.override(conditional(desk), {**advised("1"), "answers": "review_cp_evidence_missing"})


def test_two_readings_of_counsel_are_none(desk: Desk) -> None:
    """Where two overrides choose differently nothing is chosen."""
    decision = desk.override(two_of_one_day(desk), advised("1"), advised("2"))
    assert decision.result is Result.REVIEW
    assert "review_conflict_same_effective_date" in desk.codes(decision)
    assert "override_counsel_reading" not in desk.codes(decision)


def test_figure_corrected(desk: Desk) -> None:
    """The ratio is worked from the new figure, with old, new and source kept; the level stays."""
    earlier = desk.run()
    given = {
        "code": "override_input_corrected", "answers": "calculation", "figure": "Consolidated Total Debt", "old": "300,000,000",
        "new": "390000000", "file": str(desk.beside("accounts.txt", ACCOUNTS)), "words": "Borrowings in all: 390,000",
        "reason": "The certificate left the revolver out.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert not isinstance(decision.calculation, Missing)
    assert (decision.result, decision.calculation.ratio, level(decision)) == (Result.BREACH, Fraction(39, 10), level(earlier))
    assert {"override_input_corrected", "finding_certificate_ratio_differs"} <= desk.codes(decision)
    debt = next(f for f in decision.calculation.figures if f.name == "total_debt")
    assert {s.document for s in debt.spans} == {"accounts.txt", "certificate.txt"}
    for wrong in ({"old": "301000000"}, {"new": "380000000"}):
        refused = desk.override(earlier, {**given, **wrong})
        assert refused.result is Result.REVIEW
        assert "review_input_conflict" in desk.codes(refused)
        assert "override_input_corrected" not in desk.codes(refused)


def test_mapping_corrected(desk: Desk) -> None:
    """A line under a name that nobody knows is counted to the term that a person names."""
    desk.change("certificate.txt", "Consolidated Total Debt ", "Obligations outstanding ")
    earlier = desk.run()
    assert "review_input_missing" in desk.codes(earlier)
    assert "review_step_malformed" not in desk.codes(earlier)
    given = {
        "code": "override_mapping_corrected", "answers": "review_input_missing", "figure": "Obligations outstanding",
        "old": "obligations_outstanding", "new": "total_debt", "reason": "The treasurer's word for it.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert decision.result is Result.PASS
    assert not isinstance(decision.calculation, Missing)
    assert decision.calculation.ratio == 3
    assert "override_mapping_corrected" in desk.codes(decision)
    assert "review_input_conflict" in desk.codes(desk.override(earlier, {**given, "old": "cash"}))
    with pytest.raises(UsageError, match="no term to which a line can belong"):
        desk.override(earlier, {**given, "new": "required_level"})


def test_target_confirmed(desk: Desk) -> None:
    """The instruction works on the provision that it means; one that no paper has is no provision."""
    desk.add("first.txt", amend(DATED.replace("6.10", "6.20")), *ATTESTED)
    earlier = desk.run()
    assert {r.code for r in earlier.reasons} == {"review_target_not_found"}
    decision = desk.override(earlier, confirmed())
    assert (decision.result, level(decision)) == (Result.PASS, Fraction(17, 4))
    assert "override_target_confirmed" in desk.codes(decision)
    refused = desk.override(earlier, confirmed("6.40"))
    assert refused.result is Result.REVIEW
    assert "override_target_confirmed" not in desk.codes(refused)


def test_review_confirmed(desk: Desk) -> None:
    """What is open stays open; who asks whom by when is kept. What is not open cannot be confirmed."""
    earlier = conditional(desk)
    given = {
        "code": "override_review_confirmed", "answers": "review_cp_evidence_missing", "asks": "I. Marsh", "asked": "Oakridge Bank",
        "by_when": "2026-04-01", "reason": "The agent is closed this week.",
    }  # fmt: skip
    decision = desk.override(earlier, given)
    assert (decision.result, decision.candidates) == (Result.REVIEW, earlier.candidates)
    assert {"review_cp_evidence_missing", "override_review_confirmed"} <= desk.codes(decision)
    with pytest.raises(UsageError, match="has no code"):
        desk.override(earlier, {**given, "answers": "review_unsigned_instrument"})


def test_result_rejected(desk: Desk) -> None:
    """The result stays as it is, and the record says that another run is needed."""
    earlier = desk.run()
    given = {"code": "override_result_rejected", "answers": "calculation", "reason": "The figures are of the wrong quarter."}
    decision = desk.override(earlier, given)
    assert (decision.result, decision.covenant, decision.calculation) == (earlier.result, earlier.covenant, earlier.calculation)
    assert "override_result_rejected" in desk.codes(decision)
    assert decision.overridden is not None
    assert decision.overridden.rerun_required
    assert decision.next_steps[0].startswith(f"Run the pack again: the result of run {earlier.run} is not accepted.")
