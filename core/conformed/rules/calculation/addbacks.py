"""Add-backs under their ceilings, in closed form: before, after, silent, the greater of two, several ceilings (rule book 4.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.caps import Cap
from conformed.model.calculation import Figure
from conformed.rules.calculation.worksheet import Worksheet, amount

__all__ = ["Capped", "allow", "limits", "split", "unplaced"]


@dataclass(frozen=True, slots=True)
class Capped:
    """A ceiling and the lines under it."""

    cap: Cap
    items: tuple[Figure, ...]

    @property
    def asked(self) -> Fraction:
        """What the lines add up to before the ceiling."""
        return sum((item.value for item in self.items), Fraction(0))


def _fits(word: str, label: str) -> bool:
    """Whether a label is of an item: by a stem of its words, or by naming its clause."""
    if word.startswith("("):
        return re.search(rf"\b(?:clause|paragraph)\s*(?:\([a-z]{{1,4}}\))*{re.escape(word)}", label, re.IGNORECASE) is not None
    return word.replace("-", "") in label.lower().replace("-", "").replace(" ", "" if " " not in word else " ")


def _covers(cap: Cap, label: str) -> bool:
    return not cap.words or any(_fits(word, label) for word in cap.words)


def split(sheet: Worksheet, caps: tuple[Cap, ...], added: tuple[Figure, ...]) -> tuple[list[Capped], tuple[Figure, ...]]:
    """Add-backs under each ceiling, by the words of its clause, and those under none. A ceiling that names no item is over all."""
    taken: set[str] = set()
    capped = []
    for cap in caps:
        covered = tuple(a for a in added if _covers(cap, a.label))
        items = tuple(a for a in covered if a.name not in taken)
        twice = tuple(a for a in covered if a.name in taken and a.value > 0)
        if twice:
            names = ", ".join(a.label for a in twice)
            sheet.say(
                "review_cap_basis_ambiguous", f"Two ceilings cover the same lines and their order is not written: {names}.", twice
            )
        taken |= {a.name for a in items}
        if items:
            capped.append(Capped(cap, items))
    return capped, tuple(a for a in added if a.name not in taken)


def limits(cap: Cap, base: Fraction) -> tuple[Fraction | None, Fraction | None]:
    """What a ceiling allows with its share taken before, and after, the items; None for no ceiling (a share of one or more, after)."""
    share, fixed = cap.share or Fraction(0), cap.fixed or Fraction(0)
    before = max(fixed, share * base, Fraction(0))
    return before, None if share >= 1 else max(fixed, share / (1 - share) * base, Fraction(0))


def _allowed(asked: Fraction, limit: Fraction | None) -> Fraction:
    return asked if limit is None else min(asked, limit)


def unplaced(
    caps: tuple[Cap, ...], capped: list[Capped], free: tuple[Figure, ...], base: Fraction
) -> Iterator[tuple[Cap, list[Figure]]]:
    """Ceilings that may cover lines which no clause accounts for, where they would then bind.

    Args:
        caps: every ceiling.
        capped: those with lines.
        free: lines under none.
        base: earnings before capped items.
    """
    for cap in caps:
        if not cap.words:
            continue
        open_lines = [a for a in free if a.value > 0 and not set(re.findall(r"[a-z]{5,}", a.label.lower())) & set(cap.elsewhere)]
        held = sum((one.asked for one in capped if one.cap is cap), Fraction(0))
        extra = sum((a.value for a in open_lines), Fraction(0))
        found = [limit for limit in limits(cap, base - extra) if limit is not None]
        if extra and found and held + extra > min(found):
            yield cap, open_lines


def allow(sheet: Worksheet, capped: list[Capped], base: Fraction, unit: str) -> list[str]:
    """Writes what each ceiling allows; gives the names of the lines to add to ``ebitda_base``.

    Args:
        sheet: the calculation, on which ``ebitda_base`` is written.
        capped: ceilings with their lines, in the order of the definition.
        base: earnings before capped items.
        unit: currency.
    """
    last = [one for one in capped if one.cap.others == "included"]
    ordered = [one for one in capped if one not in last] + last
    names: list[str] = []
    for index, one in enumerate(ordered):
        tail = "" if index == 0 else f"_{index + 1}"
        rest = sum((other.asked for other in ordered if other is not one), Fraction(0))
        over = "ebitda_base"
        if one in last and len(last) == 1 and names:
            over = f"ebitda_before_last_cap{tail}"
            base = sheet.step(over, " + ".join(["ebitda_base", *names]), unit)
            rest = Fraction(0)
        elif one.cap.others == "excluded":
            rest = Fraction(0)
        _one(sheet, one, tail, (base, rest), over, unit)
        names.append(f"addbacks_allowed{tail}")
    return names


def _one(sheet: Worksheet, one: Capped, tail: str, ground: tuple[Fraction, Fraction], over: str, unit: str) -> None:
    cap, items, (base, rest) = one.cap, one.items, ground
    asked = sheet.step(f"addbacks_asked{tail}", " + ".join(item.name for item in items), unit)
    if cap.kind == "greater_of" and cap.fixed is None:
        sheet.say(
            "review_cap_basis_ambiguous", "A cap is the greater of a share and an amount that cannot be fixed.", spans=cap.spans
        )
    basis = _basis(sheet, one, asked, limits(cap, base))
    near, far = limits(cap, base), limits(cap, base + rest)
    at = 0 if basis == "before" else 1
    if rest and _allowed(asked, near[at]) != _allowed(asked, far[at]):
        said = "Several caps refer to earnings and the words do not say which of the capped items are in what they are taken of."
        sheet.say("review_cap_basis_ambiguous", said, items)
    if not cap.words and asked > _allowed(asked, near[at]):
        sheet.say(
            "review_cap_basis_ambiguous", "A cap on add-backs binds, and its words do not say which lines it covers.", items
        )
    parts = _terms(sheet, cap, tail, basis, over, unit)
    if near[at] is None:
        sheet.step(
            f"addbacks_allowed{tail}", f"addbacks_asked{tail}", unit
        )  # a share of one or more after the items is no ceiling
        return
    sheet.step(f"addback_limit{tail}", f"max({', '.join(parts)})", unit)
    sheet.step(f"addbacks_allowed{tail}", f"min(addbacks_asked{tail}, addback_limit{tail})", unit)


def _basis(sheet: Worksheet, one: Capped, asked: Fraction, both: tuple[Fraction | None, Fraction | None]) -> str:
    """Before or after; where the words are silent and it matters, a question."""
    before, after = (_allowed(asked, limit) for limit in both)
    if one.cap.basis != "unstated":
        return one.cap.basis
    if before == after:
        said = "The cap on add-backs does not say before or after; both readings allow the same amount."
        sheet.say("finding_reading_immaterial", said, one.items)
    else:
        said = f"The cap on add-backs does not say before or after. Read before, it allows {amount(before, None)}; read after, {amount(after, None)}."
        sheet.say("review_cap_basis_ambiguous", said, one.items)
    return "before"


def _terms(sheet: Worksheet, cap: Cap, tail: str, basis: str, over: str, unit: str) -> list[str]:
    """The parts of which the limit is the greatest, and the figures behind them."""
    parts = ["0"]
    if cap.share is not None:
        name = f"addback_share{tail}"
        sheet.use(
            Figure(name=name, label="cap on add-backs, share of EBITDA", value=cap.share, raw=cap.raw[:120], spans=cap.spans)
        )
        parts.append(f"{name} * {over}" if basis == "before" else f"{name} / (1 - {name}) * {over}")
    if cap.fixed is not None:
        name = f"addback_fixed{tail}"
        label = "cap on add-backs, amount"
        sheet.use(Figure(name=name, label=label, value=cap.fixed, currency=unit or None, raw=cap.raw[:120], spans=cap.spans))
        parts.append(name)
    return parts
