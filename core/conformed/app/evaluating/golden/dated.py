"""An answer to a dated question against what may be answered: levels by their exact value, direction and source."""

from __future__ import annotations

from fractions import Fraction

from conformed.app.answer import CovenantAnswer, CovenantShape
from conformed.app.evaluating.golden.cases import Dated
from conformed.app.evaluating.golden.judged import Class, Judged, Part, PartClass

__all__ = ["judge_answer"]

_DIRECTION = {"le": "max", "lt": "max", "ge": "min", "gt": "min"}
_SHOWN = 3
_PART = {
    Class.RIGHT: PartClass.RIGHT,
    Class.CANDIDATE: PartClass.OPEN,
    Class.REVIEW: PartClass.OPEN,
    Class.MISSED: PartClass.OPEN,
    Class.WRONG: PartClass.WRONG,
}


def judge_answer(case: str, answer: CovenantAnswer, right: Dated) -> Judged:
    """Judges an answer.

    Args:
        case: id of the case.
        answer: what precedence said.
        right: what may be said.
    """
    found = _class(answer, right)
    shown = answer.covenant
    said = "" if found is Class.RIGHT else f"{answer.result}{'' if shown is None else f' {shown.level or shown.amount}'}"
    part = Part(name="clause_precedence", outcome=_PART[found], said=said, codes=answer.codes)
    return Judged(case=case, outcome=found, vector=(part,))


def _class(answer: CovenantAnswer, right: Dated) -> Class:
    result = answer.result
    match right.expect:
        case "level" | "amount" | "level_or_review":
            if result == "determined":
                shown = answer.covenant
                return (
                    Class.RIGHT if _same(shown, right) and shown is not None and any(q.text for q in shown.spans) else Class.WRONG
                )
            if any(_same(one, right) for one in answer.candidates[:_SHOWN]):
                return Class.CANDIDATE
            return Class.REVIEW if result == "review" else Class.MISSED
        case "review":
            return {"review": Class.RIGHT, "determined": Class.WRONG}.get(result, Class.MISSED)
        case "waived":
            return Class.RIGHT if answer.overlay == "waived" else Class.REVIEW if result == "review" else Class.WRONG
        case "suspended" | "not_in_force":
            return {"not_tested": Class.RIGHT, "review": Class.REVIEW}.get(result, Class.WRONG)
        case "not_tested_or_review":
            return Class.WRONG if result == "determined" else Class.RIGHT


def _same(found: CovenantShape | None, right: Dated) -> bool:
    """Whether a covenant carries the right level or amount, in the right direction, from the right document."""
    if found is None or not right.comparator or _DIRECTION.get(found.comparator) != _DIRECTION[right.comparator]:
        return False
    if right.amount is not None:
        amount = found.amount
        same = amount is not None and Fraction(amount.value) == right.amount and amount.currency == right.currency
    else:
        same = found.level is not None and Fraction(found.level) == right.level
    return same and found.document.rsplit("/", 1)[-1].startswith(right.document)
