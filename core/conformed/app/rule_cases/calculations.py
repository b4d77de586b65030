"""Works out a calculation case: its steps with exact fractions, its comparison, and what its terms leave open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from conformed.app.rule_cases.comparing import compare_one, compare_set, plain
from conformed.app.rule_cases.outcome import CaseResult, FieldResult, verdict_of
from conformed.app.rule_cases.shapes import CalculationCase, Comparing
from conformed.errors import RuleError
from conformed.language.definitions import RoundingTerms
from conformed.model.base import exact
from conformed.model.covenant import Comparator
from conformed.rules.calculation.compare import compare, round_by_clause, show_decimal, show_pair
from conformed.rules.calculation.formula import evaluate, holds, run_steps

__all__ = ["run_calculation"]

_OPEN = frozenset({"not_stated", "silent", "unknown", "unstated"})
_WITHOUT: dict[str, str] = {
    "factor_from": "review_period_incomplete",
    "fx_from": "review_fx_basis_missing",
    "scale": "review_scale_unknown",
    "letters_of_credit": "review_trigger_evidence_missing",
    "restricted_cash": "review_cash_eligibility_unproven",
}
"""Terms that nothing can stand in for, with the code that their absence leads to."""
_SAYS: dict[tuple[str, str], str] = {
    ("currency", "mixed"): "review_currency_mismatch",
    ("period", "incomplete"): "review_period_incomplete",
    ("period", "mismatched"): "review_period_mismatch",
}
"""Terms that by themselves send a calculation to a person."""
_CARRY = {
    "truncate_one_more": "truncate",
    "truncate": "truncate",
    "round_one_more": "round",
    "round": "round",
    "unstated": "unstated",
}
_BEFORE = "min(requested, cap * base)"
_AFTER = "min(requested, cap / (1 - cap) * base)"


def run_calculation(case: CalculationCase) -> CaseResult:
    """One case: every answer, every invariant, the display, the result and its codes."""
    values: dict[str, Fraction] = {name: exact(text) for name, text in case.inputs.items()}
    values |= {s.name: s.value for s in run_steps(values, [(name, expression, "") for name, expression in case.steps])}
    fields: list[FieldResult] = [compare_one(name, plain(text), plain(values.get(name))) for name, text in case.answers.items()]
    fields += [
        compare_one(f"invariant {i + 1}", "holds", "holds" if holds(text, values) else "does not hold")
        for i, text in enumerate(case.invariants)
    ]
    result, codes, display, own = _judge(case, values)
    fields += own
    fields.append(compare_one("result", plain(case.result), result))
    if case.codes:
        fields.append(compare_set("codes", [*case.codes], codes))
    if case.display:
        fields.append(compare_one("display", plain(case.display), display or None))
    if case.naive.get("result"):
        # The trap is only a trap where the right way gives something else.
        fields.append(
            compare_one(
                "naive",
                f"not {case.naive['result']}",
                f"not {case.naive['result']}" if result != case.naive["result"] else result,
            )
        )
    doubts = tuple(sorted(c for c in codes if c.startswith("review")))
    return CaseResult(id=case.id, title=case.title, verdict=verdict_of(fields), fields=tuple(fields), doubts=doubts)


def _earnings(values: Mapping[str, Fraction]) -> Fraction | None:
    """Earnings as the case names them; the last name wins, as it is the one that was worked out."""
    named = [name for name in values if name.startswith(("ebitda", "earnings"))]
    return values[named[-1]] if named else None


def _judge(case: CalculationCase, values: Mapping[str, Fraction]) -> tuple[str, list[str], str, list[FieldResult]]:
    """Result, codes, display, and what the product's own rounding gives beside the case's steps."""
    codes = [code for term, code in _WITHOUT.items() if case.terms.get(term) in _OPEN]
    codes += [code for (term, value), code in _SAYS.items() if case.terms.get(term) == value]
    own: list[FieldResult] = []
    earnings = _earnings(values)
    of_earnings = any(word in case.terms.get("formula", "ebitda") for word in ("ebitda", "earnings"))
    if earnings is not None and earnings <= 0 and of_earnings:
        rule = case.terms.get("negative_earnings_rule", "silent")
        if rule in {"breach", "deemed_exceeded"}:
            return "breach", codes, "", own
        return "review", [*codes, "review_ebitda_non_positive"], "", own
    if case.terms.get("cap_basis") in _OPEN:
        codes += _cap(values)
    if case.terms.get("rounding") == "clause":
        more, own = _rounding(case, values)
        codes += more
    if any(c.startswith("review") for c in codes):
        return "review", codes, "", own
    if case.compare is None:
        raise RuleError(f"{case.id} names no comparison and leaves nothing open.", "Add `compare:`.")
    return (*_compared(case, case.compare, values, codes), own)


def _compared(
    case: CalculationCase, how: Comparing, values: Mapping[str, Fraction], codes: list[str]
) -> tuple[str, list[str], str]:
    for name in (how.left, how.right):
        if name not in values:
            raise RuleError(f"{case.id} compares {name!r}, which is neither an input nor a step.", "Name one of them.")
    left, right = values[how.left], values[how.right]
    met = compare(left, Comparator(how.comparator), right)
    if case.terms.get("formula") == "utilisation":
        return ("tested", codes, "") if met else ("not_tested", [*codes, "not_tested_trigger_unmet"], "")
    codes = [*codes, "accept_calculation_complete"]
    shown = show_pair(left, right)
    display = f"{shown.left} against {shown.right}"
    if case.terms.get("rounding") == "clause":
        display = _shown_rounded(case, values, left, shown.right)
    elif shown.crosses:
        codes.append("finding_display_rounding_crosses_level")
    return "pass" if met else "breach", codes, display


def _cap(values: Mapping[str, Fraction]) -> list[str]:
    """A cap that is silent on before or after: both ways are worked out; equal ways leave no question (rule book 4.6)."""
    if {"base", "cap", "requested"} <= values.keys() and values["cap"] < 1:
        ways = {evaluate(_BEFORE, values), evaluate(_AFTER, values)}
    else:
        ways = {values[n] for n in values if n.endswith(("_before", "_after"))}
    return ["finding_reading_immaterial"] if len(ways) == 1 else ["review_cap_basis_ambiguous"]


def _places(case: CalculationCase) -> int:
    """Decimals of the level as the agreement writes it."""
    return len(case.inputs.get("level", "").partition(".")[2])


def _rounding(case: CalculationCase, values: Mapping[str, Fraction]) -> tuple[list[str], list[FieldResult]]:
    carry = _CARRY.get(case.rounding.get("carry", "unstated"))
    if carry is None or "ratio" not in values or "level" not in values:
        raise RuleError(
            f"{case.id} has a rounding clause and no ratio, no level, or a way to carry that is not known.",
            f"Ways: {', '.join(sorted(_CARRY))}.",
        )
    places = _places(case)
    rounded = round_by_clause(values["ratio"], places, RoundingTerms(carry=carry))
    own = []
    if "places" in case.rounding:
        own.append(compare_one("rounding.places", plain(case.rounding["places"]), str(places)))
    if "tested" in values:
        own.append(compare_one("rounding.tested", plain(values["tested"]), plain(rounded.tested)))
    asked = (Comparator(case.compare.comparator),) if case.compare else (Comparator.LE, Comparator.LT)
    differ = any(compare(rounded.tested, c, values["level"]) != compare(rounded.other, c, values["level"]) for c in asked)
    return (["review_rounding_method_ambiguous"] if differ else []), own


def _shown_rounded(case: CalculationCase, values: Mapping[str, Fraction], tested: Fraction, level: str) -> str:
    """A figure tested under a rounding clause is shown as such (rule CA-62)."""
    ratio = values["ratio"]
    places = next((n for n in range(2, 7) if exact(show_decimal(ratio, n)) != tested), 6)
    if ratio == tested:
        return f"exactly {level}"
    return f"{show_decimal(ratio, places)}x, tested as {show_decimal(tested, max(2, _places(case)))}x under the rounding clause, against {level}"
