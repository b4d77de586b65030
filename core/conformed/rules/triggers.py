"""The trigger of a springing covenant, computed from figures that a person gives (PR-43)."""

from __future__ import annotations

from fractions import Fraction

from conformed.errors import InexactError
from conformed.model.base import exact
from conformed.model.codes import sentence_of
from conformed.model.covenant import Comparator, CovenantTerms
from conformed.model.decision import Reason
from conformed.model.pack import Question

__all__ = ["trigger_met"]


def _figure(question: Question, name: str) -> Fraction | None:
    """A figure by name, thousands separators allowed; None where it is absent or not an exact number."""
    try:
        value = exact(question.facts[name].replace(",", "").strip())
    except (KeyError, InexactError):
        return None
    return value if value >= 0 else None


def trigger_met(terms: CovenantTerms, question: Question) -> tuple[bool | None, list[Reason]]:
    """Whether the trigger is met on the test date.

    The figures are ``utilised`` and ``commitments`` of the question's facts, with the exclusions of the text already made.

    Returns:
        None where the covenant has no trigger or it cannot be computed; codes.
    """
    trigger = terms.trigger
    if trigger is None:
        return None, []
    used, whole = _figure(question, "utilised"), _figure(question, "commitments")
    if used is None or not whole:
        sentence = f"The covenant is tested only if {trigger.numerator} pass {trigger.raw} of {trigger.denominator}; give the facts utilised and commitments."
        return None, [Reason(code="review_trigger_evidence_missing", sentence=sentence, subject=terms.section, spans=trigger.spans)]
    share = used / whole
    met = {
        Comparator.GT: share > trigger.level,
        Comparator.GE: share >= trigger.level,
        Comparator.LT: share < trigger.level,
        Comparator.LE: share <= trigger.level,
    }[trigger.comparator]
    if met:
        return True, []
    code = "not_tested_trigger_unmet"
    return False, [Reason(code=code, sentence=sentence_of(code), subject=terms.section, spans=trigger.spans)]
