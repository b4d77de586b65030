"""Inputs of a leverage ratio: which certificate, debt that ties to its total, cash that may be netted (CA-10 to CA-14, 4.5)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from fractions import Fraction

from conformed.language.amounts import is_dash
from conformed.language.definitions import DefinitionTerms
from conformed.language.labels import sign_of
from conformed.language.support import cash_shown
from conformed.model.base import Missing
from conformed.model.calculation import Certificate, Figure
from conformed.rules.calculation.conversion import Rates
from conformed.rules.calculation.worksheet import Worksheet, amount, base_name, rounding_unit

__all__ = ["choose_certificate", "debt_of", "net_cash", "rank_of"]

_RANKS = ("first_lien", "secured", "senior")
_OUT = ("restricted_cash", "foreign_cash", "uncontrolled_cash", "excluded_cash")
_RULE_LINE = {"domestic": "foreign_cash", "controlled": "uncontrolled_cash"}
_COUNTS = re.compile(r"\b(?:unrestricted|eligible|qualif\w+|available|permitted|domestic|controlled|freely)\b", re.IGNORECASE)
_RULE_WORDS = {"domestic": "where it is held", "controlled": "that its accounts are under control agreements"}


def rank_of(metric: str) -> str | None:
    """The ranking of debt that a metric counts; None for all of it."""
    return next((rank for rank in _RANKS if rank in metric), None)


def choose_certificate(certificates: tuple[Certificate, ...], day: datetime.date) -> Certificate | Missing:
    """The certificate for a test date. Several for one date must agree in every figure that two of them give (CA-13)."""
    if not certificates:
        return Missing(reason="The pack holds no filled compliance certificate, so there are no figures to test.")
    dated = sorted(
        (c for c in certificates if c.test_date == day), key=lambda c: (c.signed is not True, -len(c.figures), c.document)
    )
    undated = [c for c in certificates if c.test_date is None]
    if not dated and len(undated) == 1 and len(certificates) == 1:
        return undated[0]
    if not dated:
        seen = ", ".join(sorted({c.test_date.isoformat() if c.test_date else "no clear date" for c in certificates}))
        return Missing(reason=f"No compliance certificate of the pack is for {day.isoformat()}; those read are for: {seen}.")
    first = dated[0]
    for other in dated[1:]:
        for mine, theirs in _clashes(first, other):
            reason = (
                f"{first.document} and {other.document} give different values for {theirs.label!r}: {mine.raw} and {theirs.raw}."
            )
            return Missing(reason=reason, code="review_input_conflict")
    return first


def _clashes(first: Certificate, other: Certificate) -> Iterator[tuple[Figure, Figure]]:
    """Lines that both papers give for the same period, where no value of the one is a value of the other."""
    for figure in other.figures:
        key = (base_name(figure.name), figure.months, figure.as_of)
        same = [f for f in first.figures if (base_name(f.name), f.months, f.as_of) == key]
        if same and all((f.value, f.currency) != (figure.value, figure.currency) for f in same):
            yield same[0], figure


def debt_of(sheet: Worksheet, metric: str) -> str | None:
    """Writes the debt of the ranking that a metric counts; the name of its line or figure, None where there is none.

    Parts must add to the total that the certificate gives, within its own rounding unit.
    """
    rank = rank_of(metric)
    if rank is not None:
        figure = sheet.take(f"{rank}_debt")
        if figure is None:
            sheet.say("review_input_missing", f"The certificate has no line for {rank.replace('_', ' ')} debt.")
        return _reconciled(sheet, figure.name, figure.currency) if figure else None
    total = sheet.take("total_debt")
    parts = sheet.group("debt_")
    if total is None and not parts:
        sheet.say("review_input_missing", "The certificate has no line for total debt and none for its parts.")
        return None
    for part in parts:
        sheet.use(part)
    if not parts and total is not None:
        return _reconciled(sheet, total.name, total.currency)
    unit = _unit(parts)
    summed = sheet.step("debt_summed", " + ".join(part.name for part in parts), unit)
    if total is None:
        if any(is_dash(part.raw) for part in parts):
            sheet.say("review_input_missing", "A part of debt is a dash and no total shows that it is zero.", parts)
        return _reconciled(sheet, "debt_summed", unit)
    if abs(summed - total.value) > rounding_unit((*parts, total)):
        gap = f"The parts of debt add to {amount(summed, unit)} and the certificate's total is {amount(total.value, total.currency)}."
        sheet.say("review_input_conflict", gap, (total, *parts))
    return _reconciled(sheet, total.name, total.currency)


def _reconciled(sheet: Worksheet, name: str, currency: str | None) -> str:
    """Debt on the accounting that the covenant keeps, where the certificate reconciles to it (rule book P43)."""
    lines = sheet.group("recon_debt")
    if not lines:
        return name
    signs = ["-" if line.value > 0 and sign_of(line.label) == "-" else "+" for line in lines]
    sheet.step(
        "debt_reconciled",
        " ".join([name, *(f"{s} {sheet.use(f).name}" for s, f in zip(signs, lines, strict=True))]),
        currency or "",
    )
    return "debt_reconciled"


def _unit(figures: tuple[Figure, ...]) -> str:
    codes = {figure.currency for figure in figures if figure.currency and figure.value}
    return codes.pop() if len(codes) == 1 else ""


def net_cash(sheet: Worksheet, terms: DefinitionTerms, rates: Rates | None = None, earnings: str | None = None) -> str | None:
    """Writes the cash that the definition takes off debt; the name of the last line, None where none is netted.

    What is not eligible goes out first (restricted, held elsewhere, not under control), then the cap applies (4.5).

    Args:
        sheet: the calculation, with its lines in one currency where that could be done.
        terms: what the definition says of cash.
        rates: for a cap in another currency.
        earnings: name of the line of earnings, for a cap that is a share of them.
    """
    if terms.netting == "none":
        return None
    free, gross = sheet.take("unrestricted_cash"), sheet.take("cash")
    stated = sheet.take("stated_eligible_cash") if free is None and gross is None else None
    source = free or gross or stated
    if source is None:
        sheet.say("review_input_missing", "The definition nets cash and the certificate has no line for cash.")
        return None
    unit = source.currency or ""
    asked = {_RULE_LINE[rule] for rule in terms.cash_rules} | {
        "restricted_cash",
        "excluded_cash",
    }  # other lines are for information
    out = {name: line for name in _OUT if name in asked and (line := sheet.take(name)) is not None}
    blocked = out.get("restricted_cash")
    sure = {name: line for name, line in out.items() if name != "restricted_cash" or source is gross}
    signs = {name: "+" if line.value < 0 else "-" for name, line in sure.items()}  # a deduction may be shown in brackets
    eligible = sheet.step(
        "eligible_cash", " ".join([source.name, *(f"{signs[n]} {line.name}" for n, line in sure.items())]), unit
    )
    netted = _netted(sheet, terms, rates, earnings, unit)
    if blocked is not None and source is not gross and blocked.value:
        ceiling = sheet.values().get("netting_limit")
        less = eligible - abs(blocked.value)
        if ceiling is None or min(eligible, ceiling) != min(less, ceiling):
            said = "The certificate does not say whether restricted cash is already out of its cash line."
            sheet.say("review_cash_eligibility_unproven", said, (source,))
    if source is gross and blocked is None and terms.restricted_excluded and not _is_defined(source, terms):
        said = "Only unrestricted cash counts and the certificate does not say how much is restricted."
        sheet.say("review_cash_eligibility_unproven", said, (source,))
    for rule in terms.cash_rules:
        if _RULE_LINE[rule] not in out and not cash_shown(rule, source.label) and not _is_defined(source, terms):
            said = f"The definition asks of cash {_RULE_WORDS[rule]}, and the certificate does not show it."
            sheet.say("review_cash_eligibility_unproven", said, (source,), spans=terms.spans.get("netting", ()))
    if eligible < 0:
        sheet.say("review_input_conflict", "More cash is shown as not eligible than there is.", (source,))
    return netted


def _is_defined(source: Figure, terms: DefinitionTerms) -> bool:
    """Whether a line of cash bears the agreement's own term for cash that counts: the certificate then uses it in that meaning."""
    label = " ".join(source.label.lower().split())
    return any(_COUNTS.search(term) and " ".join(term.lower().split()) in label for term in terms.cash_terms)


def _netted(sheet: Worksheet, terms: DefinitionTerms, rates: Rates | None, earnings: str | None, unit: str) -> str:
    if terms.netting != "capped":
        return "eligible_cash"
    limit = []
    cap, places = terms.netting_cap, terms.spans.get("netting", ())
    if cap is not None:
        currency = cap.currency if cap.currency not in (None, "XXX") else unit or None
        figure = Figure(
            name="netting_cap",
            label="cap on netted cash",
            value=Fraction(cap.value),
            currency=currency,
            raw=cap.raw,
            spans=places,
        )
        foreign = bool(unit) and currency not in (None, "XXX", unit)
        made = rates.convert(figure, "netting_cap", "cash") if foreign and rates is not None else None
        limit.append((made or sheet.use(figure)).name)
    if terms.netting_share is not None and earnings is not None:
        share = Figure(name="netting_share", label="cap on netted cash, share of EBITDA", value=terms.netting_share, spans=places)
        limit.append(f"{sheet.use(share).name} * {earnings}")
    if not limit:
        sheet.say("review_cap_basis_ambiguous", "The definition caps netted cash and the amount of the cap cannot be fixed.")
        return "eligible_cash"
    sheet.step("netting_limit", f"max(0, {', '.join(limit)})" if terms.netting_share is not None else limit[0], unit)
    sheet.step("netted_cash", "min(eligible_cash, netting_limit)", unit)
    return "netted_cash"
