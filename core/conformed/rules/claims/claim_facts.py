"""What a sentence may be measured against: the facts of one run, and the role of each claim."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from conformed.model.base import Missing
from conformed.model.claim import Claim, ClaimKind
from conformed.model.codes import code_class
from conformed.model.decision import Decision
from conformed.model.span import Span

__all__ = ["DecisionFacts", "SpanLookup", "facts_of", "role_of"]

SpanLookup = Callable[[Span], str]
"""Gives the words that really stand at a span (the exact slice of the document's canonical text)."""

_ROLES = {
    "debt headroom": "headroom_debt", "EBITDA headroom": "headroom_ebitda", "tested debt": "debt", "EBITDA": "ebitda",
    "certificate ratio": "certificate_ratio", "certificate level": "certificate_level", "tested figure": "tested",
    "result": "result", "overlay": "overlay", "currency": "currency",
}  # fmt: skip


_FORM = re.compile(
    r",?\s+(?:inc|llc|l\.l\.c|ltd|limited|plc|p\.l\.c|corp|corporation|gmbh|s\.a|b\.v|lp|l\.p|llp)\.?$", re.IGNORECASE
)
"""The legal form at the end of a company's name, that prose leaves out."""

_KIND_NAMES = frozenset({"compliance certificate", "certificate"})


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """Facts of a run that no sentence may contradict.

    Attributes:
        run: run id.
        pack_digest: digest of the pack.
        result: pass, breach, not_tested or review.
        overlay: none, waived or cured.
        test_date: legal date, ISO.
        known_at: knowledge date, ISO.
        metric: name of the tested figure as written; empty where there is none.
        aliases: other ways to name the same figure.
        ambiguous: whether more than one leverage figure is in the pack, so that a bare "leverage" names none.
        borrower: the borrower's name, if known.
        documents: labels of documents (title, file name) and the file that each names.
        not_effective: files of instruments that have no effect (unsigned, draft, rejected).
        superseded: stretches that no longer count: document, start, end.
        explain: codes that a draft must explain.
        currency: currency of the calculation.
    """

    run: str
    pack_digest: str
    result: str
    overlay: str = "none"
    test_date: str = ""
    known_at: str = ""
    metric: str = ""
    aliases: tuple[str, ...] = ()
    ambiguous: bool = False
    borrower: str = ""
    documents: tuple[tuple[str, str], ...] = ()
    not_effective: tuple[str, ...] = ()
    superseded: tuple[tuple[str, int, int], ...] = ()
    explain: tuple[str, ...] = ()
    currency: str = ""
    level: Fraction | None = field(default=None)

    def names(self) -> dict[str, str]:
        """Every name that a sentence may use, and what it stands for."""
        names = {label: f"document:{file}" for label, file in self.documents}
        if self.borrower:
            names[self.borrower] = names[_FORM.sub("", self.borrower)] = "borrower"
        for alias in (self.metric, *self.aliases):
            if alias:
                names[alias] = "metric"
        if not self.ambiguous and self.metric:
            names |= dict.fromkeys(_shorter(self.metric), "metric")
            if any("leverage" in name.lower() for name in (self.metric, *self.aliases)):
                names["leverage"] = "metric"
        return names


def _shorter(metric: str) -> tuple[str, ...]:
    """A metric's name without "Consolidated" before it and "Ratio" after it: words that tell no figure from another in one agreement."""
    bare = metric.removeprefix("Consolidated ")
    names = {bare, metric.removesuffix(" Ratio"), bare.removesuffix(" Ratio")}
    return tuple(sorted(name for name in names if name and name != metric))


def role_of(claim: Claim) -> str:
    """What the value of a claim is: level, ratio, debt, headroom_debt, certificate_ratio ...; empty for claims without one."""
    if claim.kind in (ClaimKind.REASON, ClaimKind.OPEN_POINT):
        return ""
    if claim.subject in _ROLES:
        return _ROLES[claim.subject]
    return "level" if claim.kind is ClaimKind.FACT else "ratio"


_OFF = (
    "reject_draft",
    "review_unsigned_instrument",
    "review_partial_execution",
    "reject_lapsed_instrument",
    "reject_after_known_date",
    "review_cp_evidence_missing",
)


def facts_of(decision: Decision) -> DecisionFacts:
    """The facts of a decision record."""
    governing = None if isinstance(decision.covenant, Missing) else decision.covenant
    metrics = {c.metric for c in (*((governing,) if governing else ()), *decision.candidates) if "leverage" in c.metric}
    calculation = None if isinstance(decision.calculation, Missing) else decision.calculation
    reasons = (*decision.reasons, *decision.findings)
    aliases = (governing.metric.replace("_", " "),) if governing and governing.metric else ()
    # The title "Compliance Certificate" is the kind's own name: it says whose figure is meant, not only which paper.
    titled = [d for d in decision.documents if d.title and d.title.lower() not in _KIND_NAMES]
    documents = [(d.name, d.name) for d in decision.documents] + [(d.title, d.name) for d in titled]
    off = {r.subject for r in reasons if r.code in _OFF} | {span.document for r in reasons if r.code in _OFF for span in r.spans}
    return DecisionFacts(
        run=decision.run,
        pack_digest=decision.pack_digest,
        result=decision.result.value,
        overlay=decision.overlay.value,
        test_date=decision.test_date.isoformat(),
        known_at=decision.known_at.isoformat(),
        metric=governing.name if governing else "",
        aliases=aliases,
        ambiguous=len(metrics) > 1,
        borrower=decision.borrower or "",
        documents=tuple(sorted(set(documents))),
        not_effective=tuple(sorted(off & {d.name for d in decision.documents})),
        superseded=tuple((s.document, s.start, s.end) for c in decision.conformed for r in c.superseded for s in r.spans),
        explain=tuple(dict.fromkeys(r.code for r in decision.reasons if code_class(r.code) in ("review", "not_tested"))),
        currency=(calculation.currency or "") if calculation else "",
        level=governing.limit.value if governing else None,
    )
