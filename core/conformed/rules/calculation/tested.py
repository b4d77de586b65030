"""A finished sheet against the level: the ratio, the rounding clause, the comparison, what the certificate says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.errors import RuleError
from conformed.language.definitions import DefinitionTerms
from conformed.language.rounding import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Comparison, Figure
from conformed.model.covenant import Comparator, Covenant
from conformed.rules.calculation.compare import Headroom, compare, compare_shown, headroom, round_by_clause, show_decimal
from conformed.rules.calculation.formula import LEVERAGE, proved_equal, round_up_half, solved
from conformed.rules.calculation.lines import stated_ratios
from conformed.rules.calculation.worksheet import Worksheet, amount

__all__ = ["Tested", "against_level"]

_INVERSE = "earnings / debt"
_MAXIMUM = (Comparator.LE, Comparator.LT)
_CUT = {"down": "trunc", "ceiling": "ceil_to", "up": "round_up_half"}


@dataclass(frozen=True, slots=True)
class Tested:
    """What comes of a test: ratio and comparison, or why there are none, and the headroom of a maximum."""

    ratio: Fraction | Missing
    comparison: Comparison | Missing
    room: Headroom | None = None


def against_level(
    sheet: Worksheet,
    covenant: Covenant,
    terms: DefinitionTerms,
    names: dict[str, str],
    alert: Fraction | None,
    formula: str = "",
    written: tuple[tuple[Fraction, int], ...] = (),
) -> Tested:
    """Writes ratio, headroom and rounding on a sheet that holds ``tested_debt`` and ``ebitda_tested``, and compares.

    Args:
        sheet: the calculation so far.
        covenant: the governing covenant.
        terms: what definitions and clauses say.
        names: for each of NAMES that there is, the name of its line on the sheet.
        alert: the institution's alert level, in turns of the ratio.
        formula: the formula that the contract declares for the metric; empty for LEVERAGE.
        written: ratios as the agreement writes them, value and places: a level may be written in two ways.
    """
    limit = covenant.limit
    sheet.use(Figure(name="level", label=f"level of {covenant.name}", value=limit.value, raw=limit.raw, spans=limit.spans))
    values = sheet.values()
    unit = next((step.unit for step in sheet.steps if step.name == "tested_debt"), "")
    if values["ebitda_tested"] <= 0:
        return _non_positive(sheet, covenant, terms, unit, formula)
    try:
        plain = not formula or proved_equal(formula, LEVERAGE)
        ratio = sheet.step("ratio", "tested_debt / ebitda_tested" if plain else _over(formula, names), "x")
    except RuleError as problem:
        nothing = Missing(reason=f"The declared formula of {covenant.metric} could not be worked out: {problem.found}")
        sheet.say(nothing.code, nothing.reason)
        return Tested(nothing, nothing)
    room = _room(sheet, covenant, formula, names, unit, plain=plain)
    if ratio > 100 or (0 < ratio < Fraction(1, 10)):
        said = f"A ratio of {show_decimal(ratio, 4)}x suggests that its inputs are on different scales."
        sheet.say("review_scale_suspect", said)
    comparison = _compare(sheet, covenant, terms.rounding, ratio, written)
    if plain:
        _other_totals(sheet, covenant, comparison)
    _level_of_certificate(sheet, covenant)
    near = alert is not None and abs(comparison.right - comparison.left) < alert
    if comparison.met and near:
        sheet.say("finding_headroom_low")
    return Tested(ratio, comparison, room)


def _over(formula: str, names: dict[str, str]) -> str:
    """A declared formula over the names of the sheet; cash that is not netted is zero."""
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda m: names.get(m[0], "0" if m[0] == "cash" else m[0]), formula)


def _room(
    sheet: Worksheet, covenant: Covenant, formula: str, names: dict[str, str], unit: str, *, plain: bool
) -> Headroom | None:
    """Headroom of a maximum, in debt and in earnings. Of a declared formula: solved for debt, where algebra can."""
    if plain:
        values = sheet.values()
        room = headroom(values["tested_debt"], values["ebitda_tested"], covenant.limit.value)
        sheet.step("headroom_debt", "level * ebitda_tested - tested_debt", unit)
        if room.earnings is not None:
            sheet.step("headroom_ebitda", "1 - tested_debt / (level * ebitda_tested)")
        return room if covenant.comparator in _MAXIMUM else None
    most = solved(formula, "level", "debt")
    if most is None or covenant.comparator not in _MAXIMUM:
        return None
    try:
        debt = sheet.step("headroom_debt", f"{_over(most, names)} - {names['debt']}", unit)
    except RuleError:
        return None
    return Headroom(debt, None)


def _compare(
    sheet: Worksheet,
    covenant: Covenant,
    clause: RoundingTerms | None,
    ratio: Fraction,
    written: tuple[tuple[Fraction, int], ...] = (),
) -> Comparison:
    limit = covenant.limit
    if clause is None:
        comparison, codes = compare_shown(ratio, covenant.comparator, limit.value)
        for code in codes:
            sheet.say(code)
        return comparison
    places = clause.places if clause.places is not None else limit.places
    if places is None:
        said = "The agreement rounds to the places of the level, and the level is not written as a decimal."
        sheet.say("review_rounding_method_ambiguous", said, spans=clause.spans)
        return compare_shown(ratio, covenant.comparator, limit.value)[0]
    rounded = round_by_clause(ratio, places, clause)
    if compare(rounded.tested, covenant.comparator, limit.value) != compare(rounded.other, covenant.comparator, limit.value):
        said = (
            f"Carried by cutting, {show_decimal(rounded.tested, places)}x is tested; carried by rounding, "
            f"{show_decimal(rounded.other, places)}x. The clause does not say which."
        )
        sheet.say("review_rounding_method_ambiguous", said, spans=clause.spans)
    elif clause.places is None:
        _other_places(sheet, covenant, clause, ratio, {p for value, p in written if value == limit.value} - {places})
    if clause.carry != "none":
        cut = "round_up_half" if clause.carry == "round" else "trunc"
        sheet.step("carried", f"{cut}(ratio, {places + 1})", "x")
    sheet.step("tested", f"{_CUT[clause.half]}({'ratio' if clause.carry == 'none' else 'carried'}, {places})", "x")
    comparison, _ = compare_shown(rounded.tested, covenant.comparator, limit.value)
    enough = next((n for n in range(2, 7) if round_up_half(ratio, n) != rounded.tested), None)
    gap = "" if enough else f" ({abs(ratio - rounded.tested)} {'above' if ratio > rounded.tested else 'below'} that)"
    tested = show_decimal(rounded.tested, max(2, places))
    shown = f"{show_decimal(ratio, enough or 6)}x, tested as {tested}x under the rounding clause{gap}"
    return comparison.model_copy(update={"shown_left": shown if ratio != rounded.tested else comparison.shown_left})


def _other_places(sheet: Worksheet, covenant: Covenant, clause: RoundingTerms, ratio: Fraction, others: set[int]) -> None:
    """The same level is written with other places elsewhere: a question where rounding to those would compare otherwise (P12)."""
    level, places = covenant.limit.value, covenant.limit.places or 0
    met = compare(round_by_clause(ratio, places, clause).tested, covenant.comparator, level)
    for other in sorted(others):
        if compare(round_by_clause(ratio, other, clause).tested, covenant.comparator, level) != met:
            said = f"The level is written with {places} places in the covenant and with {other} elsewhere in the agreement, and the ratio rounded to either compares differently."
            sheet.say("review_rounding_method_ambiguous", said, spans=clause.spans)
            return


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


def _level_of_certificate(sheet: Worksheet, covenant: Covenant) -> None:
    """The level that the certificate tests against is checked, never followed (rule G5)."""
    levels = stated_ratios(sheet, covenant.metric, "required_level")
    if len({figure.value for figure in levels}) == 1 and levels[0].value != covenant.limit.value:
        said = f"The certificate tests against {levels[0].raw}; the level in force is {covenant.limit.raw}."
        sheet.say("finding_certificate_uses_wrong_level", said, levels)


def _non_positive(sheet: Worksheet, covenant: Covenant, terms: DefinitionTerms, unit: str, formula: str) -> Tested:
    """Earnings of zero or less: both amounts and their cross product are facts, and there is no ratio (CA-40 to CA-42)."""
    if formula and proved_equal(formula, _INVERSE):
        return _inverse(sheet, covenant, unit)
    left = sheet.step("cross_left", "tested_debt", unit)
    right = sheet.step("cross_right", "level * ebitda_tested", unit)
    nothing = Missing(reason="Earnings are zero or negative, so there is no ratio.", code="review_ebitda_non_positive")
    earnings = sheet.values()["ebitda_tested"]
    sides = f"Earnings are {amount(earnings, unit)}; debt of {amount(left, unit)} stands against level times earnings of {amount(right, unit)}."
    if terms.non_positive != "breach":
        sheet.say("review_ebitda_non_positive", f"{sides} The agreement does not say what then counts, and no ratio is made.")
        return Tested(nothing, nothing)
    said = Missing(reason=f"{sides} The agreement deems the level exceeded.", code="review_ebitda_non_positive")
    return Tested(nothing, said)


def _inverse(sheet: Worksheet, covenant: Covenant, unit: str) -> Tested:
    """Earnings over debt with earnings of zero or less: the words say what follows, and a person still sees it (CA-42)."""
    earnings = sheet.step("cross_left", "ebitda_tested", unit)
    share = sheet.step("cross_right", "level * tested_debt", unit)
    met = compare(earnings, covenant.comparator, share)
    said = (
        f"Earnings are {amount(earnings, unit)} against the level times debt of {amount(share, unit)}: read by its words the "
        f"test is {'met' if met else 'not met'}. With earnings of zero or less that reading is for a person to confirm."
    )
    sheet.say("review_ebitda_non_positive", said)
    nothing = Missing(reason="Earnings are zero or negative, so that no ratio is made.", code="review_ebitda_non_positive")
    return Tested(nothing, nothing)
