"""Runs whose drafts the banks of claims word: eight records, each with the claims that the product makes of it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate
from conformed.model.claim import Claim
from conformed.model.covenant import Comparator, Covenant, Limit, Unit
from conformed.model.decision import Decision, DocumentSummary, Overlay, Reason, Result
from conformed.model.span import Span
from conformed.rules.calculation.compare import compare_shown
from conformed.rules.calculation.formula import run_steps
from conformed.rules.claims.claims import DecisionFacts, compose, facts_of

__all__ = ["RUNS", "Spoken"]


@dataclass(frozen=True)
class Spoken:
    """A run of which a sentence may speak."""

    claims: dict[str, Claim]
    """Claims by a short name: ``level``, ``ratio``, ``debt``, ``result``, ``overlay``, or a reason's code."""
    facts: DecisionFacts
    """Facts of the run."""


@dataclass(frozen=True)
class _Paper:
    """What the papers of one run say."""

    borrower: str
    name: str
    metric: str
    section: str
    comparator: Comparator
    level: str
    raw: str
    day: datetime.date
    currency: str
    debt: int = 0
    ebitda: int = 0
    result: Result | None = None
    overlay: Overlay = Overlay.NONE
    certificate: tuple[str, str] = ()  # type: ignore[assignment]
    reasons: tuple[tuple[str, str], ...] = ()
    documents: tuple[tuple[str, str, str], ...] = ()
    tested: str = ""
    unit: Unit = Unit.RATIO


def _span(document: str, words: str) -> Span:
    return Span(document=document, sha256="0" * 64, page=None, start=0, end=len(words), text=words)


def _decision(paper: _Paper) -> Decision:
    level = Fraction(paper.level)
    governing = paper.documents[-1][0] if paper.documents else "agreement.html"
    covenant = Covenant(
        name=paper.name,
        metric=paper.metric,
        section=paper.section,
        comparator=paper.comparator,
        document=governing,
        limit=Limit(unit=paper.unit, value=level, raw=paper.raw, places=2),
        spans=(_span(governing, paper.raw),),
    )
    calculation: Calculation | Missing = Missing(reason="no figures")
    result, codes = paper.result, ()
    if paper.debt:
        steps = run_steps(
            {"d": Fraction(paper.debt), "e": Fraction(paper.ebitda)},
            [
                ("tested_debt", "d", paper.currency),
                ("ebitda_tested", "e", paper.currency),
                ("ratio", "tested_debt / ebitda_tested", "x"),
            ],
        )
        ratio = Fraction(paper.debt, paper.ebitda)
        if paper.tested:
            steps = (*steps, steps[-1].model_copy(update={"name": "tested", "value": Fraction(paper.tested)}))
        comparison, codes = compare_shown(Fraction(paper.tested) if paper.tested else ratio, paper.comparator, level)
        result = Result.PASS if comparison.met else Result.BREACH
        calculation = Calculation(
            figures=(),
            steps=steps,
            ratio=ratio,
            comparison=comparison,
            headroom_debt=level * paper.ebitda - paper.debt,
            headroom_ebitda=1 - ratio / level,
            currency=paper.currency,
            codes=codes,
        )
    certificate: Certificate | Missing = Missing(reason="none")
    if paper.certificate:
        ratio_said, level_said = paper.certificate
        certificate = Certificate(
            document="certificate.pdf",
            test_date=paper.day,
            states_ratio=Fraction(ratio_said),
            states_level=Fraction(level_said),
            signed=True,
            spans={"ratio": (_span("certificate.pdf", ratio_said),), "level": (_span("certificate.pdf", level_said),)},
        )
    assert result is not None
    reasons = tuple(Reason(code=code, sentence=sentence) for code, sentence in paper.reasons)
    return Decision(
        run="run-1",
        pack="p",
        pack_digest="d" * 64,
        borrower=paper.borrower,
        test_date=paper.day,
        known_at=datetime.date(2025, 3, 1),
        contract="covenant 1",
        contract_digest="0" * 64,
        result=result,
        overlay=paper.overlay,
        covenant=covenant if result in (Result.PASS, Result.BREACH) else Missing(reason="see the reasons"),
        certificate=certificate,
        calculation=calculation,
        reasons=tuple(r for r in reasons if not r.code.startswith("finding")),
        findings=(
            *(r for r in reasons if r.code.startswith("finding")),
            *(Reason(code=c, sentence="More places are shown.") for c in codes),
        ),
        draft=Missing(reason="-"),
        documents=tuple(
            DocumentSummary(name=file, sha256="0" * 64, kind=kind, title=title) for file, kind, title in paper.documents
        ),
    )


_SHORT = {
    "tested debt": "debt",
    "EBITDA": "ebitda",
    "debt headroom": "headroom",
    "EBITDA headroom": "cushion",
    "certificate ratio": "their_ratio",
    "certificate level": "their_level",
    "tested figure": "tested",
    "result": "result",
    "overlay": "overlay",
}


def _short(claim: Claim, metric: str) -> str:
    if claim.kind.value == "open_point":
        return f"open:{claim.subject}"
    if claim.subject == metric:
        return "level" if claim.kind.value == "fact" else "ratio"
    return _SHORT.get(claim.subject, claim.subject)


def _spoken(paper: _Paper) -> Spoken:
    decision = _decision(paper)
    return Spoken({_short(claim, paper.name): claim for claim in compose(decision)}, facts_of(decision))


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


_AMENDED = ("accept_amended_provision", "Level stated in an effective instrument that replaced the provision or definition.")
_COMPLETE = ("accept_calculation_complete", "Every input cited, unit-checked and reconciled; ratio is exact.")
_ROW = ("accept_schedule_row", "Level read from the one row of the schedule that covers the test date.")
_WAIVER = ("reject_waiver_not_amendment", "Waiver excuses an instance; it does not change the level.")
_DEFINITION = ("accept_definition_version", "Version of a definition in force on the test date identified.")
_US = (
    ("agreement.html", "credit_agreement", "Credit Agreement"),
    ("amend1.pdf", "amendment", "Amendment No. 1"),
    ("waiver.docx", "waiver", "Limited Waiver"),
    ("amend2.html", "amendment", "Amendment No. 2"),
)
_UK = (
    ("facilities.pdf", "facility_agreement", "Facilities Agreement"),
    ("letter.docx", "amendment", "Amendment Letter"),
)

_PAPERS = {
    "us": _Paper(
        "Alder Creek Holdings, Inc.", "Consolidated Net Leverage Ratio", "net_leverage", "7.11(a)", Comparator.LE, "4.75", "4.75 to 1.00",
        _day("2024-09-30"), "USD", 537_500_000, 125_000_000, certificate=("4.30", "4.75"),
        reasons=(_AMENDED, _DEFINITION, _ROW, _COMPLETE, _WAIVER), documents=_US,
    ),
    "uk": _Paper(
        "Thornbury Mills plc", "Leverage", "net_leverage", "22.2(a)", Comparator.LE, "3.50", "3.50:1",
        _day("2024-06-30"), "GBP", 158_400_000, 44_000_000, certificate=("3.50", "3.75"),
        reasons=(
            ("accept_substituted_text", "Find-and-replace instruction applied to the one matching place in the text in force."), _COMPLETE,
            ("finding_certificate_uses_wrong_level", "The certificate tests against 3.75:1; the level in force is 3.50:1."),
            ("finding_certificate_ratio_differs", "The certificate states 3.50:1; recalculated, the ratio is 3.60x."),
        ),
        documents=_UK,
    ),
    "cover": _Paper(
        "Aster Foods Limited", "Interest Cover", "interest_cover", "21.3", Comparator.GE, "3.00", "3.00:1",
        _day("2023-12-31"), "EUR", 70_000_000, 25_000_000, overlay=Overlay.WAIVED,
        reasons=(("accept_base_statement", "Level stated in the agreement and not changed since."), _COMPLETE,
                 ("accept_waiver_overlay", "An effective waiver covers the test date; the result stands beside it.")),
        documents=(("agreement.pdf", "facility_agreement", "Facility Agreement"),),
    ),
    "strict": _Paper(
        "Pike Tooling LLC", "First Lien Net Leverage Ratio", "first_lien_net_leverage", "6.10", Comparator.LT, "4.00", "4.00 to 1.00",
        _day("2025-03-31"), "USD", 199_750_000, 50_000_000, overlay=Overlay.NONE,
        reasons=(("accept_temporary_level", "A temporary level covers the test date."), _COMPLETE),
        documents=_US[:2],
    ),
    "cured": _Paper(
        "Birch Rail Limited", "Senior Leverage", "senior_leverage", "20.2", Comparator.LE, "2.75", "2.75:1",
        _day("2024-03-31"), "GBP", 57_500_000, 20_000_000, overlay=Overlay.CURED,
        reasons=(("accept_base_statement", "Level stated in the agreement and not changed since."), _COMPLETE,
                 ("accept_cure_applied", "A cure amount paid in time counts for the test date.")),
        documents=(("agreement.pdf", "facility_agreement", "Facility Agreement"),),
    ),
    "near": _Paper(
        "Harbour Mills plc", "Net Leverage", "net_leverage", "7.11(a)", Comparator.LE, "3.50", "3.50 to 1.00",
        _day("2024-12-31"), "USD", 349_990_000, 100_000_000,
        reasons=(_COMPLETE,), documents=(("agreement.pdf", "credit_agreement", "Credit Agreement"),),
    ),
    "charge": _Paper(
        "Quarry Lane Stores LLC", "Fixed Charge Coverage Ratio", "fixed_charge_cover", "6.12(b)", Comparator.GE, "1.10", "1.10 to 1.00",
        _day("2025-06-30"), "USD", 54_000_000, 40_000_000, certificate=("1.35", "1.10"),
        reasons=(_COMPLETE,), documents=_US,
    ),
    "even": _Paper(
        "Marsh End Group plc", "Total Leverage Ratio", "total_leverage", "23.1", Comparator.LE, "4.50", "4.50:1",
        _day("2025-12-31"), "EUR", 225_000_000, 50_000_000,
        reasons=(_COMPLETE,), documents=_UK,
    ),
    "elected": _Paper(
        "Cobalt Freight Corp.", "Secured Net Leverage Ratio", "secured_net_leverage", "6.11", Comparator.LE, "4.00", "4.00 to 1.00",
        _day("2025-03-31"), "USD", 154_000_000, 40_000_000, certificate=("3.80", "4.00"),
        reasons=(("accept_elected_increase", "An elected increase covers the test date."), _COMPLETE,
                 ("finding_certificate_ratio_differs", "The certificate states 3.80:1; recalculated, the ratio is 3.85x.")),
        documents=_US,
    ),
    "rounded": _Paper(
        "Willow Dairy Limited", "Net Leverage", "net_leverage", "20.2(c)", Comparator.LE, "3.50", "3.50:1",
        _day("2024-09-30"), "GBP", 35_040_000, 10_000_000, tested="3.50",
        reasons=(_COMPLETE,), documents=_UK,
    ),
    "rested": _Paper(
        "Tarn Valley, Inc.", "Total Net Leverage Ratio", "net_leverage", "7.09(a)", Comparator.LE, "4.25", "4.25 to 1.00",
        _day("2024-09-30"), "USD", result=Result.NOT_TESTED,
        reasons=(("not_tested_suspended", "Testing suspended or replaced for the test date by an effective instrument."), _WAIVER,
                 ("finding_other_test_in_force", "Another test, of liquidity, applies in the relief period and is outside this run.")),
        documents=_US,
    ),
    "open": _Paper(
        "Harrow Gate, Inc.", "Total Net Leverage Ratio", "net_leverage", "7.09(a)", Comparator.LE, "4.25", "4.25 to 1.00",
        _day("2024-06-30"), "USD", result=Result.REVIEW,
        reasons=(("review_cp_evidence_missing", "Effectiveness needs conditions and the pack lacks evidence they were met."),
                 ("review_unsigned_instrument", "The instrument would change the covenant and bears no signature.")),
        documents=_US,
    ),
}  # fmt: skip

RUNS = {name: _spoken(paper) for name, paper in _PAPERS.items()}
