"""The template drafter: every sentence that it writes passes the product's own checks, for every kind of result."""

from __future__ import annotations

import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.definitions import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Figure
from conformed.model.claim import ClaimKind
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.model.decision import Decision, Overlay, Reason, Result
from conformed.model.span import Span
from conformed.ports import Drafter, DraftRequest
from conformed.rules.calculation.calculate import CaseFacts, calculate
from conformed.rules.calculation.compare import compare_shown, headroom
from conformed.rules.calculation.formula import run_steps
from conformed.rules.claims.claims import check_draft, compose, facts_of
from conformed_plugins.drafters.templates import VERSION, TemplateDrafter

SENTENCE = "The Company shall ensure that Adjusted Leverage is tested against 3.25 to 1.00"


def decision(
    debt: Fraction, ebitda: Fraction, comparator: Comparator = Comparator.LE, section: str = "22.2(b)", **more: object
) -> Decision:
    """A record with a ratio of its own against 3.25."""
    place = Span(document="facility.html", sha256="0" * 64, page=None, start=0, end=len(SENTENCE), text=SENTENCE)
    level = Fraction("3.25")
    covenant = Covenant(
        name="Adjusted Leverage",
        metric="total_leverage",
        section=section,
        comparator=comparator,
        document="facility.html",
        limit=Limit(unit=Unit.RATIO, value=level, raw="3.25 to 1.00", places=2),
        spans=(place,),
    )
    steps = run_steps(
        {"d": debt, "e": ebitda}, [("tested_debt", "d", "GBP"), ("ebitda_tested", "e", "GBP"), ("ratio", "d / e", "x")]
    )
    comparison, codes = compare_shown(debt / ebitda, comparator, level)
    room = headroom(debt, ebitda, level)
    calculation = Calculation(
        figures=(),
        steps=steps,
        ratio=debt / ebitda,
        comparison=comparison,
        headroom_debt=room.debt,
        headroom_ebitda=room.earnings,
        currency="GBP",
        codes=codes,
    )
    result = Result.PASS if comparison.met else Result.BREACH
    fields: dict[str, object] = {
        "run": "r",
        "pack": "p",
        "pack_digest": "0" * 64,
        "borrower": None,
        "test_date": datetime.date(2024, 6, 30),
        "known_at": datetime.date(2024, 9, 1),
        "contract": "c 1",
        "contract_digest": "0" * 64,
        "result": result,
        "overlay": Overlay.NONE,
        "covenant": covenant,
        "certificate": Certificate(
            document="certificate.pdf",
            states_ratio=Fraction("3.1"),
            states_level=level,
            spans={"ratio": (place,), "level": (place,)},
        ),
        "calculation": calculation,
        "reasons": (Reason(code="accept_calculation_complete", sentence="Every input is cited and reconciled."),),
        "findings": tuple(Reason(code=code, sentence="At two places the ratio would look equal to the level.") for code in codes),
        "draft": Missing(reason="-"),
    }
    return Decision(**{**fields, **more})  # type: ignore[arg-type]


def refused(record: Decision) -> list[tuple[str, str]]:
    """Sentences of the draft that a check refuses, with the code."""
    claims = compose(record)
    (draft,) = TemplateDrafter().draft(DraftRequest(run=record.run, pack_digest=record.pack_digest, claims=claims))
    # Why the level was found, and what was set aside, is left to the record; all else is said.
    quiet = {c.id for c in claims if c.kind is ClaimKind.REASON and all(x.startswith(("accept_", "reject_")) for x in c.cites)}
    assert {s for sentence in draft.sentences for s in sentence.claims} == {claim.id for claim in claims} - quiet
    return [
        (v.subject, v.code) for v in check_draft(draft, claims, lambda span: span.text, facts_of(record)) if v.outcome != "accept"
    ]


@given(
    st.integers(1, 10**10), st.integers(1, 10**9), st.sampled_from([Comparator.LE, Comparator.LT, Comparator.GE, Comparator.GT])
)
def test_any_ratio_is_worded_right(debt: int, ebitda: int, comparator: Comparator) -> None:
    """Whatever the figures, exact or endless, close to the level or far, each sentence passes."""
    assert refused(decision(Fraction(debt), Fraction(ebitda), comparator)) == []


@pytest.mark.parametrize("debt", ["325", "324.99999", "325.00001", "324.9999999999", "325.4", "0", "-10", "1/3"])
def test_at_the_boundary(debt: str) -> None:
    """At, just above and just below the level, with no debt and with net cash, the draft passes."""
    assert refused(decision(Fraction(debt) * 10**6, Fraction(100 * 10**6))) == []


@pytest.mark.parametrize("section", ["", "7.11", "22.2(b)(i)", "Schedule 3", "Article VII"])
def test_any_numbering(section: str) -> None:
    """Provisions with numbers, captions of schedules, or none are named as they are."""
    assert refused(decision(Fraction(3), Fraction(1), section=section)) == []


def test_a_review_explains_itself_and_asks() -> None:
    """Each review code is explained and asked about; a waiver that stands beside it is named."""
    reasons = (
        Reason(code="review_scale_unknown", sentence='The line "Total debt" stands under no statement of units.'),
        Reason(code="review_certificate_unsigned", sentence="No signature could be read on certificate.pdf."),
    )
    record = decision(
        Fraction(3), Fraction(1), result=Result.REVIEW, overlay=Overlay.WAIVED, reasons=reasons, calculation=Missing(reason="-")
    )
    assert refused(record) == []
    (draft,) = TemplateDrafter().draft(DraftRequest(run="r", pack_digest="0" * 64, claims=compose(record)))
    assert sum("Which document settles this?" in sentence.text for sentence in draft.sentences) == 2


def test_not_tested_without_a_covenant() -> None:
    """A run without covenant or figures still says its result and why."""
    reasons = (Reason(code="not_tested_suspended", sentence="Testing is suspended for the test date."),)
    nothing = Missing(reason="-")
    assert (
        refused(
            decision(
                Fraction(3),
                Fraction(1),
                result=Result.NOT_TESTED,
                reasons=reasons,
                covenant=nothing,
                calculation=nothing,
                certificate=nothing,
            )
        )
        == []
    )


@pytest.mark.parametrize("debt", ["195.24", "195", "195.3", "196.1", "194.99"])
def test_a_rounding_clause_is_worded_with_both_figures(debt: str) -> None:
    """Under a rounding clause the draft gives the ratio and the tested figure, and compares the tested one."""
    lines = {"total_debt": debt, "net_income": "30", "interest": "10", "taxes": "8", "depreciation_and_amortization": "12"}
    figures = tuple(
        Figure(name=n, label=n, value=Fraction(v) * 10**6, currency="GBP", scale=1000, raw=v) for n, v in lines.items()
    )
    paper = Certificate(document="certificate.pdf", test_date=datetime.date(2024, 6, 30), figures=figures, signed=True)
    definitions = (
        Definition(term="Total Debt", text="means all Borrowings", instrument="a"),
        Definition(term="EBITDA", text="means Net Income plus interest, taxes, depreciation and amortization", instrument="a"),
    )
    base = decision(Fraction(3), Fraction(1))
    assert isinstance(base.covenant, Covenant)
    governing = base.covenant.model_copy(update={"definitions": definitions})
    done = calculate(governing, (paper,), CaseFacts(test_date=base.test_date, rounding=RoundingTerms(carry="truncate")))
    assert done.result != "review"
    found = {
        "covenant": governing,
        "calculation": done.calculation,
        "certificate": done.certificate,
        "result": Result(done.result),
    }
    assert refused(base.model_copy(update=found)) == []


def test_the_same_claims_give_the_same_draft() -> None:
    """The drafter is the port's and repeats itself to the letter."""
    record = decision(Fraction(10), Fraction(3))
    request = DraftRequest(run="r", pack_digest="0" * 64, claims=compose(record))
    assert isinstance(TemplateDrafter(), Drafter)
    assert TemplateDrafter().draft(request) == TemplateDrafter().draft(request)
    assert TemplateDrafter().draft(request)[0].producer == f"templates {VERSION}"
