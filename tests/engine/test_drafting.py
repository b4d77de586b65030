"""Claims and drafts: only what passed is put into words, and only words that pass are shown."""

from __future__ import annotations

from typing import Any

import engine_parts as parts
import pytest
from engine_parts import Drafter, decision

from conformed.engine.draft import draft_by_rule
from conformed.engine.slots import Checked
from conformed.engine.verifying import Verifiers
from conformed.model.base import Missing
from conformed.model.claim import Claim, Draft, Sentence, Verdict
from conformed.model.decision import CheckOutcome, Decision, Result
from conformed.model.pack import CaseFile
from conformed.ports import DraftRequest
from conformed_audit import AuditLog
from conformed_plugins.drafters.templates import TemplateDrafter


def codes(record: Decision) -> set[str]:
    """Codes of the reasons."""
    return {reason.code for reason in record.reasons}


def outcomes(record: Decision) -> dict[str, str]:
    """Outcome of each check."""
    return {check.name: check.outcome.value for check in record.checks}


class Approving(Drafter):
    """Recommends at first, and mends its words when told why."""

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        if request.feedback:
            assert request.feedback[0].code == "claim_prohibited_recommendation"
            return super().draft(request)
        return (parts.written(request, "We approve."),)


def test_a_refused_draft_gets_one_round_of_repair(log: AuditLog) -> None:
    """What the checks found goes back to the drafter once; the mended draft is used."""
    record = decision(parts.decide_all(log, drafters=[("approving 1.0.0", Approving())]))
    assert record.result is Result.PASS
    assert isinstance(record.draft, Draft)
    assert [one.outcome for one in record.verdicts] == ["accept", "accept", "reject", "accept", "accept"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"run": "run-0"}, "claim_stale_run"),
        ({"pack_digest": "e" * 64}, "claim_stale_run"),
        ({"sentences": ()}, "claim_reason_missing"),
    ],
)
def test_no_draft_at_all_is_review_and_no_claim_of_the_result_stands(log: AuditLog, changes: dict[str, Any], code: str) -> None:
    """When nothing passes the record stands without prose, and does not go on claiming the result of before."""

    class Stale(Drafter):
        def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
            return (parts.written(request, "3.00x meets 3.50x.").model_copy(update=changes),)

    record = decision(parts.decide_all(log, drafters=[("stale 1.0.0", Stale())]))
    assert record.result is Result.REVIEW
    assert isinstance(record.draft, Missing)
    assert record.draft.code == "review_draft_refused"
    assert code in {one.code for one in record.verdicts}
    assert [claim.id for claim in record.claims] == ["c2"]
    assert outcomes(record)["claim_support"] == CheckOutcome.REVIEW.value


def test_a_check_that_finds_nothing_is_no_pass(log: AuditLog) -> None:
    """A draft passes only when the checks say so: an empty answer is none."""
    record = decision(parts.decide_all(log, check=lambda draft, claims, record, case: ()))
    assert isinstance(record.draft, Missing)


class Judging:
    """A further verifier that gives what it is told to."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def verify(self, sentence: Sentence, claims: tuple[Claim, ...]) -> Any:
        if isinstance(self.found, type):
            raise self.found(SystemExit)
        return self.found


def test_further_verifiers_that_accept_change_nothing(log: AuditLog) -> None:
    """A verifier can only tighten, and its verdicts stand in the record under its own name."""
    fine = Verifiers([("second 1.0.0", Judging(Verdict(outcome="accept", verifier="someone else")))])
    record = decision(parts.decide_all(log, verifiers=fine))
    assert record.result is Result.PASS
    assert {one.verifier for one in record.verdicts} == {"stand-in 1.0.0", "second 1.0.0"}


@pytest.mark.parametrize("on_error", ["review", "reject", "accept"])
@pytest.mark.parametrize(
    "found", [RuntimeError, SystemExit, None, True, "accept", Verdict(outcome="fine"), Verdict(outcome="review")]
)
def test_a_verifier_fails_closed(log: AuditLog, found: Any, on_error: str) -> None:
    """One that raises, leaves, or gives something else than a verdict gives review or reject: never accept."""
    record = decision(parts.decide_all(log, verifiers=Verifiers([("odd 1.0.0", Judging(found))], on_error=on_error)))
    assert record.result is Result.REVIEW
    assert isinstance(record.draft, Missing)
    odd = {one.outcome for one in record.verdicts if one.verifier == "odd 1.0.0"}
    assert odd == ({"reject"} if on_error == "reject" and not isinstance(found, Verdict) else odd & {"review", "reject"})
    assert odd


class Embellishing(TemplateDrafter):
    """Words claims well, but for one figure."""

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        (good,) = super().draft(request)
        words = tuple(one.model_copy(update={"text": one.text.replace("3.50x", "4.50x")}) for one in good.sentences)
        return (good.model_copy(update={"sentences": words}),)


def test_the_products_own_claim_checks_hold_where_nothing_else_is_bound(log: AuditLog) -> None:
    """The rules compose claims and check the draft: it passes with the record's figures, and not with another."""
    by_rule: dict[str, Any] = {"compose": None, "check": draft_by_rule}
    good = decision(parts.decide_all(log, drafters=[("templates 1.0.0", TemplateDrafter())], **by_rule))
    assert good.result is Result.PASS, good.verdicts
    assert isinstance(good.draft, Draft)
    assert any("3.50x" in sentence.text for sentence in good.draft.sentences)
    bad = decision(parts.decide_all(log, run="run-2", drafters=[("embellishing 1.0.0", Embellishing())], **by_rule))
    assert bad.result is Result.REVIEW
    assert isinstance(bad.draft, Missing)


def test_a_claim_that_fails_is_never_drafted_and_the_run_is_review(log: AuditLog) -> None:
    """A drafter is only given claims that passed, and a draft for the earlier result is not shown."""
    given: list[list[str]] = []

    class Watching(Drafter):
        def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
            given.append([claim.id for claim in request.claims])
            return super().draft(request)

    def compose(record: Decision, case: CaseFile) -> Checked:
        good = parts.compose(record, case)
        bad = Verdict(outcome="reject", code="claim_number_unsupported", sentence="The number has no span.", subject="c2")
        return good.model_copy(update={"verdicts": (good.verdicts[0], bad)})

    record = decision(parts.decide_all(log, compose=compose, drafters=[("watching 1.0.0", Watching())]))
    assert given == [["c1"]]
    assert record.result is Result.REVIEW
    assert "claim_number_unsupported" in codes(record)
    assert isinstance(record.draft, Missing)
    assert outcomes(record)["claim_support"] == "fail"
