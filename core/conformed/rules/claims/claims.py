"""Claims: what may be said about a run, composed from its record by rule. Drafts only put these into words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from conformed.language.currency import UNKNOWN
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate
from conformed.model.claim import Claim, ClaimKind, Verdict
from conformed.model.codes import code_class
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision, Overlay, Reason
from conformed.rules.calculation.compare import show_decimal
from conformed.rules.calculation.formula import round_up_half
from conformed.rules.claims.claim_check import VERIFIER, check_draft, check_sentence
from conformed.rules.claims.claim_facts import DecisionFacts, SpanLookup, facts_of
from conformed.rules.claims.claim_said import fold_space

__all__ = ["DecisionFacts", "SpanLookup", "check_claims", "check_draft", "check_sentence", "compose", "facts_of"]

NO_CURRENCY = "The papers do not say in which currency the amounts are, so the amounts are not repeated here"
_OVERLAYS = {
    "waived": "The pack contains a waiver that names this covenant and this test date, and the result is unchanged by it",
    "cured": "The pack contains evidence that a cure right was exercised, and the result is unchanged by it",
}


def compose(decision: Decision) -> tuple[Claim, ...]:
    """The claims of a decision record, numbered in the order result, covenant, calculation, certificate, reasons, open points."""
    day = decision.test_date.isoformat()
    codes = tuple(reason.code for reason in decision.reasons)
    drafts = [Claim(id="", kind=ClaimKind.RESULT, subject="result", text=decision.result.value, period=day, cites=codes)]
    if decision.overlay is not Overlay.NONE:
        spans = tuple(
            s
            for r in (*decision.reasons, *decision.findings)
            if r.code in ("accept_waiver_overlay", "accept_cure_applied")
            for s in r.spans
        )
        drafts.append(
            Claim(
                id="",
                kind=ClaimKind.RESULT,
                subject="overlay",
                text=_OVERLAYS[decision.overlay.value],
                period=day,
                spans=spans,
                cites=codes,
            )
        )
    covenant = None if isinstance(decision.covenant, Missing) else decision.covenant
    calculation = None if isinstance(decision.calculation, Missing) else decision.calculation
    if covenant is not None:
        drafts.append(_level(covenant, day, decision))
    if calculation is not None and covenant is not None:
        drafts += _calculated(calculation, covenant, day, mixed="review_currency_mismatch" in codes)
        if not isinstance(decision.certificate, Missing):
            drafts += _certificate(decision.certificate, day, (*decision.findings, *decision.reasons))
    drafts += [_reason(reason) for reason in _once((*decision.reasons, *decision.findings))]
    drafts += [_open(reason) for reason in _once(decision.reasons) if code_class(reason.code) == "review"]
    return tuple(claim.model_copy(update={"id": f"c{index}"}) for index, claim in enumerate(drafts, 1))


def _once(reasons: Iterable[Reason]) -> list[Reason]:
    """Each code and sentence once, in order."""
    return list({(reason.code, reason.sentence): reason for reason in reversed(tuple(reasons))}.values())[::-1]


def _level(covenant: Covenant, day: str, decision: Decision) -> Claim:
    value, unit = covenant.limit.value, "x" if covenant.limit.unit == "ratio" else covenant.limit.currency or ""
    quote = covenant.spans[0].text if covenant.spans else (covenant.limit.spans[0].text if covenant.limit.spans else "")
    shown = _level_shown(covenant) if unit == "x" else f"{unit} {value:,}"
    return Claim(
        id="",
        kind=ClaimKind.FACT,
        subject=covenant.name,
        comparator=covenant.comparator.value,
        value=value,
        unit=unit,
        shown=shown,
        period=day,
        clause=covenant.section,
        text=fold_space(quote),
        condition=_condition(decision),
        spans=covenant.spans or covenant.limit.spans,
        cites=tuple(reason.code for reason in decision.reasons if code_class(reason.code) == "accept"),
    )


def _level_shown(covenant: Covenant) -> str:
    """The level with its decimals as written, at least two, and enough to show it exactly; the fraction itself where none do."""
    value = covenant.limit.value
    start = max(2, covenant.limit.places or 0)
    places = next((n for n in range(start, 7) if round_up_half(value, n) == value), None)
    return str(value) if places is None else f"{show_decimal(value, places)}x"


def _condition(decision: Decision) -> str:
    """Words without which the level would be said too broadly: a level that stands only for a stretch of time."""
    temporary = any(reason.code == "accept_temporary_level" for reason in decision.reasons)
    elected = any(reason.code == "accept_elected_increase" for reason in decision.reasons)
    return "under a temporary level" if temporary else "under an elected increase" if elected else ""


def _calculated(calculation: Calculation, covenant: Covenant, day: str, *, mixed: bool) -> list[Claim]:
    currency = "" if calculation.currency in (None, UNKNOWN) else calculation.currency
    steps = {step.name: step for step in calculation.steps}
    found: list[Claim] = []
    if "tested_debt" in steps and not currency and not mixed:
        found.append(
            Claim(
                id="", kind=ClaimKind.CALCULATION, subject="currency", text=NO_CURRENCY, period=day, clause=covenant.section,
                cites=("tested_debt",),
            )
        )  # fmt: skip

    def add(subject: str, value: Fraction, unit: str, shown: str, cites: tuple[str, ...], comparator: str = "eq") -> None:
        places = tuple(span for figure in calculation.figures if figure.name in cites for span in figure.spans)
        found.append(
            Claim(
                id="", kind=ClaimKind.CALCULATION, subject=subject, comparator=comparator, value=value, unit=unit, shown=shown,
                period=day, clause=covenant.section, spans=places, cites=cites,
            )
        )  # fmt: skip

    for name, subject in (("tested_debt", "tested debt"), ("ebitda_tested", "EBITDA")):
        if name in steps and currency:
            add(subject, steps[name].value, currency, _money(steps[name].value, currency), (name,))
    if not isinstance(calculation.ratio, Missing):
        shown = _ratio_shown(calculation.ratio, covenant.limit.value)
        add(covenant.name, calculation.ratio, "x", shown, ("ratio",))
        if "tested" in steps:
            add(
                "tested figure",
                steps["tested"].value,
                "x",
                _ratio_shown(steps["tested"].value, covenant.limit.value),
                ("tested",),
            )
    if calculation.headroom_debt is not None and currency:
        add("debt headroom", calculation.headroom_debt, currency, _money(calculation.headroom_debt, currency), ("headroom_debt",))
    if calculation.headroom_ebitda is not None:
        add(
            "EBITDA headroom",
            calculation.headroom_ebitda,
            "share",
            f"{show_decimal(calculation.headroom_ebitda * 100, 2)}%",
            ("headroom_ebitda",),
        )
    return found


def _ratio_shown(ratio: Fraction, level: Fraction) -> str:
    """The fewest places, from 2 to 6, that tell a ratio from the level; the fraction itself where none do (CA-60)."""
    if ratio == level:
        places = next((n for n in range(2, 7) if round_up_half(ratio, n) == ratio), None)
    else:
        places = next((n for n in range(2, 7) if round_up_half(ratio, n) != round_up_half(level, n)), None)
    return f"{show_decimal(ratio, places)}x" if places is not None else str(ratio)


def _money(value: Fraction, currency: str) -> str:
    whole, places = abs(value), 0 if value.denominator == 1 else 2
    digits = show_decimal(whole, places)
    units, _, cents = digits.partition(".")
    sign = "-" if value < 0 else ""
    return f"{currency} {sign}{int(units):,}{'.' + cents if cents else ''}"


def _certificate(certificate: Certificate, day: str, findings: tuple[Reason, ...]) -> list[Claim]:
    codes = {reason.code for reason in findings}
    found = []
    for name, subject, value, code in (
        ("ratio", "certificate ratio", certificate.states_ratio, "finding_certificate_ratio_differs"),
        ("level", "certificate level", certificate.states_level, "finding_certificate_uses_wrong_level"),
    ):
        if value is None:
            continue
        spans = certificate.spans.get(name, ())
        places = next((n for n in range(2, 7) if round_up_half(value, n) == value), 6)
        cites = (code,) if code in codes else ()
        if spans or cites:
            found.append(
                Claim(
                    id="",
                    kind=ClaimKind.FACT,
                    subject=subject,
                    comparator="eq",
                    value=value,
                    unit="x",
                    shown=f"{show_decimal(value, places)}x",
                    period=day,
                    spans=spans,
                    cites=cites,
                )
            )
    return found


def _reason(reason: Reason) -> Claim:
    return Claim(
        id="", kind=ClaimKind.REASON, subject=reason.code, text=reason.sentence, spans=reason.spans, cites=(reason.code,)
    )


def _open(reason: Reason) -> Claim:
    """A question that a person can answer with a document; no answer is guessed (CC-21)."""
    question = f"Open: {re.sub(r'[.?]+$', '', reason.sentence)}. Which document settles this?"
    return Claim(id="", kind=ClaimKind.OPEN_POINT, subject=reason.code, text=question, spans=reason.spans, cites=(reason.code,))


def check_claims(claims: Iterable[Claim], spans: SpanLookup) -> tuple[Verdict, ...]:
    """Checks that each claim's evidence stands where it says, word for word, and that there is some."""
    verdicts = []
    for claim in claims:
        wrong = next((span for span in claim.spans if spans(span) != span.text), None)
        bare = not claim.spans and not claim.cites and claim.kind is not ClaimKind.RESULT
        code = "claim_quote_mismatch" if wrong is not None else "claim_uncited" if bare else ""
        said = (
            f"{wrong.document} does not read as cited at {wrong.start}."
            if wrong is not None
            else "It has no evidence."
            if bare
            else ""
        )
        verdicts.append(
            Verdict(outcome="reject" if code else "accept", code=code, sentence=said, subject=claim.id, verifier=VERIFIER)
        )
    return tuple(verdicts)
