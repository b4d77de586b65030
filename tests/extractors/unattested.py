"""Small papers whose execution nobody attests: what they show of consent and signature must be read from their words."""

from __future__ import annotations

import datetime as dt
from typing import Any

import mill_packs as packs

from conformed.model.decision import Effective
from conformed.model.pack import Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest
from conformed.rules.instruments.casefile import build_case
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.readers.text import TextReader

__all__ = ["SWAP", "ask", "change", "reviewed", "told"]

SWAP = '1. Section 7.11(a) of the Credit Agreement is hereby amended by replacing "4.00 to 1.00" with "4.50 to 1.00".'
ON = dt.date(2023, 9, 30)


def ask(
    *texts: str, met: tuple[str | None, ...] = ("2023-08-15",), section: str = "7.11(a)", known: str = "2026-01-01", on: dt.date = ON, **attested: Any
) -> Effective:  # fmt: skip
    """The answer where only the first paper's execution is attested, and the day on which each other one took effect."""
    documents = [TextReader().read(f"{i}.txt", t.encode()) for i, t in enumerate(texts)]
    days = ["2022-03-01", *met, *[None] * len(texts)][: len(texts)]
    listed = tuple(
        ManifestDocument.model_validate({"file": f"{i}.txt", "effective_on": d, "execution": None if i else "executed"})
        for i, d in enumerate(days)
    )
    manifest = Manifest.model_validate({"documents": listed, "chain_complete": True, "fiscal_year_end": "12-31", **attested})
    question = Question(test_date=on, known_at=dt.date.fromisoformat(known), section=section)
    case = build_case(documents, pack="mill", digest="0", question=question, manifest=manifest)  # type: ignore[arg-type]
    extraction = ClauseExtractor().extract(ExtractRequest(case, Retrieved(authorised=tuple(d.name for d in case.documents))))
    return decide(case, extraction)


def told(answer: Effective) -> set[str]:
    """The codes of an answer."""
    return {r.code for r in answer.reasons}


def reviewed(answer: Effective) -> set[str]:
    """The review codes of an answer."""
    return {c for c in told(answer) if c.startswith("review")}


def change(lenders: str = "the Lenders party hereto", body: str = SWAP, **more: str) -> str:
    """An amendment by some lenders."""
    return packs.amendment(body, **more).replace("the Lenders party hereto", lenders)
