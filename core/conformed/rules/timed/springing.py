"""The trigger of a springing covenant as a calculation: how much of the facility is used, by the trigger's own words (4.3)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, read_amount
from conformed.language.trigger import letters_counted, part_of
from conformed.language.use_of_facility import LETTERS, Use, line_part, read_use
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Figure
from conformed.model.covenant import Trigger
from conformed.model.decision import Reason
from conformed.rules.calculation.compare import compare, compare_shown
from conformed.rules.calculation.worksheet import Worksheet

__all__ = ["Utilisation", "utilisation_of"]

_CLOSING = "closing_draws"
_WORDS = {
    "revolver": "revolving loans",
    "drawn_lc": "drawn letters of credit",
    "undrawn_lc": "undrawn letters of credit",
    "cash_covered_lc": "letters of credit that are covered by cash",
    "swingline": "swingline loans",
    "commitments": "commitments",
    "closing_draws": "drawings of the closing date",
    "utilised": "the use of the facility",
}
_TOTALS = ("utilised", "utilized", "utilisation_amount")


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Whether a covenant is tested on a date.

    Attributes:
        met: whether the trigger is met, so that the covenant is tested; None where that cannot be worked out.
        calculation: the trace; its comparison is of the trigger: ``met`` in it says whether the covenant is tested.
        reasons: ``not_tested_trigger_unmet``, or what is missing.
    """

    met: bool | None
    calculation: Calculation | Missing
    reasons: tuple[Reason, ...]


def utilisation_of(
    trigger: Trigger, given: Mapping[str, str], certificates: Iterable[Certificate], day: dt.date, home: str = "XXX"
) -> Utilisation:
    """Works out the use of a facility and compares it with the trigger's share, equality by the trigger's own words.

    Args:
        trigger: what is used, of what, beyond which share.
        given: facts of the person by name (``revolver``, ``drawn_lc``, ``undrawn_lc``, ``cash_covered_lc``, ``swingline``,
            ``commitments``; ``utilised`` for the whole upper term), whole units.
        certificates: papers whose lines may show the same parts for the test date.
        day: the test date.
        home: what a bare ``$`` means.
    """
    sheet = Worksheet(Certificate(document="", test_date=day))
    use = read_use(trigger.numerator) or _by_letters(trigger.numerator)
    known = _facts(sheet, given, home)
    shown = _lines(certificates, day, use, trigger)
    for part, figure in shown.items():
        mine = known.setdefault(part, figure)
        if mine.value != figure.value:
            sheet.say("review_input_conflict", f"The fact given for {_WORDS[part]} and the certificate differ.", (figure,))
    if "share" in known and not sheet.stops():
        return _against(sheet, trigger, sheet.use(known["share"]).name, None, day)
    if "commitments" not in known or known["commitments"].value <= 0:
        sheet.say(
            "review_trigger_evidence_missing",
            f"Nothing shows the {trigger.denominator} on {day.isoformat()}.",
            spans=trigger.spans,
        )
    counted = ("utilised",) if "utilised" in known else use.counted
    if "utilised" in known:
        use = Use(("utilised",))
    names = [p for p in counted if p in known]
    absent = [p for p in counted if p not in known]
    if "commitments" not in known or known["commitments"].value <= 0 or not names:
        if absent:
            sheet.say("review_trigger_evidence_missing", _nothing_shows(absent), spans=trigger.spans)
        return _missing(sheet)
    for name in (*names, "commitments"):
        sheet.use(known[name])
    unit = known["commitments"].currency or ""
    if len({known[n].currency for n in (*names, "commitments") if known[n].value and known[n].currency}) > 1:
        sheet.say("review_currency_mismatch", "Use and commitments are in different currencies.")
        return _missing(sheet)
    sheet.step("utilised_amount", _sum(sheet, use, names, known), unit)
    return _against(sheet, trigger, "utilised_amount / commitments", unit, day, _Bounds(use, known, tuple(absent)))


def _by_letters(numerator: str) -> Use:
    """The parts of words that were not read whole: what facts of a person are held against."""
    letters, swing = letters_counted(numerator)
    counted = ("revolver", *(["swingline"] if swing else []), *(p for p in LETTERS if letters[p]))
    return Use(counted, tuple(p for p in LETTERS if letters[p] is None))


def _sum(sheet: Worksheet, use: Use, names: list[str], known: Mapping[str, Figure]) -> str:
    """The upper term as an expression: parts left out up to an amount count beyond it, drawings left out are taken off."""
    terms = []
    limits = dict(use.up_to)
    for name in names:
        if name in limits:
            most = Figure(name=f"{name}_left_out", label=f"{_WORDS[name]} that are left out, at most", value=limits[name], raw="")
            sheet.use(most)
            terms.append(f"max({name} - {most.name}, 0)")
        else:
            terms.append(name)
    total = " + ".join(terms)
    if use.closing and _CLOSING in known and "revolver" in names:
        sheet.use(known[_CLOSING])
        total += f" - {_CLOSING}"
    return total


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What may make the use more or less than what is shown."""

    use: Use
    known: Mapping[str, Figure]
    absent: tuple[str, ...]


def _nothing_shows(parts: Iterable[str]) -> str:
    return f"Nothing shows the amount of: {', '.join(_WORDS[part] for part in parts)}."


def _against(
    sheet: Worksheet, trigger: Trigger, expression: str, unit: str | None, day: dt.date, bounds: _Bounds | None = None
) -> Utilisation:
    """The use against the trigger's share."""
    sheet.use(Figure(name="level", label="share of the trigger", value=trigger.level, raw=trigger.raw, spans=trigger.spans))
    use = sheet.step("utilisation", expression)
    comparison, codes = compare_shown(use * 100, trigger.comparator, trigger.level * 100, "%")
    comparison = comparison.model_copy(
        update={"left": use, "right": trigger.level, "met": compare(use, trigger.comparator, trigger.level)}
    )
    if bounds is not None and comparison.met:
        _open_drawings(sheet, trigger, bounds, use)
    elif bounds is not None:  # more use would still meet it
        _open_parts(sheet, trigger, bounds, use)
    if sheet.stops():
        return _missing(sheet)
    for code in codes:
        sheet.say(code)
    if not comparison.met:
        said = f"Use of {comparison.shown_left} does not meet the trigger ({trigger.raw}): the covenant is not tested on {day.isoformat()}."
        shown = tuple(figure.spans[0] for figure in sheet.figures.values() if figure.spans and figure.name != "level")
        sheet.say("not_tested_trigger_unmet", said, spans=(*trigger.spans, *shown))
    calculation = Calculation(
        figures=tuple(sheet.figures.values()),
        steps=tuple(sheet.steps),
        ratio=use,
        comparison=comparison,
        currency=unit or None,
        codes=sheet.codes(),
    )
    return Utilisation(comparison.met, calculation, tuple(sheet.reasons))


def _missing(sheet: Worksheet) -> Utilisation:
    first = next(r for r in sheet.reasons if r.code.startswith("review_"))
    return Utilisation(None, Missing(reason=first.sentence, code=first.code), tuple(sheet.reasons))


def _facts(sheet: Worksheet, given: Mapping[str, str], home: str) -> dict[str, Figure]:
    """Facts that a person gave, by part; one that is no amount is asked about."""
    found: dict[str, Figure] = {}
    for name, text in sorted(given.items()):
        part = "utilised" if name.lower() in _TOTALS else part_of(name)
        share = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*(?:%|per\s?cent\.?)\s*", text)
        if (
            share is not None
            and part != "utilised"
            and re.search(r"utili[sz]|usage|\buse\b", name.replace("_", " "), re.IGNORECASE)
        ):
            found["share"] = Figure(name="share", label=f"fact given: {name}", value=Fraction(share[1]) / 100, raw=text)
            continue
        if part is None:
            continue
        amount = read_amount(text, convention=Convention.POINT, home=home)
        if not isinstance(amount, Amount) or amount.value < 0:
            why = amount.reason if isinstance(amount, Missing) else f"{text!r} is below zero."
            sheet.say("review_trigger_evidence_missing", f"The fact {name} is no amount: {why}")
        elif part in found and found[part].value != amount.value:
            sheet.say("review_input_conflict", f"Two facts give {_WORDS.get(part, 'the use')} with different values.")
        else:
            found[part] = Figure(name=part, label=f"fact given: {name}", value=amount.value, currency=amount.currency, raw=text)
    return found


def _lines(certificates: Iterable[Certificate], day: dt.date, use: Use, trigger: Trigger) -> dict[str, Figure]:
    """Lines of certificates for the date that show parts of the use; a part that they show in two ways is left out."""
    found: dict[str, Figure] = {}
    clash: set[str] = set()
    named = re.search(r"revolv|\brcf\b", f"{trigger.numerator} {trigger.denominator}", re.IGNORECASE) is not None
    for certificate in certificates:
        for figure in certificate.figures if certificate.test_date == day and certificate.signed else ():
            part = line_part(figure.label, use, named=named) if figure.currency is not None and figure.value >= 0 else None
            if part is None or figure.months is not None or figure.as_of not in {None, day}:
                continue
            if part in found and found[part].value != figure.value:
                clash.add(part)
            found.setdefault(part, figure.model_copy(update={"name": part}))
    return {part: figure for part, figure in found.items() if part not in clash}


def _open_drawings(sheet: Worksheet, trigger: Trigger, bounds: _Bounds, use: Fraction) -> None:
    """Drawings that the words leave out and nothing shows: a question where they may take the use under the trigger."""
    if not bounds.use.closing or "closing_draws" in bounds.known or "revolver" not in bounds.known:
        return
    least = use - bounds.known["revolver"].value / bounds.known["commitments"].value
    if compare(least, trigger.comparator, trigger.level):
        sheet.say("finding_reading_immaterial", "Drawings of the closing date, which the trigger leaves out, change nothing.")
    else:
        said = f"{_nothing_shows(['closing_draws'])} The trigger leaves them out, and the answer may depend on it."
        sheet.say("review_trigger_evidence_missing", said, spans=trigger.spans)


def _open_parts(sheet: Worksheet, trigger: Trigger, bounds: _Bounds, use: Fraction) -> None:
    """Parts that nothing shows, or on which the words are silent: a question where counting them would, or may, change the answer."""
    if bounds.absent:
        sheet.say("review_trigger_evidence_missing", _nothing_shows(bounds.absent), spans=trigger.spans)
    silent, known = bounds.use.silent, bounds.known
    extra = sum((known[part].value for part in silent if part in known), Fraction(0))
    most = use + extra / known["commitments"].value
    unknown = [part for part in silent if part not in known and part != "cash_covered_lc"]
    if compare(most, trigger.comparator, trigger.level) or unknown:
        words = " or ".join(_WORDS[part] for part in silent)
        said = f"The trigger does not say whether {words} count, and the answer may depend on it."
        sheet.say("review_trigger_evidence_missing", said, spans=trigger.spans)
    elif extra:
        sheet.say("finding_reading_immaterial", "Letters of credit on which the trigger is silent change nothing.")
