"""Inputs of a leverage ratio: which certificate, debt that ties to its total, cash that may be netted (CA-10 to CA-14, 4.5)."""

from __future__ import annotations

import datetime
from fractions import Fraction

from conformed.language.amounts import is_dash
from conformed.language.definitions import DefinitionTerms
from conformed.model.base import Missing
from conformed.model.calculation import Certificate, Figure
from conformed.rules.worksheet import Worksheet, base_name, rounding_unit

__all__ = ["choose_certificate", "debt_of", "net_cash"]

_RANKS = ("first_lien", "secured", "senior")


def choose_certificate(certificates: tuple[Certificate, ...], day: datetime.date) -> Certificate | Missing:
    """The certificate for a test date. Two for one date must agree in every figure that both give."""
    if not certificates:
        return Missing(reason="The pack holds no filled compliance certificate, so there are no figures to test.")
    dated = sorted((c for c in certificates if c.test_date == day), key=lambda c: c.document)
    undated = [c for c in certificates if c.test_date is None]
    if not dated and len(undated) == 1 and len(certificates) == 1:
        return undated[0]
    if not dated:
        seen = ", ".join(sorted({c.test_date.isoformat() if c.test_date else "no clear date" for c in certificates}))
        return Missing(reason=f"No compliance certificate of the pack is for {day.isoformat()}; those read are for: {seen}.")
    first = dated[0]
    for other in dated[1:]:
        values = {base_name(f.name): f.value for f in first.figures}
        for figure in other.figures:
            name = base_name(figure.name)
            if values.get(name, figure.value) != figure.value:
                reason = f"{first.document} and {other.document} give different values for {figure.label!r}."
                return Missing(reason=reason, code="review_input_conflict")
    return first


def debt_of(sheet: Worksheet, metric: str) -> str | None:
    """Writes the debt of the ranking that a metric counts; the name of its line or figure, None where there is none.

    Parts must add to the total that the certificate gives, within its own rounding unit.
    """
    rank = next((r for r in _RANKS if r in metric), None)
    if rank is not None:
        figure = sheet.take(f"{rank}_debt")
        if figure is None:
            sheet.say("review_input_missing", f"The certificate has no line for {rank.replace('_', ' ')} debt.")
        return figure.name if figure else None
    total = sheet.take("total_debt")
    parts = sheet.group("debt_")
    if total is None and not parts:
        sheet.say("review_input_missing", "The certificate has no line for total debt and none for its parts.")
        return None
    for part in parts:
        sheet.use(part)
    if not parts and total is not None:
        return total.name
    summed = sheet.step("debt_summed", " + ".join(part.name for part in parts), _unit(parts))
    if total is None:
        if any(is_dash(part.raw) for part in parts):
            sheet.say("review_input_missing", "A part of debt is a dash and no total shows that it is zero.", parts)
        return "debt_summed"
    if abs(summed - total.value) > rounding_unit((*parts, total)):
        gap = f"The parts of debt add to {summed} and the certificate's total is {total.value}."
        sheet.say("review_input_conflict", gap, (total, *parts))
    return total.name


def _unit(figures: tuple[Figure, ...]) -> str:
    codes = {figure.currency for figure in figures if figure.currency}
    return codes.pop() if len(codes) == 1 else ""


def net_cash(sheet: Worksheet, terms: DefinitionTerms) -> str | None:
    """Writes the cash that the definition takes off debt; the name of the last line, None where none is netted.

    Restricted cash goes out first, then the cap applies (rule book 4.5).
    """
    if terms.netting == "none":
        return None
    free, gross, blocked = sheet.take("unrestricted_cash"), sheet.take("cash"), sheet.take("restricted_cash")
    stated = sheet.take("stated_eligible_cash") if free is None and gross is None else None
    source = free or gross or stated
    if source is None:
        sheet.say("review_input_missing", "The definition nets cash and the certificate has no line for cash.")
        return None
    minus = "+" if blocked is not None and blocked.value < 0 else "-"  # a deduction may be shown in brackets
    unit = source.currency or ""
    if blocked is not None and source is gross:
        eligible = sheet.step("eligible_cash", f"{source.name} {minus} {blocked.name}", unit)
    else:
        eligible = sheet.step("eligible_cash", source.name, unit)
    less = eligible - abs(blocked.value) if blocked is not None and source is not gross else eligible
    cap = terms.netting_cap.value if terms.netting == "capped" and terms.netting_cap is not None else None
    if less != eligible and not (cap is not None and min(eligible, cap) == min(less, cap)):
        sheet.say(
            "review_cash_eligibility_unproven",
            "The certificate does not say whether restricted cash is already out of its cash line.",
            (source,),
        )
    if source is gross and blocked is None and terms.restricted_excluded:
        sheet.say(
            "review_cash_eligibility_unproven",
            "Only unrestricted cash counts and the certificate does not say how much is restricted.",
            (source,),
        )
    if eligible < 0:
        sheet.say("review_input_conflict", "More cash is shown as restricted than there is.", (source,))
    if terms.netting == "capped":
        return _capped(sheet, terms, unit)
    return "eligible_cash"


def _capped(sheet: Worksheet, terms: DefinitionTerms, unit: str) -> str:
    cap = terms.netting_cap
    if cap is None:
        sheet.say("review_cap_basis_ambiguous", "The definition caps netted cash and the amount of the cap cannot be fixed.")
        return "eligible_cash"
    currency = cap.currency if cap.currency not in (None, "XXX") else unit
    places = terms.spans.get("netting", ())
    sheet.use(
        Figure(
            name="netting_cap",
            label="cap on netted cash",
            value=Fraction(cap.value),
            currency=currency,
            raw=cap.raw,
            spans=places,
        )
    )
    sheet.step("netted_cash", "min(eligible_cash, netting_cap)", unit)
    return "netted_cash"
