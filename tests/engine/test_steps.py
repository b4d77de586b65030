"""The covenant run on stand-ins: every proposal is checked, every failure ends in a decision for a person."""

from __future__ import annotations

import contextlib
from typing import Any

import engine_parts as parts
import pytest
from engine_parts import Drafter, Extractor, Retriever, decision

from conformed.engine.slots import Calculated
from conformed.engine.workflow import Kind
from conformed.errors import PackError
from conformed.model.base import Missing
from conformed.model.claim import Draft
from conformed.model.decision import Decision, Effective, Reason, Result
from conformed.model.document import Note, Refusal
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Retrieved
from conformed.ports import DraftRequest, ExtractRequest
from conformed_audit import AuditLog


def codes(record: Decision) -> set[str]:
    """Codes of the reasons."""
    return {reason.code for reason in record.reasons}


def outcomes(record: Decision) -> dict[str, str]:
    """Outcome of each check."""
    return {check.name: check.outcome.value for check in record.checks}


def test_a_clean_run_passes_with_all_six_checks(log: AuditLog) -> None:
    """Level, ratio, claims and draft are there, and a person is told what to do."""
    record = decision(parts.decide_all(log))
    assert record.result is Result.PASS
    assert set(outcomes(record).values()) == {"pass"}
    assert len(record.checks) == 6
    assert isinstance(record.draft, Draft)
    assert [sentence.text for sentence in record.draft.sentences] == ["3.00x meets 3.50x."]
    assert record.next_steps[-1].startswith("Then accept the file")
    assert record.documents[0].pages == 2


def _with_span(**changes: Any) -> type[Extractor]:
    class Bad(Extractor):
        def extract(self, request: ExtractRequest) -> Extraction:
            good = super().extract(request)
            bad = good.operations[0].instruction[0].model_copy(update=changes)
            return good.model_copy(update={"operations": (good.operations[0].model_copy(update={"instruction": (bad,)}),)})

    return Bad


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"text": "shall not surpass"}, "review_span_mismatch"),
        ({"sha256": "0" * 64}, "review_span_mismatch"),
        ({"page": 2}, "review_span_mismatch"),
        ({"page": None}, "review_span_mismatch"),
        ({"start": -5, "end": -1, "text": "100."[:4]}, "review_span_mismatch"),
        ({"end": 10_000}, "review_span_mismatch"),
        ({"document": "other.txt"}, "review_outside_pack"),
        ({"document": "../../etc/passwd"}, "review_outside_pack"),
    ],
)
def test_a_proposal_that_cites_what_is_not_there_is_not_used(log: AuditLog, changes: dict[str, Any], code: str) -> None:
    """Words, place, page, hash and document of every span are checked before any rule sees the proposal."""

    def decide(_case: CaseFile, _extraction: Extraction) -> Effective:
        raise AssertionError("a rule saw the proposal")

    record = decision(parts.decide_all(log, extractors=[("bad 1.0.0", _with_span(**changes)())], decide=decide))
    assert record.result is Result.REVIEW
    assert codes(record) == {code}
    assert outcomes(record)["schema"] == "fail"
    assert isinstance(record.covenant, Missing)
    failed = list(log.records(kind="step.failed"))
    assert [(one.step, one.error.code if one.error else "") for one in failed] == [("extract", code)]
    assert not any(b"surpass" in one.body or b"passwd" in one.body for one in log.records())


def test_an_operation_of_a_document_outside_the_authorised_set_is_refused(log: AuditLog) -> None:
    """A document of the pack that retrieval did not authorise may not be cited either."""
    two = (parts.document("agreement.txt"), parts.document("memo.txt", "A memo.\fNothing."))

    class Narrow(Retriever):
        def retrieve(self, case: CaseFile) -> Retrieved:
            return Retrieved(authorised=("agreement.txt",))

    class Wide(Extractor):
        def extract(self, request: ExtractRequest) -> Extraction:
            good = super().extract(request)
            return good.model_copy(update={"operations": (good.operations[0].model_copy(update={"document": "memo.txt"}),)})

    ended = parts.decide_all(log, read=lambda: parts.case_file(*two), retriever=Narrow(), extractors=[("wide 1.0.0", Wide())])
    assert codes(decision(ended)) == {"review_outside_pack"}


def test_retrieval_may_not_authorise_what_is_not_in_the_pack(log: AuditLog) -> None:
    """The authorised set is a part of the pack, whatever a retriever says."""

    class Wide(Retriever):
        def retrieve(self, case: CaseFile) -> Retrieved:
            return Retrieved(authorised=("agreement.txt", "elsewhere.txt"))

    record = decision(parts.decide_all(log, retriever=Wide()))
    assert codes(record) == {"review_outside_pack"}
    assert outcomes(record)["retrieval_coverage"] == "review"


def test_several_extractors_are_put_one_after_another(log: AuditLog) -> None:
    """Proposals of two extractors stand side by side under ids of their own; one bad one refuses the step."""
    seen: list[Extraction] = []

    def decide(case: CaseFile, extraction: Extraction) -> Effective:
        seen.append(extraction)
        return parts.decide(case, extraction)

    two = [("one 1.0.0", Extractor()), ("two 1.0.0", Extractor())]
    assert decision(parts.decide_all(log, extractors=two, decide=decide)).result is Result.PASS
    assert [one.id for one in seen[0].operations] == ["1:agreement.txt#1", "2:agreement.txt#1"]
    assert len(seen[0].certificates) == 2

    class Other(Extractor):
        def extract(self, request: ExtractRequest) -> Extraction:
            return super().extract(request).model_copy(update={"operations": ()})

    parts.decide_all(log, run="run-2", extractors=[two[0], ("other 1.0.0", Other())], decide=decide)
    assert [one.id for one in seen[1].operations] == ["agreement.txt#1"]


def test_an_extractor_that_gives_something_else_is_named(log: AuditLog) -> None:
    """The wrong type is malformed, and the sentence says whose it was."""

    class Odd(Extractor):
        def extract(self, request: ExtractRequest) -> Any:
            return []

    record = decision(parts.decide_all(log, extractors=[("good 1.0.0", Extractor()), ("odd 1.0.0", Odd())]))
    assert codes(record) == {"review_step_malformed"}
    assert "odd 1.0.0 gave a list" in record.reasons[0].sentence


@pytest.mark.parametrize("name", ["read", "retriever", "extractors", "decide", "work", "compose", "drafters", "check"])
def test_any_part_that_raises_still_gives_a_decision(log: AuditLog, name: str) -> None:
    """A failure at any step leaves a record of what is known, for review, without the exception's words."""

    def fail(*_args: Any) -> Any:
        raise RuntimeError("Net Debt 300")

    class Failing:
        retrieve = extract = draft = fail

    part: Any = [("bad 1.0.0", Failing())] if name in {"extractors", "drafters"} else Failing() if name == "retriever" else fail
    record = decision(parts.decide_all(log, **{name: part}))
    assert record.result is Result.REVIEW
    assert codes(record) >= {"review_step_failed"}
    assert record.test_date == parts.DAY
    assert (record.documents == ()) == (name == "read")
    assert isinstance(record.draft, Missing)
    assert not any(b"Net Debt" in one.body for one in log.records())
    if name in {"drafters", "check"}:
        assert not isinstance(record.covenant, Missing)
        assert not isinstance(record.calculation, Missing)


def test_files_that_changed_since_the_run_was_asked_for_stop_it(log: AuditLog) -> None:
    """A pack with another digest than the run's is bad input, not a case for review."""
    with pytest.raises(PackError, match="changed since this run began"):
        parts.decide_all(log, read=lambda: parts.case_file(digest="d" * 64))


def test_a_refused_file_and_coverage_send_the_run_to_a_person(log: AuditLog) -> None:
    """What could not be read may hold what decides; notes and unlisted files are findings only."""
    scanned = parts.document().model_copy(update={"notes": (Note(code="ocr", sentence="Page 1 was read by OCR."),)})
    refusal = Refusal(name="side.pdf", code="encrypted", sentence="side.pdf is encrypted; give a copy without a password.")
    case = parts.case_file(scanned, refusals=(refusal,), unlisted=("notes.txt",))
    record = decision(parts.decide_all(log, read=lambda: case))
    assert record.result is Result.REVIEW
    assert "review_document_unreadable" in codes(record)
    assert outcomes(record)["retrieval_coverage"] == "review"
    assert {one.code for one in record.findings} == {"finding_read_by_ocr", "finding_unlisted_file"}
    assert "Get a readable copy of side.pdf, or list the documents that count in pack.yaml." in record.next_steps


def _effective(**changes: Any) -> Any:
    return lambda case, extraction: parts.decide(case, extraction).model_copy(update=changes)


NOT_TESTED = Reason(code="not_tested_suspended", sentence="Testing is suspended.")


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"result": "not_tested", "reasons": (NOT_TESTED,), "covenant": parts.missing("Not tested.")}, Result.NOT_TESTED),
        ({"result": "not_tested", "reasons": ()}, Result.REVIEW),
        ({"result": "review", "reasons": ()}, Result.REVIEW),
        ({"result": "determined", "covenant": parts.missing()}, Result.REVIEW),
        ({"result": "pass"}, Result.REVIEW),
        ({"reasons": (Reason(code="review_schedule_gap", sentence="No row covers it."),)}, Result.REVIEW),
        ({"reasons": (Reason(code="review_made_up_code", sentence="Unknown."),)}, Result.REVIEW),
        ({"reasons": (Reason(code="made_up", sentence="Unknown."),)}, Result.REVIEW),
    ],
)
def test_the_result_follows_precedence_and_is_closed(log: AuditLog, changes: dict[str, Any], result: Result) -> None:
    """Any open code, known or not, and any answer that does not agree with itself, is review."""

    def calculate(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
        if isinstance(effective.covenant, Missing):
            return Calculated(calculation=parts.missing(), certificate=extraction.certificates[0])
        return parts.work(effective, extraction, case)

    record = decision(parts.decide_all(log, decide=_effective(**changes), work=calculate))
    assert record.result is result


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"left": "4", "met": False}, Result.BREACH),
        ({"left": "7/2", "met": True}, Result.PASS),
        ({"met": False}, Result.REVIEW),
        ({"right": "4"}, Result.REVIEW),
        ({"comparator": "lt"}, Result.REVIEW),
    ],
)
def test_the_comparison_is_worked_again_against_the_level(log: AuditLog, changes: dict[str, Any], result: Result) -> None:
    """Breach and pass come from an exact comparison with the governing level, or not at all."""

    def calculate(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
        good = parts.work(effective, extraction, case)
        assert not isinstance(good.calculation, Missing)
        assert not isinstance(good.calculation.comparison, Missing)
        other = type(good.calculation.comparison).model_validate({**good.calculation.comparison.model_dump(), **changes})
        return good.model_copy(update={"calculation": good.calculation.model_copy(update={"comparison": other})})

    record = decision(parts.decide_all(log, work=calculate))
    assert record.result is result
    assert outcomes(record)["decision_boundary"] == ("fail" if result is Result.REVIEW else "pass")


def test_an_absence_with_a_code_that_would_not_stop_is_malformed(log: AuditLog) -> None:
    """A missing calculation cannot call itself accepted."""

    def calculate(_effective: Effective, extraction: Extraction, _case: CaseFile) -> Calculated:
        absent = parts.missing("Trust me.", "accept_calculation_complete")
        return Calculated(calculation=absent, certificate=extraction.certificates[0])

    record = decision(parts.decide_all(log, work=calculate))
    assert record.result is Result.REVIEW
    assert "review_step_malformed" in codes(record)


@pytest.mark.parametrize("name", ["extractors", "drafters"])
def test_plugins_spend_from_the_contracts_budget(log: AuditLog, name: str) -> None:
    """A plugin that asks for more tokens than the contract allows (here none) ends in review, whatever it makes of it."""

    class Spending(Extractor, Drafter):
        def extract(self, request: ExtractRequest) -> Extraction:
            with contextlib.suppress(Exception):
                request.spend(generated_tokens=1)
            return super().extract(request)

        def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
            request.spend(generated_tokens=1)
            return super().draft(request)

    bound: dict[str, Any] = {name: [("spending 1.0.0", Spending())]}
    record = decision(parts.decide_all(log, **bound))
    assert record.result is Result.REVIEW
    assert {code for code in codes(record) if code.startswith("review_")} == {"review_budget_exceeded"}


def test_a_step_of_ours_cannot_make_up_a_place_either(log: AuditLog) -> None:
    """Spans of rules are checked like those of plugins."""

    def decide(case: CaseFile, extraction: Extraction) -> Effective:
        good = parts.decide(case, extraction)
        wrong = parts.span("3.50").model_copy(update={"text": "4.50"})
        return good.model_copy(update={"reasons": (good.reasons[0].model_copy(update={"spans": (wrong,)}),)})

    assert codes(decision(parts.decide_all(log, decide=decide))) == {"review_span_mismatch"}


def test_kinds_of_steps_are_as_the_log_needs_them() -> None:
    """Intake and models are read, so that a resumed run asks them again as a new attempt; rules are pure."""
    found = {step.name: step.kind for step in parts.steps(kind=Kind.READ)}
    assert {name for name, kind in found.items() if kind is Kind.READ} == {"intake", "extract"}
