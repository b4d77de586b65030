"""The six checks of a record: what was asked of it, how it ended, and why."""

from __future__ import annotations

from conformed.engine.context import Conclusion
from conformed.engine.judge import Judgement
from conformed.engine.slots import CALCULATED, CHECKED, DRAFTED, EFFECTIVE, RETRIEVED
from conformed.model.base import Missing
from conformed.model.codes import CODES, code_class, sentence_of
from conformed.model.decision import Check, CheckOutcome, Result

__all__ = ["NAMES", "checks"]

NAMES = ("retrieval_coverage", "precedence", "schema", "calculation", "claim_support", "decision_boundary")
"""The six checks, in the order in which they are shown."""

_WRONG = {"review_span_mismatch", "review_outside_pack", "review_step_malformed"}
"""Codes that show something to be wrong, where others leave it open."""


def checks(judgement: Judgement, known: Conclusion) -> tuple[Check, ...]:
    """The check vector.

    Args:
        judgement: result and reasons by part.
        known: what the steps gave, and which failed.
    """
    return (
        _coverage(judgement, known),
        _precedence(judgement, known),
        _schema(judgement),
        _calculation(judgement, known),
        _claims(judgement, known),
        _boundary(judgement),
    )


def _coverage(judgement: Judgement, known: Conclusion) -> Check:
    codes = (*judgement.open("intake", "retrieve"), *_failed(known, "intake", "retrieve"))
    if codes:
        return _check("retrieval_coverage", CheckOutcome.REVIEW, codes)
    if known.get(RETRIEVED) is None:
        return _not_run("retrieval_coverage")
    return Check(
        name="retrieval_coverage",
        outcome=CheckOutcome.PASS,
        sentence="Every file was read, and the executed agreement and each recited instrument were seen.",
    )


def _precedence(judgement: Judgement, known: Conclusion) -> Check:
    codes = (*judgement.open("extract", "precedence", "beside"), *_failed(known, "extract", "precedence"))
    effective = known.get(EFFECTIVE)
    if codes:
        return _check("precedence", CheckOutcome.REVIEW, codes)
    if effective is None:
        return _not_run("precedence")
    if effective.result == "review":
        return _check("precedence", CheckOutcome.REVIEW, ())
    said = "One covenant governs." if effective.result == "determined" else "The covenant is not tested on this date."
    return Check(name="precedence", outcome=CheckOutcome.PASS, sentence=said)


def _schema(judgement: Judgement) -> Check:
    codes = judgement.open("failures")
    if not codes:
        said = "Every step gave what the contract says, and every quotation stands where it is cited."
        return Check(name="schema", outcome=CheckOutcome.PASS, sentence=said)
    return _check("schema", CheckOutcome.FAIL if _WRONG.intersection(codes) else CheckOutcome.REVIEW, codes)


def _calculation(judgement: Judgement, known: Conclusion) -> Check:
    effective, calculated = known.get(EFFECTIVE), known.get(CALCULATED)
    codes = (*judgement.open("calculate"), *_failed(known, "calculate"))
    if codes:
        return _check("calculation", CheckOutcome.REVIEW, codes)
    if effective is None or calculated is None or effective.result != "determined" or isinstance(calculated.calculation, Missing):
        return _not_run("calculation")
    return Check(
        name="calculation",
        outcome=CheckOutcome.PASS,
        sentence="Every input is cited and the ratio is exact.",
        codes=tuple(code for code in calculated.calculation.codes if code_class(code) == "accept"),
    )


def _claims(judgement: Judgement, known: Conclusion) -> Check:
    checked, drafted = known.get(CHECKED), known.get(DRAFTED)
    codes = (*judgement.open("claim_check", "draft"), *_failed(known, "claim_check", "draft"))
    if codes:
        rejected = checked is not None and any(one.outcome == "reject" for one in checked.verdicts)
        return _check("claim_support", CheckOutcome.FAIL if rejected else CheckOutcome.REVIEW, codes)
    if checked is None or drafted is None:
        return _not_run("claim_support")
    said = "Every claim and every sentence of the draft stands on a span or on the calculation."
    return Check(name="claim_support", outcome=CheckOutcome.PASS, sentence=said)


def _boundary(judgement: Judgement) -> Check:
    codes = judgement.open("boundary")
    if codes:
        return _check("decision_boundary", CheckOutcome.FAIL, codes)
    if judgement.result is Result.REVIEW:
        said = "The run concludes nothing: it hands over what is open."
    else:
        said = "The result follows from the record by exact comparison; it concludes nothing about credit."
    return Check(name="decision_boundary", outcome=CheckOutcome.PASS, sentence=said)


def _failed(known: Conclusion, *steps: str) -> tuple[str, ...]:
    return tuple(failure.code for failure in known.failures if failure.step in steps)


def _check(name: str, outcome: CheckOutcome, codes: tuple[str, ...]) -> Check:
    ordered = tuple(sorted(set(codes)))
    said = " ".join(sentence_of(code) if code in CODES else "A code that is not known." for code in ordered)
    return Check(name=name, outcome=outcome, sentence=said or "Left open without a reason.", codes=ordered)


def _not_run(name: str) -> Check:
    return Check(name=name, outcome=CheckOutcome.NOT_RUN, sentence="There was nothing to check, or the run did not come to it.")
