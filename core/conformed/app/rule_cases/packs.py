"""Runs a pack through precedence and the calculation, and compares what comes out with what is expected."""

from __future__ import annotations

from fractions import Fraction

from conformed.app.rule_cases.comparing import Plain, compare_one, compare_set, plain
from conformed.app.rule_cases.outcome import CaseResult, FieldOutcome, FieldResult, verdict_of
from conformed.app.rule_cases.pack_beside import papers_of_case
from conformed.app.rule_cases.pack_papers import made
from conformed.app.rule_cases.pack_shapes import PackCase
from conformed.language.definitions import DefinitionTerms
from conformed.model.base import Missing, exact
from conformed.model.calculation import Calculation, Certificate, Figure
from conformed.model.covenant import Covenant
from conformed.model.decision import Effective
from conformed.rules.beside.beside import overlaid, paid_in
from conformed.rules.calculation.calculate import Calculated, CaseFacts, calculate
from conformed.rules.calculation.compare import compare_shown
from conformed.rules.calculation.formula import evaluate
from conformed.rules.precedence.precedence import decide

__all__ = ["run_pack"]

_SET = {"candidates", "codes"}
_ASIDE = frozenset({"finding_definition_not_in_pack", "finding_headroom_low", "finding_test_date_unconfirmed"})
"""Findings about what a pack given as data cannot have."""
_CURRENCY = "XXX"


def run_pack(case: PackCase) -> CaseResult:
    """One pack: level, comparator, ratio, result, overlay, governing instrument, candidates and codes."""
    effective = decide(*made(case), lambda then: _met(case, then))
    calculated = _calculated(case, effective)
    got = _record(case, effective, calculated)
    fields: list[FieldResult] = []
    for key, value in case.expected.items():
        if key in _SET:
            found = got.get(key)
            fields.append(compare_set(key, plain(value), [str(g) for g in found] if isinstance(found, list) else []))
        else:
            fields.append(compare_one(key, plain(value), got.get(key)))
    if got["result"] == "review" and case.expected.get("result") not in {"review", None}:
        # A pack that is left to a person is not decided otherwise: nothing is given.
        fields = [
            f if f.outcome is FieldOutcome.RIGHT else f.model_copy(update={"outcome": FieldOutcome.MISSING}) for f in fields
        ]
    doubts = tuple(sorted({r.code for r in effective.reasons if r.code.startswith("review")}))
    return CaseResult(id=case.id, title=case.title, verdict=verdict_of(fields), fields=tuple(fields), doubts=doubts)


def _record(case: PackCase, effective: Effective, calculated: Calculated | None) -> dict[str, Plain]:
    covenant = effective.covenant if isinstance(effective.covenant, Covenant) else None
    ratio = _ratio(case)
    result = effective.result
    beside = overlaid(effective, *_worked(calculated), papers_of_case(case))
    reasons = [r.code for r in (*(r for r in effective.reasons if r not in effective.overlay_reasons), *beside.reasons)]
    if result == "determined" and calculated is not None:
        result = calculated.result
        reasons += [r.code for r in calculated.reasons]
        if not isinstance(calculated.calculation, Missing) and not isinstance(calculated.calculation.ratio, Missing):
            ratio = calculated.calculation.ratio
    elif result == "determined" and covenant is not None and case.figures is not None:
        result, more = _plainly(case, covenant)
        reasons += more
    codes = sorted({c for c in reasons if c not in _ASIDE})
    return {
        "result": result,
        "overlay": beside.overlay.value,
        "level": plain(covenant.limit.value) if covenant else None,
        "comparator": covenant.comparator.value if covenant else None,
        "ratio": plain(ratio),
        "governing": covenant.document if covenant else None,
        "candidates": [*sorted({str(c.limit.value) for c in effective.candidates})],
        "codes": [*codes],
    }


def _worked(calculated: Calculated | None) -> tuple[Calculation | Missing, tuple[str, ...]]:
    """The calculation and its codes."""
    if calculated is None:
        return Missing(reason="Nothing was calculated."), ()
    return calculated.calculation, tuple(r.code for r in calculated.reasons)


def _met(case: PackCase, then: Effective) -> bool | None:
    """Whether the figures of the case meet a covenant; None where that is open."""
    calculated = _calculated(case, then)
    return None if calculated is None else {"pass": True, "breach": False}.get(calculated.result)


def _ratio(case: PackCase) -> Fraction | None:
    """The exact ratio of the figures; none where the lower term is not positive."""
    if case.figures is None or exact(case.figures.denominator) <= 0:
        return None
    return evaluate(
        "numerator / denominator", {"numerator": exact(case.figures.numerator), "denominator": exact(case.figures.denominator)}
    )


def _plainly(case: PackCase, covenant: Covenant) -> tuple[str, list[str]]:
    """Another figure than leverage has no certificate of its own kind here: its ratio is compared as it is given."""
    ratio = _ratio(case)
    if ratio is None:
        return "review", ["review_input_missing"]
    comparison, codes = compare_shown(ratio, covenant.comparator, covenant.limit.value)
    return "pass" if comparison.met else "breach", ["accept_calculation_complete", *codes]


def _calculated(case: PackCase, effective: Effective) -> Calculated | None:
    """The calculation on the figures of the case, as a certificate for the test date would give them."""
    plain_ratio = "leverage" not in case.metric
    if plain_ratio or case.figures is None or not isinstance(effective.covenant, Covenant) or effective.result != "determined":
        return None
    rank = next((r for r in ("first_lien", "secured", "senior") if r in case.metric), "total")
    figures = [_figure(f"{rank}_debt", case.figures.numerator), _figure("ebitda", case.figures.denominator)]
    net = "net_" in case.metric
    if net:  # the upper term is given net
        figures.append(_figure("unrestricted_cash", "0"))
    filed = [d for d in case.documents if d.kind == "compliance_certificate" and (d.dated is None or d.dated <= case.known_at)]
    for paper in filed:
        stated = (("required_level", paper.states_level), ("ratio", paper.states_ratio))
        figures += [Figure(name=name, label=name, value=exact(value), raw=value) for name, value in stated if value is not None]
    certificate = Certificate(
        document=filed[0].doc if filed else case.id, test_date=case.test_date, figures=tuple(figures), signed=True
    )
    terms = DefinitionTerms(netting="uncapped" if net else "none", ebitda_term="EBITDA", debt_term="Debt")
    papers = papers_of_case(case)
    facts = CaseFacts(
        test_date=case.test_date, terms=terms, agreement=papers.agreement, paid_in=paid_in(papers.uses, case.test_date)
    )
    return calculate(effective.covenant, (certificate,), facts)


def _figure(name: str, value: str) -> Figure:
    return Figure(name=name, label=name.replace("_", " "), value=exact(value), currency=_CURRENCY, raw=value)
