"""Steps of a calculation as text: written one way, read by one grammar, recomputed with exact fractions. Nothing is evaluated."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from conformed.model.answer import Outcome
from conformed_plugins.training.synth.fields import canonical
from conformed_plugins.training.synth.unreadable import unreadable

__all__ = ["decimal_of", "judged_trace", "written_trace"]

_LONGEST = 40
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_SUM = re.compile(rf"\s*({_NUMBER})\s*([+\-/])\s*({_NUMBER})\s*=\s*({_NUMBER})\s*")
_TEST = re.compile(rf"\s*({_NUMBER})\s*(<=|<|>=|>)\s*({_NUMBER})\s*")
_WORK: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": operator.add, "-": operator.sub, "/": operator.truediv}
_HOLDS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
_SIGNS = {"le": ("<=", ">"), "lt": ("<", ">=")}
"""Sign of a pass and of a breach."""


def decimal_of(value: Fraction) -> str:
    """A fraction that ends, as a decimal without needless zeros.

    Raises:
        ValueError: for a fraction that never ends.
    """
    scale, places = value.denominator, 0
    while 10**places % scale:
        places += 1
        if places > 12:
            raise ValueError(f"{value} has no short decimal")
    digits = str(int(value * 10**places)).rjust(places + 1, "0")
    return f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else digits


def written_trace(parts: Mapping[str, str], comparator: str) -> str:
    """The canonical answer: debts added, cash taken off, earnings added up, the quotient, the test, the result.

    Args:
        parts: amounts as written: ``debt``, ``more``, ``cash``, ``earnings``, ``added``, ``level``.
        comparator: ``le`` or ``lt``.
    """
    steps: list[str] = []

    def step(first: str, sign: str, second: str) -> str:
        result = decimal_of(_WORK[sign](Fraction(first), Fraction(second)))
        steps.append(f" {first} {sign} {second} = {result}")
        return result

    debt, earnings = parts["debt"], parts["earnings"]
    if "more" in parts:
        debt = step(debt, "+", parts["more"])
    if "cash" in parts:
        debt = step(debt, "-", parts["cash"])
    if "added" in parts:
        earnings = step(earnings, "+", parts["added"])
    ratio = step(debt, "/", earnings)
    good, bad = _SIGNS[comparator]
    passes = _HOLDS[good](Fraction(ratio), Fraction(parts["level"]))
    steps.append(f" {ratio} {good if passes else bad} {parts['level']}")
    return canonical({"steps": steps, "result": " pass" if passes else " breach"})


def judged_trace(found: Mapping[str, Any], facts: Mapping[str, Any]) -> tuple[Outcome, bool, str, dict[str, bool]]:
    """Recomputes a trace.

    Every operand is a figure of the clause or the result of an earlier step, each used once; any order of the steps will do.

    Returns:
        Outcome, whether the form is right, code, and the parts ``steps``, ``ratio`` and ``result``.
    """
    steps, result = found.get("steps"), found.get("result")
    if type(steps) is not list or type(result) is not str or not all(type(one) is str for one in steps):
        return Outcome.INCORRECT, False, "steps_are_no_texts", {}
    if len(steps) > _LONGEST:
        return Outcome.INCORRECT, False, "too_many_steps", {}
    right_result = result.strip() == facts["result"]
    doubtful = [one for one in steps if unreadable(one)]
    code = "" if doubtful else _walked(steps, facts)
    if doubtful and right_result and not any(_is_false(one) for one in steps if one not in doubtful):
        return Outcome.REVIEW, True, "review_step_unreadable", {}
    if doubtful:
        return Outcome.INCORRECT, True, "wrong_step" if right_result else "wrong_result", {"result": right_result}
    parts = {"steps": not code, "ratio": code in {"", "wrong_comparison", "wrong_level"}, "result": right_result}
    if not code and not right_result:
        code = "wrong_result"
    if code:
        return Outcome.INCORRECT, code != "step_of_other_form", code, parts
    return Outcome.CORRECT, True, "all_steps_right", parts


def _is_false(step: str) -> bool:
    """Whether a step can be read, and does not hold."""
    read = _SUM.fullmatch(step)
    return read is not None and not _holds(read)


def _holds(read: re.Match[str]) -> bool:
    second = Fraction(read[3])
    return (read[2] != "/" or second != 0) and _WORK[read[2]](Fraction(read[1]), second) == Fraction(read[4])


def _walked(steps: Sequence[str], facts: Mapping[str, Any]) -> str:
    """Code of the first fault; empty where every step is true and all figures are used."""
    free = Counter(Fraction(text) for text in facts["inputs"])
    for step in steps[:-1]:
        read = _SUM.fullmatch(step)
        if read is None:
            return "step_of_other_form"
        first, second, result = Fraction(read[1]), Fraction(read[3]), Fraction(read[4])
        for operand in (first, second):
            if free[operand] == 0:
                return "figure_from_nowhere"
            free[operand] -= 1
        if not _holds(read):
            return "wrong_step"
        free[result] += 1
    read = _TEST.fullmatch(steps[-1]) if steps else None
    if read is None:
        return "step_of_other_form"
    ratio, level = Fraction(read[1]), Fraction(read[3])
    if ratio != Fraction(facts["ratio"]):
        return "wrong_ratio"
    if level != Fraction(facts["parts"]["level"]):
        return "wrong_level"
    free.subtract((ratio, level))
    if any(free.values()):
        return "figure_not_used"
    good, bad = _SIGNS[facts["comparator"]]
    return "" if read[2] == (good if facts["result"] == "pass" else bad) else "wrong_comparison"
