"""What stands beside a result once the ratio is known: waivers with a ceiling, cures, late papers (rule book PR-44 to PR-46).

The first result never changes; an overlay that is not clean is none, with the code that says why.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from conformed.language.agreement import CureTerms
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.codes import code_class, sentence_of
from conformed.model.covenant import Covenant
from conformed.model.dates import FiscalCalendar
from conformed.model.decision import Effective, Overlaid, Overlay, Reason
from conformed.model.span import Span
from conformed.rules.beside.ceilings import judged_waivers
from conformed.rules.beside.cure_conditions import CureUse, unproven
from conformed.rules.beside.deadlines import Arrival, Due, cure_deadline, late_delivery
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.worksheet import base_name

__all__ = ["NextTest", "Papers", "overlaid", "paid_in"]

_UNPROVEN = "review_cure_conditions_unproven"


@dataclass(frozen=True, slots=True)
class NextTest:
    """The test after the one asked about, which may mend an earlier failure.

    Attributes:
        day: its test date.
        met: whether its own level was met on its own figures; None where that cannot be told.
        spans: where its figures stand.
    """

    day: dt.date
    met: bool | None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Papers:
    """What the papers of a case say beside covenant and ratio.

    Attributes:
        test: the test date.
        known: the knowledge date.
        agreement: clauses beside the definitions.
        calendar: the fiscal calendar, where attested.
        uses: uses of a right to cure.
        arrival: the certificate of the test date.
        certificate: what that certificate says.
        next_test: the test after it; a call, since it is a question of its own and seldom asked.
        barring: days of notices of acceleration or enforcement; None where none is in the pack and nobody confirms that none was given.
    """

    test: dt.date
    known: dt.date
    agreement: AgreementTerms = field(default_factory=AgreementTerms)
    calendar: FiscalCalendar | None = None
    uses: tuple[CureUse, ...] = ()
    arrival: Arrival | None = None
    certificate: Certificate | None = None
    next_test: Callable[[], NextTest | None] = lambda: None
    barring: tuple[dt.date, ...] | None = None


def paid_in(uses: Iterable[CureUse], test: dt.date) -> Figure | None:
    """The amount that papers beside the certificate show for the cure of a test, as an input of the second calculation."""
    found = [use for use in uses if use.test_date == test and use.amount is not None]
    if len(found) != 1 or found[0].amount is None:
        return None
    use = found[0]
    assert use.amount is not None
    return Figure(
        name="cure_paid", label="cure", value=use.amount, currency=use.currency, raw=str(use.amount), as_of=use.received_on,
        spans=use.spans,
    )  # fmt: skip


def overlaid(effective: Effective, calculation: Calculation | Missing, codes: Iterable[str], papers: Papers) -> Overlaid:
    """Waivers, cures and findings beside a result.

    Args:
        effective: what precedence gives.
        calculation: the calculation, or why there is none.
        codes: codes of the calculation.
        papers: what the papers say.
    """
    clean = effective.result == "determined" and all(code_class(code) != "review" for code in codes)
    found = judged_waivers(effective, calculation, clean=clean)
    late = late_delivery(papers.agreement.deliveries, papers.arrival, papers.test, papers.calendar)
    more = [late] if late is not None else []
    if effective.result == "not_tested":
        more += _tests_nothing(effective, papers)
    if clean and isinstance(calculation, Calculation) and isinstance(effective.covenant, Covenant):
        cured, said = _cures(calculation, effective.covenant, papers)
        more += said
        if cured and found.overlay is Overlay.NONE:
            found = found.model_copy(update={"overlay": Overlay.CURED})
    return found.model_copy(update={"reasons": (*found.reasons, *more)})


def _tests_nothing(effective: Effective, papers: Papers) -> list[Reason]:
    """A certificate that tests a level where none is in force (P26)."""
    stated = papers.certificate
    if stated is None or effective.not_tested not in {"deleted", "suspended"} or stated.states_level is None:
        return []
    said = f"{stated.document} tests against a level for a date on which the covenant is not tested."
    spans = stated.spans.get("level", ())
    return [Reason(code="finding_certificate_uses_wrong_level", sentence=said, subject=stated.document, spans=spans)]


def _cures(calculation: Calculation, covenant: Covenant, papers: Papers) -> tuple[bool, list[Reason]]:
    """Whether a failed test is cured, and what is to be said of it."""
    right = papers.agreement.cure
    if not isinstance(calculation.comparison, Comparison) or calculation.comparison.met:
        return False, []
    claimed = [use for use in papers.uses if use.test_date in (papers.test, None)]
    if right is None:
        said = "A cure is claimed, and no right to cure was read in the agreement."
        return False, [_open(said, *paper) for paper in [*((u.document, u.spans) for u in claimed), *_stated(papers)]]
    said_of_use = _used(right, claimed, calculation, covenant, papers)
    if said_of_use is not None and said_of_use.code == "accept_cure_applied":
        return True, [said_of_use]
    deemed = _deemed(right, papers)
    if deemed is not None and deemed.code == "accept_cure_applied":
        return True, [deemed]
    reasons = [r for r in (said_of_use, deemed) if r is not None]
    due = _due(right, papers)
    if due is not None and papers.known <= due.earliest:
        said = f"The level is not met, and a cure may still be made until {due.earliest.isoformat()}."
        reasons.append(Reason(code="finding_cure_window_open", sentence=said, subject="cure", spans=right.spans))
    return False, reasons


def _due(right: CureTerms, papers: Papers) -> Due | None:
    delivered = papers.arrival.day if papers.arrival is not None else None
    return cure_deadline(right.limits, papers.agreement.deliveries, papers.test, papers.calendar, delivered)


def _stated(papers: Papers) -> list[tuple[str, tuple[Span, ...]]]:
    """Where the certificate itself claims a cure."""
    paper = papers.certificate
    return [(paper.document, f.spans) for f in paper.figures if base_name(f.name) == "cure_amount"] if paper is not None else []


def _used(
    right: CureTerms, claimed: list[CureUse], calculation: Calculation, covenant: Covenant, papers: Papers
) -> Reason | None:
    """A use of the right that the papers claim: applied where every condition is shown, else open; None where none is claimed."""
    cure, stated = calculation.cure, _stated(papers)
    if not claimed and not stated:
        return None
    if len(claimed) > 1:
        said = "More than one paper claims a cure of this test."
        return _open(said, claimed[0].document, tuple(s for u in claimed for s in u.spans))
    if not claimed or cure is None:
        said = "A cure is claimed; its date, amount, count and use must be evidenced before it can stand beside the result."
        return _open(said, claimed[0].document if claimed else stated[0][0], claimed[0].spans if claimed else stated[0][1])
    use = claimed[0]
    net = "net_" in covenant.metric
    failed = unproven(right, use, cure, papers.test, papers.known, _due(right, papers), net=net, currency=calculation.currency)
    if failed:
        return _open(" ".join(failed), use.document, use.spans)
    spans = (*use.spans, *right.spans)
    return Reason(code="accept_cure_applied", sentence=sentence_of("accept_cure_applied"), subject=use.document, spans=spans)


def _open(sentence: str, subject: str, spans: tuple[Span, ...]) -> Reason:
    return Reason(code=_UNPROVEN, sentence=sentence, subject=subject, spans=spans)


def _deemed(right: CureTerms, papers: Papers) -> Reason | None:
    """A failure that the next test has mended, as the agreement deems it; None where that is not in question (P40)."""
    after = papers.next_test() if right.limits.deemed else None
    if after is None or after.met is not True or after.day > papers.known:
        return None
    day = after.day.isoformat()
    if right.limits.barred and papers.barring is None:
        said = f"The test of {day} was met; that no notice of acceleration or enforcement was given by then is not confirmed."
        return _open(said, "cure", right.spans)
    if right.limits.barred and any(given <= after.day for given in papers.barring or ()):
        return _open(
            f"The test of {day} was met, and a notice of acceleration or enforcement was given by then.", "cure", right.spans
        )
    said = f"The level was met on the next test date, {day}, and the agreement then deems the earlier failure mended."
    return Reason(code="accept_cure_applied", sentence=said, subject="cure", spans=(*right.spans, *after.spans))
