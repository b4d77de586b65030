"""From a covenant and a certificate to an exact ratio and its comparison, or to what must be asked."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from conformed.language.amounts import Convention
from conformed.language.definitions import DefinitionTerms, RoundingTerms, read_definitions
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.codes import sentence_of
from conformed.model.covenant import Comparator, Covenant, Unit
from conformed.model.decision import Reason
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.conversion import convert_lines
from conformed.rules.calculation.cures import cure_of
from conformed.rules.calculation.earnings import earnings_of
from conformed.rules.calculation.inputs import choose_certificate, debt_of, net_cash
from conformed.rules.calculation.lines import check_lines
from conformed.rules.calculation.periods import twelve_months
from conformed.rules.calculation.tested import Tested, against_level
from conformed.rules.calculation.worksheet import Worksheet

__all__ = ["Calculated", "CaseFacts", "calculate"]

_CONVERTED = re.compile(r"_in_[a-z]{3}$")
_LEASES_EVERYWHERE = datetime.date(2022, 12, 31)
"""By then the lease standards (IFRS 16, ASC 842) applied to all accounts: an agreement made later starts from them."""
_BARE = re.compile(r"(?:(?:maximum|consolidated|adjusted|permitted|the)\s+)*(?:leverage|gearing)(?:\s+ratio)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What the calculation needs besides covenant and certificate.

    Attributes:
        test_date: the day on which the ratio is struck.
        home: what a bare ``$`` means in the agreement.
        convention: how the agreement writes its numbers.
        rounding: the agreement's rounding clause, where it has one.
        alert_headroom: the institution's own alert level, exact, in turns of the ratio; None for none.
        terms: what the definitions say, where already read; otherwise read from the covenant's definitions.
        agreement: what clauses beside the definitions say.
        paid_in: the amount of a cure that papers beside the certificate show.
        formulas: formulas that the contract declares, by metric, over the names of ``conformed.rules.calculation.formula.NAMES``.
    """

    test_date: datetime.date
    home: str = "XXX"
    convention: Convention | None = Convention.POINT
    rounding: RoundingTerms | None = None
    alert_headroom: Fraction | None = None
    terms: DefinitionTerms | None = None
    agreement: AgreementTerms = field(default_factory=AgreementTerms)
    paid_in: Figure | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)


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
    """Works out a leverage ratio, or one whose formula is declared, from a certificate and compares it with the level.

    Args:
        covenant: the governing covenant, with the definitions in force on the test date.
        certificates: certificates of the pack, as read.
        facts: test date and habits of the agreement.
    """
    certificate = choose_certificate(certificates, facts.test_date)
    if isinstance(certificate, Missing):
        return _without(certificate, certificate)
    formula = facts.formulas.get(covenant.metric, "")
    if covenant.limit.unit is not Unit.RATIO or ("leverage" not in covenant.metric and not formula):
        reason = f"{covenant.name} is not a leverage ratio and no formula is declared for it: its level is shown and its figure is not calculated."
        return _without(Missing(reason=reason), certificate)
    sheet = Worksheet(certificate)
    terms = _terms(covenant, facts)
    _gate(sheet, covenant, terms, facts)
    twelve_months(sheet, terms, facts.test_date, facts.agreement.closing)
    rates = convert_lines(sheet, (*terms.conversions, *facts.agreement.conversions), facts.test_date)
    debt, earnings = debt_of(sheet, covenant.metric), earnings_of(sheet, terms)
    cash = net_cash(sheet, terms, rates, earnings)
    _frozen(sheet, facts.agreement)
    currency = _currency(sheet)
    if debt is None or earnings is None or (terms.netting != "none" and cash is None):
        nothing = Missing(reason="An input of the ratio is missing.", code="review_input_missing")
        return _close(sheet, covenant, facts, Tested(nothing, nothing), currency)
    sheet.step("tested_debt", f"{debt} - {cash}" if cash else debt, currency or "")
    sheet.step("ebitda_tested", earnings, currency or "")
    names = {"debt": debt, "earnings": "ebitda_tested", **({"cash": cash} if cash else {})}
    if "interest" in formula and (interest := sheet.take("interest")) is not None:
        names["interest"] = interest.name
    tested = against_level(sheet, covenant, terms, names, facts.alert_headroom, formula, facts.agreement.written)
    done = _close(sheet, covenant, facts, tested, currency)
    deemed = sheet.values()["ebitda_tested"] <= 0 and terms.non_positive == "breach"
    return _breach(done) if deemed and not sheet.stops() else done


def _terms(covenant: Covenant, facts: CaseFacts) -> DefinitionTerms:
    """What the definitions say, completed by clauses beside them."""
    root = f"{covenant.name}; {covenant.numerator}; {covenant.denominator}"
    terms = facts.terms or read_definitions(covenant.definitions, root=root, convention=facts.convention, home=facts.home)
    rounding = terms.rounding or facts.rounding or facts.agreement.rounding
    non_positive = terms.non_positive if terms.non_positive != "silent" else facts.agreement.non_positive
    return terms.model_copy(update={"rounding": rounding, "non_positive": non_positive})


def _without(calculation: Missing, certificate: Certificate | Missing) -> Calculated:
    reason = Reason(code=calculation.code, sentence=calculation.reason, subject="calculation")
    return Calculated("review", calculation, certificate, (reason,))


def _gate(sheet: Worksheet, covenant: Covenant, terms: DefinitionTerms, facts: CaseFacts) -> None:
    """What stops a calculation whatever its figures are."""
    certificate = sheet.certificate
    judged = any(figure.months for figure in certificate.figures)  # periods are told apart, and judged line by line
    for doubt in (*certificate.doubts, *terms.doubts, *facts.agreement.doubts):
        if not (judged and doubt.code == "review_period_incomplete" and doubt in certificate.doubts):
            sheet.say(doubt.code, doubt.sentence, spans=doubt.spans)
    if certificate.signed is not True:
        sheet.say("review_certificate_unsigned", f"No signature could be read on {certificate.document}.")
    if certificate.test_date is None:
        said = f"{certificate.document} does not say for which test date it is, {facts.test_date.isoformat()} was asked."
        sheet.say("review_period_mismatch", said)
    for term, what in ((terms.ebitda_term, "earnings"), (terms.debt_term, "debt")):
        if not term:
            sheet.say("review_input_missing", f"The definition of {what} that {covenant.name} uses is not in the pack.")
    if not terms.debt_term and not covenant.numerator and _BARE.fullmatch(covenant.name):
        said = f"{covenant.name} is defined nowhere in the pack, so that it may be net or gross."
        sheet.say("review_metric_ambiguous", said)
    if "net_" in covenant.metric and terms.netting == "none":
        sheet.say("review_input_missing", f"{covenant.name} is a net ratio and no definition says which cash is netted.")


def _frozen(sheet: Worksheet, agreement: AgreementTerms) -> None:
    """Accounting that the covenant keeps: a change is reconciled on both sides of the ratio, or a person is asked (P43)."""
    frozen, certificate = agreement.frozen, sheet.certificate
    sides = {"debt": sheet.group("recon_debt"), "earnings": sheet.group("recon_earnings")}
    if frozen is None:
        lines = [line for found in sides.values() for line in found]
        if lines:
            said = "The certificate takes an accounting change out, and no clause that keeps the earlier accounting was found."
            sheet.say("review_accounting_change_unreconciled", said, lines)
        return
    closed = agreement.closing
    known_before = certificate.accounting == "leases" and closed is not None and closed > _LEASES_EVERYWHERE
    if (not certificate.accounting or known_before) and not any(sides.values()):
        return
    absent = [side for side, lines in sides.items() if not lines]
    kept = certificate.accounting == "frozen" and "reconciliation" in certificate.supports
    if len(absent) == 2 and not kept:
        said = (
            f"The accounting has changed and the covenant keeps the earlier one; nothing reconciles {' and '.join(absent)} to it."
        )
        sheet.say("review_accounting_change_unreconciled", said, spans=frozen.spans)
    elif len(absent) == 1:
        said = f"The certificate reconciles one side of the ratio to the earlier accounting and not {absent[0]}: half a freeze is none."
        sheet.say("review_accounting_change_unreconciled", said, spans=frozen.spans)
    else:
        sheet.say("finding_accounting_basis_frozen", spans=frozen.spans)


def _currency(sheet: Worksheet) -> str | None:
    made = {
        name for step in sheet.steps if _CONVERTED.search(step.name) for name in sheet.figures if name in step.expression.split()
    }
    used = [f for f in sheet.figures.values() if f.currency and f.value != 0 and f.name not in made]  # nil has no currency
    codes = sorted({figure.currency for figure in used if figure.currency})
    if len(codes) > 1:
        said = f"Inputs are in {' and '.join(codes)}, and no rate is fixed by the agreement and shown by the certificate."
        sheet.say("review_currency_mismatch", said, used)
        return None
    return codes[0] if codes else None


def _close(sheet: Worksheet, covenant: Covenant, facts: CaseFacts, tested: Tested, currency: str | None) -> Calculated:
    comparison, room = tested.comparison, tested.room
    met = comparison.met if isinstance(comparison, Comparison) else None
    maximum = covenant.comparator in (Comparator.LE, Comparator.LT)
    cure = (
        cure_of(sheet, facts.agreement.cure, covenant.comparator, currency, facts.paid_in) if met is False and maximum else None
    )
    lines = check_lines(sheet, covenant.metric, currency)
    if not sheet.stops() and met is not None:
        code = "accept_calculation_complete"
        sheet.reasons.insert(0, Reason(code=code, sentence=sentence_of(code), subject="calculation"))
    calculation = Calculation(
        figures=tuple(sheet.figures.values()),
        steps=tuple(sheet.steps),
        ratio=tested.ratio,
        comparison=comparison,
        headroom_debt=room.debt if room else None,
        headroom_ebitda=room.earnings if room else None,
        currency=currency,
        lines=lines,
        cure=cure,
        codes=sheet.codes(),
    )
    result = "review" if sheet.stops() or met is None else "pass" if met else "breach"
    return Calculated(result, calculation, sheet.certificate, tuple(sheet.reasons))


def _breach(done: Calculated) -> Calculated:
    """Earnings that are not positive, where the agreement says that the level is then deemed exceeded (CA-40)."""
    return Calculated("breach", done.calculation, done.certificate, done.reasons)
