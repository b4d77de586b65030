"""Claims and drafts: what may be said about a run, as records and as sentences."""

from __future__ import annotations

from enum import StrEnum

from conformed.model.base import Exact, Frozen
from conformed.model.span import Span

__all__ = ["Claim", "ClaimKind", "Draft", "Sentence", "Verdict"]


class ClaimKind(StrEnum):
    """What sort of thing a sentence says."""

    FACT = "fact"
    CALCULATION = "calculation"
    RESULT = "result"
    REASON = "reason"
    OPEN_POINT = "open_point"


class Claim(Frozen):
    """One thing that the record says, as data. Drafts only put claims into words."""

    id: str
    """Name inside the run, e.g. ``c1``."""
    kind: ClaimKind
    """What sort."""
    subject: str
    """What is spoken of: the metric, ``result``, a code, ``debt headroom`` ..."""
    comparator: str = ""
    """le, lt, ge, gt, eq or empty."""
    value: Exact | None = None
    """Exact value, where there is one."""
    unit: str = ""
    """``x``, a currency code, ``share``, ``date`` or empty."""
    shown: str = ""
    """How the value is shown."""
    period: str = ""
    """Test date or period, ISO."""
    clause: str = ""
    """Section."""
    text: str = ""
    """The words to be quoted or the code's sentence."""
    condition: str = ""
    """Words that limit what is said and may not be dropped (``only while use of the revolver exceeds 40%``)."""
    spans: tuple[Span, ...] = ()
    """Evidence in documents."""
    cites: tuple[str, ...] = ()
    """Names of steps of the trace, or reason codes."""


class Sentence(Frozen):
    """One sentence of a draft, with the claims that it puts into words."""

    text: str
    """The sentence."""
    kind: ClaimKind
    """What sort."""
    claims: tuple[str, ...]
    """Ids of claims of this run."""


class Verdict(Frozen):
    """What a check found. Anything that is not a clean accept or reject is review."""

    outcome: str
    """accept, reject or review."""
    code: str = ""
    """Reason code on reject or review."""
    sentence: str = ""
    """Plain words."""
    subject: str = ""
    """Id or text of what was checked."""
    verifier: str = ""
    """Name and version."""


class Draft(Frozen):
    """A drafted explanation."""

    sentences: tuple[Sentence, ...]
    """In order."""
    run: str
    """Run for which it was written."""
    pack_digest: str
    """Digest of the pack for which it was written; another digest makes it stale."""
    producer: str
    """Plugin name and version; where a model was asked, its backend, and the digest of each model and condition that answered."""
