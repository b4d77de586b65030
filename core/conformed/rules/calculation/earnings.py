"""Earnings by the definition: built from the certificate's lines, add-backs under their caps, tied to its total (4.3, 4.8)."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.amounts import is_dash
from conformed.language.definitions import DefinitionTerms
from conformed.language.labels import STATUTORY, sign_of
from conformed.language.support import is_synergy
from conformed.model.calculation import Figure
from conformed.rules.calculation.addbacks import allow, split, unplaced
from conformed.rules.calculation.worksheet import Worksheet, amount, rounding_unit

__all__ = ["earnings_of"]


def earnings_of(sheet: Worksheet, terms: DefinitionTerms) -> str | None:
    """Writes the earnings of the definition; the name of the line or figure that holds them, None where there are none."""
    stated = sheet.take("ebitda")
    income = sheet.take("net_income")
    further = _pro_forma(sheet, terms)
    if income is None:
        return _stated_only(sheet, terms, stated, further)
    charges = [figure for name in STATUTORY if (figure := sheet.take(name)) is not None]
    _components(sheet, terms, charges)
    gains, added = sheet.group("gain_"), sheet.group("addback_")
    for figure in (*gains, *added):
        sheet.use(figure)
    _supported(sheet, terms, added)
    # A gain may be shown as a positive amount to be taken out, or in brackets; its line says which by its sign.
    terms_of_sum = [
        income.name,
        *(f"{_sign(c)} {c.name}" for c in charges),
        *(f"{'+' if g.value < 0 else '-'} {g.name}" for g in gains),
        *further,
    ]
    unit = income.currency or ""
    capped, uncapped = split(sheet, terms.caps, added)
    base = sheet.step("ebitda_base", " ".join([*terms_of_sum, *(f"+ {a.name}" for a in uncapped)]), unit)
    for cap, open_lines in unplaced(terms.caps, capped, uncapped, base):
        names = ", ".join(a.label for a in open_lines)
        sheet.say(
            "review_cap_basis_ambiguous", f"Whether a cap of {cap.term} covers these lines cannot be fixed: {names}.", open_lines
        )
    names_allowed = allow(sheet, capped, base, unit)
    asked = sum((one.asked for one in capped), Fraction(0))
    total = sheet.step("ebitda_computed", " + ".join(["ebitda_base", *names_allowed]), unit)
    return _tie(sheet, stated, total, base + asked, (income, *charges, *gains, *added))


def _sign(charge: Figure) -> str:
    """A charge is added; one whose label says "less" and whose figure is not in brackets (a tax benefit) is taken out."""
    return "-" if charge.value > 0 and sign_of(charge.label) == "-" else "+"


def _stated_only(sheet: Worksheet, terms: DefinitionTerms, stated: Figure | None, further: list[str]) -> str | None:
    deemed = sheet.group("proforma_deemed_")
    if stated is None and not deemed:
        sheet.say("review_input_missing", "The certificate has no line for EBITDA and none for net income.")
        return None
    if stated is not None and terms.components:
        said = "The certificate gives EBITDA without the lines that its definition is built from."
        sheet.say("review_input_missing", said, (stated,))
    if not further:
        return stated.name if stated else None
    first = [stated.name] if stated is not None else ["0"]
    currency = (stated or deemed[0]).currency or ""
    sheet.step("ebitda_computed", " ".join([*first, *further]), currency)
    return "ebitda_computed"


def _components(sheet: Worksheet, terms: DefinitionTerms, charges: list[Figure]) -> None:
    """Every charge that the definition names has a line, or the input is missing: zero is never assumed."""
    have = {figure.name.removesuffix("_12m") for figure in charges}
    if any(name.startswith("depreciation_and_amortization") for name in have):
        have |= {"depreciation", "amortization"}
    have |= {name for name in STATUTORY if sheet.named(name)}
    for name in terms.components:
        if name not in have:
            said = f"The definition of {terms.ebitda_term} adds back {name} and the certificate has no line for it."
            sheet.say("review_input_missing", said)


def _pro_forma(sheet: Worksheet, terms: DefinitionTerms) -> list[str]:
    """Terms of the sum for deemed quarters, businesses bought and sold, and a reconciliation to frozen accounting (4.8, P43)."""
    found = [f"+ {sheet.use(figure).name}" for figure in sheet.group("proforma_deemed_")]
    for figure in sheet.group("proforma_acquired"):
        found.append(f"+ {sheet.use(figure).name}")
        if not re.search(r"\b(?:before|prior to|pre-?acquisition|up to)\b", figure.label, re.IGNORECASE):
            said = f"{figure.label!r} does not say that only the part of the period before closing is added."
            sheet.say("review_proforma_unsupported", said, (figure,))
    found += [f"{'+' if sheet.use(f).value < 0 else '-'} {f.name}" for f in sheet.group("proforma_disposed")]
    moved = [*sheet.group("proforma_acquired"), *sheet.group("proforma_disposed")]
    if moved and not terms.pro_forma:
        said = "The certificate counts a business bought or sold, and the definition has no words for that."
        sheet.say("review_proforma_unsupported", said, moved)
    for figure in sheet.group("recon_earnings"):
        taken_out = figure.value > 0 and sign_of(figure.label) == "-"
        found.append(f"{'-' if taken_out else '+'} {sheet.use(figure).name}")
    return found


def _supported(sheet: Worksheet, terms: DefinitionTerms, added: tuple[Figure, ...]) -> None:
    """Projected savings need what the definition asks of them."""
    savings = [a for a in added if a.value > 0 and is_synergy(a.label)]
    absent = [name for name in terms.supports if name not in sheet.certificate.supports]
    if savings and absent:
        words = {
            "certified": "that they are certified",
            "actions": "which actions bring them",
            "horizon": "by when they are realised",
            "net_realised": "that what was realised already is taken off",
        }
        said = f"The definition asks more of projected savings than the certificate states: {', '.join(words[name] for name in absent)}."
        sheet.say("review_proforma_unsupported", said, savings)


def _tie(sheet: Worksheet, stated: Figure | None, computed: Fraction, uncapped: Fraction, parts: tuple[Figure, ...]) -> str:
    """Ties the build-up to the certificate's own total; what the definition gives is what is used."""
    if stated is None:
        if any(is_dash(part.raw) for part in parts):
            sheet.say("review_input_missing", "A line of the earnings is a dash and no total shows that it is zero.", parts)
        return "ebitda_computed"
    unit = rounding_unit((*parts, stated))
    if abs(stated.value - computed) <= unit:
        return stated.name if stated.value != computed and computed == uncapped else "ebitda_computed"
    if computed != uncapped and abs(stated.value - uncapped) <= unit:
        return "ebitda_computed"  # the certificate did not apply the cap: its line and its ratio are told as different
    gap = (
        f"The lines of the definition give earnings of {amount(computed, stated.currency)} and the certificate's own line says "
        f"{amount(stated.value, stated.currency)}."
    )
    sheet.say("review_input_conflict", gap, (stated,))
    return "ebitda_computed"
