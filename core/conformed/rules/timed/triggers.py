"""The trigger of a springing covenant on the test date, from figures that a person gives or a certificate shows (PR-43)."""

from __future__ import annotations

from collections.abc import Iterable

from conformed.model.calculation import Certificate
from conformed.model.covenant import CovenantTerms
from conformed.model.decision import Reason
from conformed.model.pack import Question
from conformed.rules.timed.springing import utilisation_of

__all__ = ["trigger_met"]


def trigger_met(
    terms: CovenantTerms, question: Question, certificates: Iterable[Certificate] = ()
) -> tuple[bool | None, list[Reason]]:
    """Whether the trigger is met on the test date.

    The figures are facts of the question: ``utilised`` (with the exclusions of the text already made) and ``commitments``,
    or the parts that ``conformed.rules.timed.springing`` names, counted by the trigger's own words.

    Args:
        terms: the covenant.
        question: test date and facts.
        certificates: papers that may show the same parts for the test date.

    Returns:
        None where the covenant has no trigger or it cannot be computed; codes.
    """
    if terms.trigger is None:
        return None, []
    found = utilisation_of(terms.trigger, question.facts, certificates, question.test_date)
    reasons = [reason.model_copy(update={"subject": terms.section}) for reason in found.reasons]
    if found.met is None:
        trigger = terms.trigger
        words = trigger.raw if trigger.denominator in trigger.raw else f"pass {trigger.raw} of {trigger.denominator}"
        ask = f"The covenant is tested only if {trigger.numerator} {words}"
        open_ones = [r for r in reasons if r.code == "review_trigger_evidence_missing"]
        facts = "give the facts utilised and commitments, or the parts (revolver, drawn_lc, commitments)"
        reasons = [r for r in reasons if r not in open_ones] + [
            r.model_copy(update={"sentence": f"{ask}. {r.sentence} To settle it, {facts}."}) for r in open_ones
        ]
    return found.met, reasons
