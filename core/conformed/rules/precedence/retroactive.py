"""Changes that reach back over a test: the limb that needs the ratio, and both bases side by side (rule book 3.2 as_of, P27, P28)."""

from __future__ import annotations

from collections.abc import Callable

from conformed.model.base import Missing
from conformed.model.codes import code_class
from conformed.model.covenant import Covenant
from conformed.model.decision import Effective
from conformed.model.operation import Extraction, Op, Operation
from conformed.model.pack import CaseFile
from conformed.rules.calculation.compare import show_decimal
from conformed.rules.precedence.gaps import enforcement
from conformed.rules.precedence.ground import Ground, ground_of
from conformed.rules.precedence.reading import distinct

__all__ = ["Met", "reconsidered"]

Met = Callable[[Effective], bool | None]
"""Tells whether the figures of the test date meet a covenant; None where that cannot be told for certain."""

_UNWAIVED = "review_retroactive_without_waiver"
_BASES = "finding_retroactive_basis_shown"


def reconsidered(
    case: CaseFile,
    extraction: Extraction,
    found: Effective,
    decide: Callable[[CaseFile, Extraction], Effective],
    met: Met | None,
) -> Effective:
    """The decision with both bases shown, and with a change that reaches back counted where the old level was met too.

    Args:
        case: the case.
        extraction: what was proposed.
        found: the decision as far as the words alone bring it.
        decide: that decision, asked again of other proposals.
        met: compares the figures with a covenant; None where no figures are asked.
    """
    if not any(reason.code == _BASES for reason in found.reasons):
        return found
    ground = ground_of(case, extraction)
    back = {o.id for o in ground.operations if _reaches(ground, o)}
    if not back:
        return found
    old = decide(case, _without(extraction, back))
    review = {r.code for r in found.reasons if code_class(r.code) == "review" and r not in found.overlay_reasons}
    if review == {_UNWAIVED} and met is not None and enforcement(ground) is None and _met(old, met):
        # The failure that a waiver would have to excuse did not happen: the table's other limb.
        again = decide(case, _waiving(extraction, back))
        found = again if again.result == "determined" else found
    return _showing(found, old)


def _reaches(ground: Ground, operation: Operation) -> bool:
    standing = ground.standing(operation, ground.case.question.test_date)
    return standing.retroactive and operation.op is not Op.WAIVE_TEST


def _met(old: Effective, met: Met) -> bool:
    return old.result == "determined" and not isinstance(old.covenant, Missing) and met(old) is True


def _without(extraction: Extraction, ids: set[str]) -> Extraction:
    return extraction.model_copy(update={"operations": tuple(o for o in extraction.operations if o.id not in ids)})


def _waiving(extraction: Extraction, ids: set[str]) -> Extraction:
    def one(operation: Operation) -> Operation:
        if operation.id not in ids:
            return operation
        return operation.model_copy(update={"effective": operation.effective.model_copy(update={"waives_default": True})})

    return extraction.model_copy(update={"operations": tuple(one(o) for o in extraction.operations)})


def _said(covenant: Covenant) -> str:
    value = covenant.limit.value
    shown = (
        f"{show_decimal(value, 2)}x" if covenant.limit.unit == "ratio" and (value * 100).denominator == 1 else covenant.limit.raw
    )
    return f"{shown} ({covenant.document})"


def _showing(found: Effective, old: Effective) -> Effective:
    """The same with the two levels in words; on review both stand among the candidates."""
    if isinstance(old.covenant, Missing):
        return found
    if isinstance(found.covenant, Missing):
        before = old.covenant.model_copy(update={"reading": "text in force on the test date"})
        shown = distinct((*found.candidates, before)) if found.result == "review" else found.candidates
        return found.model_copy(update={"candidates": shown})
    sentence = f"On the text in force on the test date the level was {_said(old.covenant)}; as reached back it is {_said(found.covenant)}."
    reasons = tuple(r.model_copy(update={"sentence": sentence}) if r.code == _BASES else r for r in found.reasons)
    return found.model_copy(update={"reasons": reasons})
