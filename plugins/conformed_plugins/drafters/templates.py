"""The default drafter: claims into short plain sentences by fixed patterns, without a model.

Every figure is shown as its claim shows it; a rounded one is marked and the exact value stands beside it. The operative
words are quoted rather than reworded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from conformed.model.claim import Claim, ClaimKind, Draft, Sentence
from conformed.ports import DraftRequest

__all__ = ["VERSION", "TemplateDrafter"]

VERSION = "1.0.0"

_COMPARE = {"le": "not more than", "lt": "less than", "ge": "not less than", "gt": "more than"}
_RESULTS = {"not_tested": "not tested"}
_AMOUNTS = {
    "tested debt": "Tested debt",
    "EBITDA": "EBITDA",
    "debt headroom": "Debt headroom",
    "EBITDA headroom": "EBITDA headroom",
}
_LONGEST_QUOTE = 300


class TemplateDrafter:
    """Words claims by templates. Implements the Drafter port; the same claims always give the same draft."""

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        """One draft: result, covenant, ratio, amounts, certificate, reasons, open points, in the order of the claims."""
        sentences = tuple(_sentences(request.claims))
        return (Draft(sentences=sentences, run=request.run, pack_digest=request.pack_digest, producer=f"templates {VERSION}"),)


def _sentences(claims: tuple[Claim, ...]) -> Iterator[Sentence]:
    level = next((c for c in claims if c.kind is ClaimKind.FACT and c.comparator in _COMPARE), None)
    ratio = next((c for c in claims if level and c.kind is ClaimKind.CALCULATION and c.subject == level.subject), None)
    tested = next((c for c in claims if c.subject == "tested figure"), None)
    for claim in claims:
        if claim.kind is ClaimKind.RESULT:
            word = _RESULTS.get(claim.text, claim.text)
            text = f"The result for the test date {claim.period} is {word}." if claim.subject == "result" else _ended(claim.text)
            yield Sentence(text=text, kind=claim.kind, claims=(claim.id,))
        elif claim is level:
            yield Sentence(text=_required(claim), kind=claim.kind, claims=(claim.id,))
        elif claim is ratio and level is not None:
            cited = (claim, level, tested) if tested else (claim, level)
            yield Sentence(text=_ratio(claim, level, tested), kind=claim.kind, claims=tuple(c.id for c in cited))
        elif claim.subject == "currency":
            yield Sentence(text=_ended(claim.text), kind=claim.kind, claims=(claim.id,))
        elif claim.subject in _AMOUNTS:
            yield Sentence(text=f"{_AMOUNTS[claim.subject]} is {_shown(claim)}.", kind=claim.kind, claims=(claim.id,))
        elif claim.subject in ("certificate ratio", "certificate level"):
            what = claim.subject.removeprefix("certificate ")
            yield Sentence(
                text=f"The compliance certificate states a {what} of {_shown(claim)}.", kind=claim.kind, claims=(claim.id,)
            )
        elif claim.kind is ClaimKind.OPEN_POINT or (claim.kind is ClaimKind.REASON and _worth_saying(claim)):
            yield Sentence(text=_ended(claim.text), kind=claim.kind, claims=(claim.id,))


def _worth_saying(claim: Claim) -> bool:
    """Why a level was found and what was set aside stands in the record; prose is for what a person must know or do."""
    return not claim.cites or any(not code.startswith(("accept_", "reject_")) for code in claim.cites)


def _ended(text: str) -> str:
    """A sentence with its full stop."""
    return text if re.search(r"[.?]$", text) else f"{text}."


def _place(claim: Claim) -> str:
    if not claim.clause:
        return ""
    return f" (section {claim.clause})" if claim.clause[0].isdigit() else f" ({claim.clause})"


def _required(level: Claim) -> str:
    condition = f", {level.condition}," if level.condition else ""
    limit = f"{_COMPARE[level.comparator]} {level.shown}"
    said = f"{level.subject} must be {limit}{condition} on the test date {level.period}{_place(level)}"
    quote = level.spans[0].text if level.spans else ""
    fits = quote and len(quote) <= _LONGEST_QUOTE and not re.search('[“”"]', quote)
    return f'{said}; the words are "{" ".join(quote.split())}".' if fits else f"{said}."


def _ratio(ratio: Claim, level: Claim, tested: Claim | None) -> str:
    assert ratio.value is not None
    assert level.value is not None
    left = tested.value if tested is not None and tested.value is not None else ratio.value
    stands = "equal to" if left == level.value else "below" if left < level.value else "above"
    condition = f" {level.condition}" if level.condition else ""
    under = f", and the tested figure is {_shown(tested)}" if tested is not None else ""
    figure = f"{ratio.subject} is {_shown(ratio)} on the test date {ratio.period}{under}"
    return f"{figure}, {stands} the level of {level.shown}{condition}."


def _exact(claim: Claim) -> bool:
    """Whether what is shown is the value itself and not a rounding of it."""
    digits = re.sub(r"[^\d./-]", "", claim.shown)
    return claim.value is not None and bool(digits) and Fraction(digits) / (100 if claim.unit == "share" else 1) == claim.value


def _shown(claim: Claim) -> str:
    if _exact(claim):
        return claim.shown
    return f"about {claim.shown} (exactly {claim.value})"
