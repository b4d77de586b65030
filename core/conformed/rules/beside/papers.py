"""What the papers of a case file say beside covenant and ratio: cures, days of delivery, the next test (rule book PR-44 to PR-46)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from conformed.language.dates import find_dates
from conformed.language.traced import Traced, live_view
from conformed.model.base import Missing
from conformed.model.calculation import Certificate
from conformed.model.pack import CaseFile, InstrumentKind
from conformed.rules.beside.beside import NextTest, Papers
from conformed.rules.beside.cure_notices import barring_notices, cure_uses
from conformed.rules.beside.deadlines import Arrival
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.inputs import choose_certificate
from conformed.rules.instruments.admit import admit
from conformed.rules.precedence.ground import calendar_of

__all__ = ["known_certificates", "papers_of"]

_DELIVERED = re.compile(
    r"\b(?:delivered|received|date\s+of\s+delivery|delivery\s+date)\b(?:\s+(?:to|by)\s+(?:the\s+)?(?:administrative\s+)?agent)?\s*(?:on|:)?\s*$",
    re.IGNORECASE,
)
_QUARTER = dt.timedelta(days=100)


def known_certificates(case: CaseFile, certificates: tuple[Certificate, ...]) -> tuple[Certificate, ...]:
    """Certificates that had come into being by the knowledge date (PR-01)."""
    dated = {i.document: i.dated for i in case.instruments}
    return tuple(c for c in certificates if (dated.get(c.document) or dt.date.min) <= case.question.known_at)


def papers_of(
    case: CaseFile,
    certificates: tuple[Certificate, ...],
    agreement: AgreementTerms,
    test: Callable[[dt.date], bool | None],
) -> Papers:
    """Gathers what stands beside a result.

    Args:
        case: the case file.
        certificates: certificates that were known.
        agreement: clauses beside the definitions.
        test: tells whether the covenant in force on another test date was met on its own figures; None where that is open.
    """
    day, known = case.question.test_date, case.question.known_at
    views = {d.name: live_view(d) for d in case.documents}
    instruments = admit(case, views).known
    certificate = choose_certificate(tuple(c for c in certificates if c.test_date == day), day)

    def after() -> NextTest | None:
        later = sorted((c.test_date, c.document) for c in certificates if c.test_date is not None and c.test_date > day)
        if not later or later[0][0] - day > _QUARTER:
            return None
        paper = next(c for c in certificates if c.document == later[0][1])
        return NextTest(later[0][0], test(later[0][0]), paper.spans.get("test_date", ()))

    return Papers(
        test=day,
        known=known,
        agreement=agreement,
        calendar=calendar_of(case),
        uses=cure_uses(instruments, views, known) if agreement.cure is not None else (),
        arrival=None if isinstance(certificate, Missing) else _arrival(case, certificate, views[certificate.document]),
        certificate=None if isinstance(certificate, Missing) else certificate,
        next_test=after,
        barring=barring_notices(instruments, views, known),
    )


def _arrival(case: CaseFile, certificate: Certificate, view: Traced) -> Arrival | None:
    """When a certificate came: the day of delivery that it states, else the date that it bears, before which it cannot have come."""
    said = [t for t in find_dates(view.text) if _DELIVERED.search(" ".join(view.text[max(0, t.start - 60) : t.start].split()))]
    if len({t.date for t in said}) == 1:
        return Arrival(certificate.document, said[0].date, view.spans(said[0].start, said[0].end))
    own = next(i for i in case.instruments if i.document == certificate.document)
    if own.kind is not InstrumentKind.COMPLIANCE_CERTIFICATE or own.dated is None:
        return None
    if certificate.test_date is None or own.dated <= certificate.test_date:
        return None  # the date that was read is that of the test or of another paper
    return Arrival(certificate.document, own.dated, own.spans.get("dated", ()))
