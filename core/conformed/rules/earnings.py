"""Earnings by the definition: built from the certificate's lines, add-backs under their caps, tied to its total (4.3, 4.6)."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.amounts import is_dash
from conformed.language.caps import Cap
from conformed.language.definitions import DefinitionTerms
from conformed.language.labels import STATUTORY, sign_of
from conformed.model.calculation import Figure
from conformed.rules.worksheet import Worksheet, rounding_unit

__all__ = ["earnings_of"]

_BOTH = "depreciation_and_amortization"


def earnings_of(sheet: Worksheet, terms: DefinitionTerms) -> str | None:
    """Writes the earnings of the definition; the name of the line or figure that holds them, None where there are none."""
    stated = sheet.take("ebitda")
    income = sheet.take("net_income")
    if income is None:
        return _stated_only(sheet, terms, stated)
    charges = [figure for name in STATUTORY if (figure := sheet.take(name)) is not None]
    _components(sheet, terms, charges)
    gains, added = sheet.group("gain_"), sheet.group("addback_")
    for figure in (*gains, *added):
        sheet.use(figure)
    # A gain may be shown as a positive amount to be taken out, or in brackets; its line says which by its sign.
    terms_of_sum = [
        income.name,
        *(f"{_sign(c)} {c.name}" for c in charges),
        *(f"{'+' if g.value < 0 else '-'} {g.name}" for g in gains),
    ]
    unit = income.currency or ""
    capped, uncapped = _split(terms.caps, added)
    lines = [*terms_of_sum, *(f"+ {a.name}" for a in uncapped)]
    base = sheet.step("ebitda_base", " ".join(lines), unit)
    _unplaced(sheet, terms.caps, capped, uncapped, base)
    asked = Fraction(0)
    names = []
    for index, (cap, items) in enumerate(capped):
        tail = "" if index == 0 else f"_{index + 1}"
        asked += _allow(sheet, cap, items, tail, unit, base, alone=len(capped) == 1)
        names.append(f"addbacks_allowed{tail}")
    total = sheet.step("ebitda_computed", " + ".join(["ebitda_base", *names]), unit)
    return _tie(sheet, stated, total, base + asked, (income, *charges, *gains, *added))


def _sign(charge: Figure) -> str:
    """A charge is added; one whose label says "less" and whose figure is not in brackets (a tax benefit) is taken out."""
    return "-" if charge.value > 0 and sign_of(charge.label) == "-" else "+"


def _stated_only(sheet: Worksheet, terms: DefinitionTerms, stated: Figure | None) -> str | None:
    if stated is None:
        sheet.say("review_input_missing", "The certificate has no line for EBITDA and none for net income.")
        return None
    if terms.components:
        sheet.say(
            "review_input_missing", "The certificate gives EBITDA without the lines that its definition is built from.", (stated,)
        )
    return stated.name


def _components(sheet: Worksheet, terms: DefinitionTerms, charges: list[Figure]) -> None:
    """Every charge that the definition names has a line, or the input is missing: zero is never assumed."""
    have = {figure.name for figure in charges}
    if _BOTH in have:
        have |= {"depreciation", "amortization"}
    for name in terms.components:
        if name not in have:
            sheet.say(
                "review_input_missing",
                f"The definition of {terms.ebitda_term} adds back {name} and the certificate has no line for it.",
            )


def _split(caps: tuple[Cap, ...], added: tuple[Figure, ...]) -> tuple[list[tuple[Cap, tuple[Figure, ...]]], tuple[Figure, ...]]:
    """Add-backs under each cap, by the words of its clause, and those under none. A cap that names no item caps all."""
    taken: set[str] = set()
    capped = []
    for cap in caps:
        items = tuple(a for a in added if a.name not in taken and (not cap.words or any(_fits(w, a.label) for w in cap.words)))
        taken |= {a.name for a in items}
        if items:
            capped.append((cap, items))
    return capped, tuple(a for a in added if a.name not in taken)


def _fits(word: str, label: str) -> bool:
    """Whether a label is of an item: by a stem of its words, or by naming its clause."""
    if word.startswith("("):
        return re.search(rf"\b(?:clause|paragraph)\s*(?:\([a-z]{{1,4}}\))*{re.escape(word)}", label, re.IGNORECASE) is not None
    return word.replace("-", "") in label.lower().replace("-", "").replace(" ", "" if " " not in word else " ")


def _unplaced(
    sheet: Worksheet,
    caps: tuple[Cap, ...],
    capped: list[tuple[Cap, tuple[Figure, ...]]],
    free: tuple[Figure, ...],
    base: Fraction,
) -> None:
    """An add-back that no clause accounts for may be under a cap: review, unless the cap would still not bind."""
    for cap in caps:
        if not cap.words:
            continue
        open_lines = [a for a in free if a.value > 0 and not set(re.findall(r"[a-z]{5,}", a.label.lower())) & set(cap.elsewhere)]
        held = sum((item.value for c, items in capped if c is cap for item in items), Fraction(0))
        extra = sum((a.value for a in open_lines), Fraction(0))
        if extra and held + extra > min(_limits(cap, base - extra)):
            names = ", ".join(a.label for a in open_lines)
            sheet.say(
                "review_cap_basis_ambiguous",
                f"Whether a cap of {cap.term} covers these lines cannot be fixed: {names}.",
                open_lines,
            )


def _allow(
    sheet: Worksheet, cap: Cap, items: tuple[Figure, ...], tail: str, unit: str, base: Fraction, *, alone: bool
) -> Fraction:
    """Writes what one cap allows (rule book 4.6); gives what was asked for."""
    asked = sheet.step(f"addbacks_asked{tail}", " + ".join(item.name for item in items), unit)
    share = cap.share if cap.share is not None else Fraction(0)
    before, after = _limits(cap, base)
    if cap.kind == "greater_of" and cap.fixed is None:
        sheet.say(
            "review_cap_basis_ambiguous", "A cap is the greater of a share and an amount that cannot be fixed.", spans=cap.spans
        )
    name = f"addback_share{tail}"
    sheet.use(Figure(name=name, label="cap on add-backs, share of EBITDA", value=share, raw=cap.raw[:120], spans=cap.spans))
    fixed = ""
    if cap.fixed is not None:
        sheet.use(
            Figure(
                name=f"addback_fixed{tail}",
                label="cap on add-backs, amount",
                value=cap.fixed,
                currency=unit or None,
                raw=cap.raw[:120],
                spans=cap.spans,
            )
        )
        fixed = f"addback_fixed{tail}"
    basis = cap.basis
    if min(asked, before) == min(asked, after):
        if basis == "unstated":
            sheet.say(
                "finding_reading_immaterial",
                "The cap on add-backs does not say before or after; both readings allow the same amount.",
                items,
            )
            basis = "before"
    elif basis == "unstated" or (basis == "after" and not alone):
        both = f"Read before, the cap allows {min(asked, before)}; read after, {min(asked, after)}."
        sheet.say("review_cap_basis_ambiguous", f"The cap on add-backs does not fix its basis. {both}", items)
        basis = "before"
    if not cap.words and asked > (before if basis == "before" else after):
        sheet.say(
            "review_cap_basis_ambiguous", "A cap on add-backs binds, and its words do not say which lines it covers.", items
        )
    by_share = f"{name} * ebitda_base" if basis == "before" else f"{name} / (1 - {name}) * ebitda_base"
    sheet.step(f"addback_limit{tail}", f"max({fixed or '0'}, {by_share})", unit)
    sheet.step(f"addbacks_allowed{tail}", f"min(addbacks_asked{tail}, addback_limit{tail})", unit)
    return asked


def _limits(cap: Cap, base: Fraction) -> tuple[Fraction, Fraction]:
    """What the cap allows when its share is of earnings before, and after, the items."""
    share, fixed = cap.share or Fraction(0), cap.fixed or Fraction(0)
    return max(fixed, share * base), max(fixed, share / (1 - share) * base if share < 1 else fixed)


def _tie(sheet: Worksheet, stated: Figure | None, computed: Fraction, uncapped: Fraction, parts: tuple[Figure, ...]) -> str:
    """Ties the build-up to the certificate's own total; what the definition gives is what is used."""
    if stated is None:
        if any(is_dash(part.raw) for part in parts):
            sheet.say("review_input_missing", "A line of the earnings is a dash and no total shows that it is zero.", parts)
        return "ebitda_computed"
    unit = rounding_unit((*parts, stated))
    if abs(stated.value - computed) <= unit:
        return stated.name if stated.value != computed and computed == uncapped else "ebitda_computed"
    if (
        computed != uncapped and abs(stated.value - uncapped) <= unit
    ):  # the certificate did not apply the cap: a finding by its ratio
        return "ebitda_computed"
    gap = f"The lines of the definition give earnings of {computed} and the certificate's own line says {stated.value}."
    sheet.say("review_input_conflict", gap, (stated,))
    return "ebitda_computed"
