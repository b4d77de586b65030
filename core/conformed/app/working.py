"""From covenant and certificates to figures and to what stands beside them: the rules of a run, bound to its case."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from conformed.engine.slots import Calculated
from conformed.model.base import Missing
from conformed.model.calculation import Certificate
from conformed.model.covenant import Covenant
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.rules.beside.beside import overlaid, paid_in
from conformed.rules.beside.papers import known_certificates, papers_of
from conformed.rules.calculation.agreement_terms import AgreementTerms, agreement_terms
from conformed.rules.calculation.calculate import CaseFacts, calculate
from conformed.rules.precedence.precedence import decide

__all__ = ["calculated", "governing"]


@dataclass(frozen=True)
class _Working:
    """A case with what its figures are worked by."""

    case: CaseFile
    extraction: Extraction
    alert: Fraction | None
    formulas: Mapping[str, str] | None

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        return known_certificates(self.case, self.extraction.certificates)

    def facts(self, agreement: AgreementTerms) -> CaseFacts:
        day = self.case.question.test_date
        return CaseFacts(day, _home(self.case), alert_headroom=self.alert, agreement=agreement, formulas=self.formulas or {})

    def met(self, then: Effective) -> bool | None:
        """Whether the figures of the test date meet a covenant; None where anything is open."""
        if then.result != "determined" or not isinstance(then.covenant, Covenant) or not self.certificates:
            return None
        found = calculate(then.covenant, self.certificates, self.facts(agreement_terms(self.case)))
        return {"pass": True, "breach": False}.get(found.result)

    def met_on(self, day: dt.date) -> bool | None:
        """Whether the covenant in force on another test date was met on its own figures."""
        asked = self.case.model_copy(update={"question": self.case.question.model_copy(update={"test_date": day})})
        return replace(self, case=asked).met(decide(asked, self.extraction))


def governing(
    extraction: Extraction, case: CaseFile, alert: Fraction | None, formulas: Mapping[str, str] | None = None
) -> Effective:
    """What precedence gives where the figures are known: a change that reaches back may turn on them (rule book 3.2, as_of)."""
    return decide(case, extraction, _Working(case, extraction, alert, formulas).met)


def calculated(
    effective: Effective,
    extraction: Extraction,
    case: CaseFile,
    alert: Fraction | None,
    formulas: Mapping[str, str] | None = None,
) -> Calculated:
    """The calculation against the governing covenant, and what stands beside it.

    Where readings remain open there is the ratio alone, compared with none of them.
    """
    working, agreement = _Working(case, extraction, alert, formulas), agreement_terms(case)
    papers = papers_of(case, working.certificates, agreement, working.met_on)
    facts = replace(working.facts(agreement), paid_in=paid_in(papers.uses, case.question.test_date))
    done = _against(effective, working.certificates, facts)
    codes = [reason.code for reason in done.reasons]
    return done.model_copy(update={"beside": overlaid(effective, done.calculation, codes, papers)})


def _against(effective: Effective, certificates: tuple[Certificate, ...], facts: CaseFacts) -> Calculated:
    if isinstance(effective.covenant, Covenant):
        found = calculate(effective.covenant, certificates, facts)
        return Calculated(calculation=found.calculation, certificate=found.certificate, reasons=found.reasons)
    open_level = Missing(reason="No one covenant governs, so that nothing is compared.", code=effective.covenant.code)
    certificate = certificates[0] if len(certificates) == 1 else open_level
    same = {(c.metric, c.name) for c in effective.candidates}
    if effective.result != "review" or len(same) != 1:
        return Calculated(calculation=open_level, certificate=certificate)
    candidate = effective.candidates[0].model_copy(update={"definitions": effective.definitions})
    found = calculate(candidate, certificates, facts)
    reasons = tuple(r for r in found.reasons if r.code.startswith("review"))
    if isinstance(found.calculation, Missing):
        return Calculated(calculation=found.calculation, certificate=found.certificate, reasons=reasons)
    against = {"level", "headroom_debt", "headroom_ebitda", "carried", "tested", "cross_right"}
    ratio_only = found.calculation.model_copy(update={
        "figures": tuple(f for f in found.calculation.figures if f.name not in {"level", "cure_paid"}),
        "steps": tuple(s for s in found.calculation.steps if s.name not in against),
        "comparison": open_level, "headroom_debt": None, "headroom_ebitda": None, "codes": (), "cure": None,
    })  # fmt: skip
    return Calculated(calculation=ratio_only, certificate=found.certificate, reasons=reasons)


def _home(case: CaseFile) -> str:
    """What a bare ``$`` means: US dollars, unless the papers speak of another dollar."""
    other = any(
        mark in d.text
        for d in case.documents
        for mark in (
            "C$",
            "CDN$",
            "A$",
            "HK$",
            "Canadian Dollars",
            "Australian Dollars",
            "Canadian dollars",
            "Australian dollars",
        )
    )
    return "XXX" if other else "USD"
