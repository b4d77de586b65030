"""A decision record against what is expected of a pack, part by part."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from conformed.app.evaluating.golden.cases import Expected, ExpectedTerms
from conformed.app.evaluating.golden.judged import Class, Judged, Part, PartClass
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.covenant import Covenant
from conformed.model.decision import CheckOutcome, Decision

__all__ = ["judge_decision"]

_SHOWN = 3
"""As many candidates as a person sees first."""


def judge_decision(case: str, decision: Decision, right: Expected) -> Judged:
    """Judges a run.

    Args:
        case: id of the case.
        decision: the record.
        right: what is expected.
    """
    vector = (
        _coverage(decision, right),
        _precedence(decision, right),
        _schema(decision),
        _calculation(decision, right),
        _claims(decision),
        _boundary(decision, right),
    )
    return Judged(case=case, outcome=_class(decision, right, vector), vector=vector, actions=decision.next_steps)


def _class(decision: Decision, right: Expected, vector: tuple[Part, ...]) -> Class:
    outcomes = {part.outcome for part in vector}
    if PartClass.WRONG in outcomes:
        return Class.WRONG
    if outcomes <= {PartClass.RIGHT, PartClass.NOT_JUDGED}:
        return Class.RIGHT
    shown = decision.candidates[:_SHOWN]
    if right.covenant is not None and any(not _differences(one, right.covenant) for one in shown):
        return Class.CANDIDATE
    return Class.REVIEW if decision.result == "review" else Class.MISSED


def _part(name: str, told: Iterable[str], *, wrong: bool, codes: Iterable[str] = ()) -> Part:
    said = "; ".join(told)
    outcome = PartClass.RIGHT if not said else PartClass.WRONG if wrong else PartClass.OPEN
    return Part(name=name, outcome=outcome, said=said, codes=tuple(sorted(set(codes))))


def _check(decision: Decision, name: str) -> tuple[CheckOutcome, tuple[str, ...]]:
    found = next((one for one in decision.checks if one.name == name), None)
    return (CheckOutcome.NOT_RUN, ()) if found is None else (found.outcome, found.codes)


def _coverage(decision: Decision, right: Expected) -> Part:
    """Whether each deciding document was read, and what could not be read was said."""
    outcome, codes = _check(decision, "retrieval_coverage")
    wanted = {one.document for one in (*((right.covenant,) if right.covenant else ()), *right.candidates)}
    absent = sorted(wanted - {one.name for one in decision.documents})
    told = [f"{name} was not read" for name in absent]
    expected_open = set(codes) & set(right.codes)
    if outcome is not CheckOutcome.PASS and not expected_open:
        told.append(f"the check ended {outcome.value}")
    return _part("retrieval_coverage", told, wrong=bool(absent) and outcome is CheckOutcome.PASS, codes=codes)


def _precedence(decision: Decision, right: Expected) -> Part:
    _outcome, codes = _check(decision, "precedence")
    found = decision.covenant
    if right.covenant is None:
        levels = sorted(Fraction(one.limit.value) for one in decision.candidates)
        told = [] if levels == sorted(one.level for one in right.candidates) else [f"{len(levels)} other candidates"]
        if isinstance(found, Covenant):
            return _part("clause_precedence", ["a covenant was determined where none can be"], wrong=True, codes=codes)
        return _part("clause_precedence", told, wrong=False, codes=codes)
    if isinstance(found, Missing):
        if right.result == "not_tested" == decision.result:
            return _part("clause_precedence", (), wrong=False, codes=codes)
        return _part("clause_precedence", [f"no covenant was determined: {found.reason}"], wrong=False, codes=codes)
    return _part("clause_precedence", _differences(found, right.covenant), wrong=True, codes=codes)


def _differences(found: Covenant, right: ExpectedTerms) -> list[str]:
    pairs = (
        ("section", found.section, right.section),
        ("metric", found.metric, right.metric),
        ("comparator", found.comparator.value, right.comparator),
        ("level", Fraction(found.limit.value), right.level),
        ("words", found.limit.raw, right.level_as_written),
        ("document", found.document, right.document),
    )
    return [f"{name} {got} instead of {want}" for name, got, want in pairs if got != want]


def _schema(decision: Decision) -> Part:
    outcome, codes = _check(decision, "schema")
    told = [] if outcome is CheckOutcome.PASS else [f"the check ended {outcome.value}"]
    return _part("field_schema", told, wrong=outcome is CheckOutcome.FAIL, codes=codes)


def _calculation(decision: Decision, right: Expected) -> Part:
    _outcome, codes = _check(decision, "calculation")
    if right.ratio is None:
        return Part(name="calculation", outcome=PartClass.NOT_JUDGED, codes=codes)
    if not isinstance(decision.calculation, Calculation):
        return _part("calculation", [f"no ratio: {decision.calculation.reason}"], wrong=False, codes=codes)
    absent, other = [], []
    for name, want in (("ratio", right.ratio), ("headroom_debt", right.headroom_debt)):
        got = getattr(decision.calculation, name)
        if want is not None and not isinstance(got, Fraction):
            absent.append(f"no {name}")
        elif want is not None and got != want:
            other.append(f"{name} {got} instead of {want}")
    return _part("calculation", (*other, *absent), wrong=bool(other), codes=codes)


def _claims(decision: Decision) -> Part:
    outcome, codes = _check(decision, "claim_support")
    told = [] if outcome is CheckOutcome.PASS else [f"the check ended {outcome.value}"]
    return _part("claim_support", told, wrong=outcome is CheckOutcome.FAIL, codes=codes)


def _boundary(decision: Decision, right: Expected) -> Part:
    """Result, overlay and the codes that must and must not be there."""
    _outcome, codes = _check(decision, "decision_boundary")
    told = []
    if decision.result != right.result:
        told.append(f"result {decision.result.value} instead of {right.result}")
    if decision.overlay != right.overlay:
        told.append(f"overlay {decision.overlay.value} instead of {right.overlay}")
    wrong = bool(told) and decision.result != "review"
    there = {one.code for one in (*decision.reasons, *decision.findings)}
    told += [f"{code} is missing" for code in (*right.codes, *right.findings) if code not in there]
    told += [f"{code} must not be there" for code in right.must_not_codes if code in there]
    return _part("decision_boundary", dict.fromkeys(told), wrong=wrong, codes=codes)
