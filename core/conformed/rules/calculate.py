"""From a covenant and a certificate to an exact ratio and its comparison, or to what must be asked."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from fractions import Fraction

from conformed.language.amounts import Convention
from conformed.language.definitions import DefinitionTerms, RoundingTerms, read_definitions
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.codes import sentence_of
from conformed.model.covenant import Comparator, Covenant, Unit
from conformed.model.decision import Reason
from conformed.rules.compare import Headroom, compare, compare_shown, headroom, round_by_clause, show_decimal
from conformed.rules.earnings import earnings_of
from conformed.rules.formula import round_up_half
from conformed.rules.inputs import choose_certificate, debt_of, net_cash
from conformed.rules.worksheet import Worksheet

__all__ = ["Calculated", "CaseFacts", "calculate"]

_RANKS = ("first_lien", "secured", "senior")


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What the calculation needs besides covenant and certificate.

    Attributes:
        test_date: the day on which the ratio is struck.
        home: what a bare ``$`` means in the agreement.
        convention: how the agreement writes its numbers.
        rounding: the agreement's rounding clause, where it has one.
        alert_headroom: the institution's own alert level, an exact share of EBITDA headroom; None for none.
        terms: what the definitions say, where already read; otherwise read from the covenant's definitions.
    """

    test_date: datetime.date
    home: str = "XXX"
    convention: Convention | None = Convention.POINT
    rounding: RoundingTerms | None = None
    alert_headroom: Fraction | None = None
    terms: DefinitionTerms | None = None


@dataclass(frozen=True, slots=True)
class Calculated:
    """What a calculation gives.

    Attributes:
        result: ``pass``, ``breach`` or ``review``.
        calculation: the record, or why there is none.
        certificate: the certificate used, or why there is none.
        reasons: every code with a sentence of its own.
    """

    result: str
    calculation: Calculation | Missing
    certificate: Certificate | Missing
    reasons: tuple[Reason, ...]


def calculate(covenant: Covenant, certificates: tuple[Certificate, ...], facts: CaseFacts) -> Calculated:
    """Works out a total, net or ranked leverage ratio from a certificate and compares it with the covenant's level.

    Args:
        covenant: the governing covenant, with the definitions in force on the test date.
        certificates: certificates of the pack, as read.
        facts: test date and habits of the agreement.
    """
    certificate = choose_certificate(certificates, facts.test_date)
    if isinstance(certificate, Missing):
        return _without(certificate, certificate)
    if covenant.limit.unit is not Unit.RATIO or "leverage" not in covenant.metric:
        reason = f"{covenant.name} is not a leverage ratio: its level is shown and its figure is not calculated."
        return _without(Missing(reason=reason), certificate)
    sheet = Worksheet(certificate)
    terms = facts.terms or read_definitions(
        covenant.definitions, root=_root(covenant), convention=facts.convention, home=facts.home
    )
    terms = terms if terms.rounding or facts.rounding is None else terms.model_copy(update={"rounding": facts.rounding})
    _gate(sheet, covenant, terms, facts)
    debt, cash, earnings = debt_of(sheet, covenant.metric), net_cash(sheet, terms), earnings_of(sheet, terms)
    currency = _currency(sheet)
    if debt is None or earnings is None or (terms.netting != "none" and cash is None):
        nothing = Missing(reason="An input of the ratio is missing.", code="review_input_missing")
        return _close(sheet, nothing, nothing, None, currency)
    sheet.step("tested_debt", f"{debt} - {cash}" if cash else debt, currency or "")
    sheet.step("ebitda_tested", earnings, currency or "")
    return _test(sheet, covenant, terms, facts, currency)


def _root(covenant: Covenant) -> str:
    """The covenant's own words for what is divided by what."""
    return f"{covenant.name}; {covenant.numerator}; {covenant.denominator}"


def _without(calculation: Missing, certificate: Certificate | Missing) -> Calculated:
    reason = Reason(code=calculation.code, sentence=calculation.reason, subject="calculation")
    return Calculated("review", calculation, certificate, (reason,))


def _gate(sheet: Worksheet, covenant: Covenant, terms: DefinitionTerms, facts: CaseFacts) -> None:
    """What stops a calculation whatever its figures are."""
    certificate = sheet.certificate
    for doubt in (*certificate.doubts, *terms.doubts):
        sheet.say(doubt.code, doubt.sentence, spans=doubt.spans)
    if certificate.signed is not True:
        sheet.say("review_certificate_unsigned", f"No signature could be read on {certificate.document}.")
    if certificate.test_date is None:
        sheet.say(
            "review_period_mismatch",
            f"{certificate.document} does not say for which test date it is, {facts.test_date.isoformat()} was asked.",
        )
    for term, what in ((terms.ebitda_term, "earnings"), (terms.debt_term, "debt")):
        if not term:
            sheet.say("review_input_missing", f"The definition of {what} that {covenant.name} uses is not in the pack.")
    if "net_" in covenant.metric and terms.netting == "none":
        sheet.say("review_input_missing", f"{covenant.name} is a net ratio and no definition says which cash is netted.")


def _currency(sheet: Worksheet) -> str | None:
    used = [figure for figure in sheet.figures.values() if figure.currency and figure.value != 0]  # nil has no currency
    codes = sorted({figure.currency for figure in used if figure.currency})
    if len(codes) > 1:
        sheet.say(
            "review_currency_mismatch", f"Inputs are in {' and '.join(codes)}, and no rate is fixed by the agreement.", used
        )
        return None
    return codes[0] if codes else None


def _test(sheet: Worksheet, covenant: Covenant, terms: DefinitionTerms, facts: CaseFacts, currency: str | None) -> Calculated:
    limit = covenant.limit
    sheet.use(Figure(name="level", label=f"level of {covenant.name}", value=limit.value, raw=limit.raw, spans=limit.spans))
    values = sheet.values()
    debt, earnings = values["tested_debt"], values["ebitda_tested"]
    if earnings <= 0:
        return _non_positive(sheet, terms, currency)
    ratio = sheet.step("ratio", "tested_debt / ebitda_tested", "x")
    sheet.step("headroom_debt", "level * ebitda_tested - tested_debt", currency or "")
    room = headroom(debt, earnings, limit.value)
    if room.earnings is not None:
        sheet.step("headroom_ebitda", "1 - tested_debt / (level * ebitda_tested)")
    if ratio > 100 or (0 < ratio < Fraction(1, 10)):
        sheet.say(
            "review_scale_suspect", f"A ratio of {show_decimal(ratio, 4)}x suggests that its inputs are on different scales."
        )
    comparison = _compare(sheet, covenant, terms, ratio)
    _other_totals(sheet, covenant, comparison)
    _certificate_says(sheet, covenant, ratio)
    low = room.earnings is not None and facts.alert_headroom is not None and room.earnings < facts.alert_headroom
    if comparison.met and low and covenant.comparator in (Comparator.LE, Comparator.LT):
        sheet.say("finding_headroom_low")
    return _close(sheet, ratio, comparison, room if covenant.comparator in (Comparator.LE, Comparator.LT) else None, currency)


def _compare(sheet: Worksheet, covenant: Covenant, terms: DefinitionTerms, ratio: Fraction) -> Comparison:
    limit, clause = covenant.limit, terms.rounding
    if clause is None:
        comparison, codes = compare_shown(ratio, covenant.comparator, limit.value)
        for code in codes:
            sheet.say(code)
        return comparison
    if limit.places is None:
        sheet.say(
            "review_rounding_method_ambiguous",
            "The agreement rounds to the places of the level, and the level is not written as a decimal.",
        )
        return compare_shown(ratio, covenant.comparator, limit.value)[0]
    rounded = round_by_clause(ratio, limit.places, clause)
    if compare(rounded.tested, covenant.comparator, limit.value) != compare(rounded.other, covenant.comparator, limit.value):
        sheet.say(
            "review_rounding_method_ambiguous",
            f"Carried by cutting, {rounded.tested} is tested; carried by rounding, {rounded.other}.",
        )
    cut = "trunc" if clause.carry != "round" else "round_up_half"
    sheet.step("carried", f"{cut}(ratio, {limit.places + 1})", "x")
    sheet.step("tested", f"round_up_half(carried, {limit.places})", "x")
    comparison, _ = compare_shown(rounded.tested, covenant.comparator, limit.value)
    places = next((n for n in range(2, 7) if round_up_half(ratio, n) != rounded.tested), 6)
    tested = show_decimal(rounded.tested, max(2, limit.places))
    shown = f"{show_decimal(ratio, places)}x, tested as {tested}x under the rounding clause"
    return comparison.model_copy(update={"shown_left": shown if ratio != rounded.tested else comparison.shown_left})


def _other_totals(sheet: Worksheet, covenant: Covenant, comparison: Comparison) -> None:
    """A total within its rounding unit of its parts is no conflict, unless the parts would compare otherwise."""
    values = sheet.values()
    both = {"debt_summed", "total_debt"} <= values.keys()
    debt = values["tested_debt"] + (values["debt_summed"] - values["total_debt"] if both else 0)
    earnings = values.get("ebitda_computed", values["ebitda_tested"])
    if earnings <= 0 or "tested" in values or debt / earnings == values["ratio"]:
        return
    if compare(debt / earnings, covenant.comparator, covenant.limit.value) != comparison.met:
        said = "Totals and the sums of their lines, within rounding, compare differently with the level."
        sheet.say("review_input_conflict", said)


def _certificate_says(sheet: Worksheet, covenant: Covenant, ratio: Fraction) -> None:
    """What the certificate states is checked, never followed (rule G5)."""
    rank = next((f"_{r}" for r in _RANKS if r in covenant.metric), "")
    stated = [figure for figure in sheet.named(f"ratio{rank}") or sheet.named("ratio") if figure.value != 0]
    levels = sheet.named(f"required_level{rank}") or sheet.named("required_level")
    if len({figure.value for figure in stated}) == 1:
        places = len(stated[0].raw.partition(".")[2].split(" ")[0].split(":")[0].rstrip("xX")) if "." in stated[0].raw else 0
        if round_up_half(ratio, places) != stated[0].value:
            sentence = (
                f"The certificate states {stated[0].raw}; recalculated, the ratio is {show_decimal(ratio, max(2, places))}x."
            )
            sheet.say("finding_certificate_ratio_differs", sentence, stated)
    if len({figure.value for figure in levels}) == 1 and levels[0].value != covenant.limit.value:
        sentence = f"The certificate tests against {levels[0].raw}; the level in force is {covenant.limit.raw}."
        sheet.say("finding_certificate_uses_wrong_level", sentence, levels)


def _non_positive(sheet: Worksheet, terms: DefinitionTerms, currency: str | None) -> Calculated:
    """Earnings of zero or less: both amounts and their cross product are facts, and there is no ratio (CA-40, CA-41)."""
    sheet.step("cross_left", "tested_debt", currency or "")
    sheet.step("cross_right", "level * ebitda_tested", currency or "")
    nothing = Missing(reason="Earnings are zero or negative, so there is no ratio.", code="review_ebitda_non_positive")
    if terms.non_positive != "breach":
        sheet.say("review_ebitda_non_positive")
        return _close(sheet, nothing, nothing, None, currency)
    closed = _close(sheet, nothing, nothing, None, currency)
    return closed if closed.result == "review" and sheet.stops() else replace(closed, result="breach")


def _close(
    sheet: Worksheet, ratio: Fraction | Missing, comparison: Comparison | Missing, room: Headroom | None, currency: str | None
) -> Calculated:
    if not sheet.stops() and isinstance(comparison, Comparison):
        sheet.reasons.insert(0, _complete())
    calculation = Calculation(
        figures=tuple(sheet.figures.values()),
        steps=tuple(sheet.steps),
        ratio=ratio,
        comparison=comparison,
        headroom_debt=room.debt if room else None,
        headroom_ebitda=room.earnings if room else None,
        currency=currency,
        codes=sheet.codes(),
    )
    result = "review" if sheet.stops() or isinstance(comparison, Missing) else "pass" if comparison.met else "breach"
    return Calculated(result, calculation, sheet.certificate, tuple(sheet.reasons))


def _complete() -> Reason:
    code = "accept_calculation_complete"
    return Reason(code=code, sentence=sentence_of(code), subject="calculation")
