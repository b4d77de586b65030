"""The calculation verifier: a candidate's trace is worked again, step by step, in exact fractions.

The language is closed: names of given figures and of earlier steps, given constants, + - * / ( ), min and max, and the three
roundings of the product's own traces. It is read by a parser of its own; nothing of a candidate is evaluated as a program.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.expression import Refused, worked
from conformed_plugins.verifiers.options import CalculationOptions
from conformed_plugins.verifiers.strict_json import exact_number, plain, read_json

__all__ = ["CalculationVerifier"]

VERSION = "1.0.0"


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,99}$")]


class _Step(_Closed):
    name: _Name
    expression: str
    value: str | int
    unit: str = ""


class _Trace(_Closed):
    steps: Annotated[list[_Step], Field(min_length=1)]


class _Facts(_Closed):
    figures: Annotated[dict[_Name, str | int], Field(min_length=1)]
    constants: list[str | int] = []
    required: list[str] = []


class CalculationVerifier:
    """Checks a trace.

    The candidate is JSON: ``{"steps": [{"name": "ratio", "expression": "debt / ebitda", "value": "7/2"}]}``, values exact; the last
    step is the result, and the reference is the right result.

    Facts: ``figures`` (exact values by name), ``constants`` (other numbers that may be written; none unless given) and
    ``required`` (figures that the result must rest on).

    Args:
        options: limits.
    """

    def __init__(self, options: CalculationOptions | None = None) -> None:
        self._options = options or CalculationOptions()

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct: every step and the result hold; incorrect: one does not; review: outside the language; error: bad facts."""
        outcome, code = self._found(request)
        return AnswerVerdict(outcome=outcome, code=code, verifier="calculation", version=VERSION)

    def _found(self, request: AnswerCheck) -> tuple[Outcome, str]:
        given = {name: plain(value) for name, value in request.facts.items() if name in ("figures", "constants", "required")}
        try:
            facts = _Facts.model_validate(given)
        except ValidationError:
            return Outcome.ERROR, "facts_malformed" if "figures" in given else "figures_missing"
        figures = {name: exact_number(value) for name, value in facts.figures.items()}
        constants = [exact_number(value) for value in facts.constants]
        right = exact_number(request.reference.strip())
        if None in figures.values() or None in constants or not set(facts.required) <= set(figures):
            return Outcome.ERROR, "facts_malformed"
        if right is None:
            return Outcome.ERROR, "reference_malformed"
        read, code = read_json(request.candidate, values=6 * self._options.steps)
        if code:
            return Outcome.REVIEW, code
        try:
            steps = _Trace.model_validate(read).steps
        except ValidationError:
            return Outcome.REVIEW, "trace_malformed"
        if len(steps) > self._options.steps:
            return Outcome.REVIEW, "trace_too_long"
        known = {name: value for name, value in figures.items() if value is not None}
        return self._work(steps, known, frozenset(value for value in constants if value is not None), facts.required, right)

    def _work(
        self, steps: list[_Step], known: dict[str, Fraction], constants: frozenset[Fraction], required: list[str], right: Fraction
    ) -> tuple[Outcome, str]:
        rests = {name: frozenset({name}) for name in known}
        for number, step in enumerate(steps, 1):
            if len(step.expression) > self._options.expression:
                return Outcome.REVIEW, f"expression_too_long:{number}"
            if step.name in known:
                return Outcome.INCORRECT, f"name_given_twice:{number}"
            stated = exact_number(step.value)
            if stated is None:
                return Outcome.REVIEW, f"value_not_exact:{number}"
            try:
                value, used = worked(step.expression, known, constants, bits=self._options.bits)
            except Refused as refusal:
                return Outcome.INCORRECT if refusal.wrong else Outcome.REVIEW, f"{refusal}:{number}"
            if value != stated:
                return Outcome.INCORRECT, f"step_differs:{number}"
            known[step.name] = value
            rests[step.name] = frozenset().union(*(rests[name] for name in used))
        if known[steps[-1].name] != right:
            return Outcome.INCORRECT, "result_differs"
        if not set(required) <= rests[steps[-1].name]:
            return Outcome.INCORRECT, "figure_unused"
        return Outcome.CORRECT, "trace_holds"
