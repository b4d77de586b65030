"""Whether a number equals the reference, exactly. A number that cannot be read, on either side, is for a person."""

from __future__ import annotations

from fractions import Fraction

from conformed.evaluation.normalise import NORMALISERS, normalise_number
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.options import NumericOptions

__all__ = ["NumericVerifier", "verify_numeric"]

VERSION = "1.0.0"


class NumericVerifier:
    """Exact equality under one answer form."""

    def __init__(self, options: NumericOptions | None = None) -> None:
        self._form = (options or NumericOptions()).form

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """Correct, incorrect, or review where either side does not parse; the code then names both kinds."""
        if self._form == "number":
            outcome, code = verify_numeric(request.candidate, request.reference)
        else:
            outcome, code = _verify_form(request.candidate, request.reference, self._form)
        return AnswerVerdict(outcome=outcome, code=code, verifier="numeric", version=VERSION)


def verify_numeric(candidate: str, reference: str) -> tuple[Outcome, str]:
    """Compares two numbers as exact fractions.

    Args:
        candidate: the answer.
        reference: the right answer.

    Returns:
        ``correct`` with ``exact_numeric_equivalence``, ``incorrect`` with ``numeric_mismatch``, or ``review`` with
        ``parse:KIND:KIND``, candidate first.

    Raises:
        TypeError: when either is no text.
    """
    one, one_kind = normalise_number(candidate)
    other, other_kind = normalise_number(reference)
    if one is None or other is None:
        return Outcome.REVIEW, f"parse:{one_kind}:{other_kind}"
    # A normal form without "/" is the only text of its value, so that equal values of one kind are equal texts.
    mixed = (one_kind == "fraction") != (other_kind == "fraction")
    if one == other or (mixed and Fraction(one) == Fraction(other)):
        return Outcome.CORRECT, "exact_numeric_equivalence"
    return Outcome.INCORRECT, "numeric_mismatch"


def _verify_form(candidate: str, reference: str, form: str) -> tuple[Outcome, str]:
    one, one_kind = NORMALISERS[form](candidate)
    other, other_kind = NORMALISERS[form](reference)
    if one is None or other is None:
        return Outcome.REVIEW, f"parse:{one_kind}:{other_kind}"
    if form == "money" and (one[:3] == "XXX") != (other[:3] == "XXX"):
        return Outcome.REVIEW, "currency_not_stated"  # "$5" may be US$5: neither the same nor another
    return (Outcome.CORRECT, f"exact_{form}_equivalence") if one == other else (Outcome.INCORRECT, f"{form}_mismatch")
