"""Retrieval by index: provisions and defined terms first, SQLite full-text search second; and what was not seen.

The authorised documents are fixed before anything is looked for: every document that intake read, and no other.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from conformed.model.covenant import Doubt
from conformed.model.document import Document
from conformed.model.pack import CaseFile, InstrumentKind
from conformed.model.provision import Provision, ProvisionTree
from conformed.model.retrieval import Passage, PassageKind, Retrieved

__all__ = ["VERSION", "IndexRetriever", "SearchIndex"]

VERSION = "1.0.0"
_FINANCIAL = re.compile(
    r"ratio|leverage|coverage|financial\s+(?:covenant|condition|undertaking)|net\s+worth|ebitda|liquidity|gearing|debt\s+to",
    re.IGNORECASE,
)
_TERM = re.compile(r"\b[A-Z][\w&'/-]*(?:\s+(?:(?:of|to|and|the|in)\s+)?[A-Z][\w&'/-]*){0,6}")
_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_CHANGES = {InstrumentKind.AMENDMENT, InstrumentKind.WAIVER, InstrumentKind.CONSENT, InstrumentKind.SIDE_LETTER}
_MOST_TERMS = 80
_PIECE = 900


class SearchIndex:
    """Full-text search over passages of documents, in memory. The same query gives the same order every time."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._base = sqlite3.connect(":memory:")
        # '.' is a character of a word, so that 3.50 and 7.11 are found as they are written.
        self._base.execute(
            "CREATE VIRTUAL TABLE passage USING fts5(document UNINDEXED, at UNINDEXED, words, tokenize=\"unicode61 tokenchars '.'\")"
        )
        rows = []
        for document in documents:
            for at in range(0, len(document.text), _PIECE):
                rows.append((document.name, at, document.text[at : at + _PIECE + 200]))
        self._base.executemany("INSERT INTO passage VALUES (?, ?, ?)", rows)

    def search(self, words: str, limit: int = 10) -> list[tuple[str, int]]:
        """Document and offset of the best passages for some words, each word quoted so that none is an operator."""
        terms = [w.strip(".") for w in re.findall(r"[\w.]+", words)]
        query = " OR ".join('"' + t.replace('"', '""') + '"' for t in terms if t)
        if not query:
            return []
        rows = self._base.execute(
            "SELECT document, at FROM passage WHERE passage MATCH ? ORDER BY bm25(passage), rowid LIMIT ?", (query, limit)
        )
        return [(str(document), int(at)) for document, at in rows]

    def close(self) -> None:
        """Lets the memory go."""
        self._base.close()


class IndexRetriever:
    """Finds covenant provisions, instructions, certificates and definitions of a case file."""

    def retrieve(self, case: CaseFile) -> Retrieved:
        """Passages of the authorised documents, and what should have been seen and was not."""
        passages: list[Passage] = []
        definitions = {
            p.heading.lower(): (t.document, p) for t in reversed(case.trees) for p in t.provisions if p.kind == "definition"
        }
        for document, tree, instrument in zip(case.documents, case.trees, case.instruments, strict=True):
            if instrument.kind is InstrumentKind.COMPLIANCE_CERTIFICATE:
                passages.append(Passage(document=document.name, start=0, end=len(document.text), kind=PassageKind.CERTIFICATE))
            elif instrument.kind in _CHANGES:
                passages.append(Passage(document=document.name, start=0, end=len(document.text), kind=PassageKind.INSTRUCTION))
            elif instrument.kind in _BASES:
                passages += [self._passage(tree, p) for p in tree.provisions if _covenant_like(p)]
        passages += self._searched(case)
        found, missing = self._definitions(case, passages, definitions)
        ordered = sorted({*passages, *found}, key=lambda p: (p.document, p.start, p.end, p.kind, p.subject))
        return Retrieved(
            authorised=tuple(d.name for d in case.documents),
            passages=tuple(ordered),
            terms_missing=missing,
            coverage=_coverage(case),
        )

    @staticmethod
    def _passage(tree: ProvisionTree, provision: Provision) -> Passage:
        return Passage(
            document=tree.document, start=provision.start, end=provision.end, kind=PassageKind.COVENANT, subject=provision.label
        )

    def _searched(self, case: CaseFile) -> list[Passage]:
        words = " ".join(filter(None, (case.question.covenant, "ratio")))
        index = SearchIndex(case.documents)
        try:
            hits = index.search(words)
        finally:
            index.close()
        sizes = {d.name: len(d.text) for d in case.documents}
        return [
            Passage(document=name, start=at, end=min(at + _PIECE, sizes[name]), kind=PassageKind.SEARCH, subject=words, rank=rank)
            for rank, (name, at) in enumerate(hits, 1)
        ]

    def _definitions(
        self, case: CaseFile, passages: list[Passage], definitions: dict[str, tuple[str, Provision]]
    ) -> tuple[list[Passage], tuple[str, ...]]:
        """Definitions that the covenant passages use, and those that these use in turn."""
        queue = [case.document(p.document).text[p.start : p.end] for p in passages if p.kind is PassageKind.COVENANT]
        found: dict[str, Passage] = {}
        while queue and len(found) < _MOST_TERMS:
            for m in _TERM.finditer(queue.pop(0)):
                key = " ".join(m[0].split()).lower()
                if key in definitions and key not in found:
                    document, provision = definitions[key]
                    found[key] = Passage(
                        document=document,
                        start=provision.start,
                        end=provision.end,
                        kind=PassageKind.DEFINITION,
                        subject=provision.heading,
                    )
                    queue.append(case.document(document).text[provision.start : provision.end])
        asked = " ".join((case.question.covenant or "").split()).lower()
        missing = (
            (case.question.covenant,) if case.question.covenant and asked.endswith("ratio") and asked not in definitions else ()
        )
        return list(found.values()), tuple(m for m in missing if m)


def _covenant_like(provision: Provision) -> bool:
    return provision.kind in {"section", "clause", "item"} and not provision.quoted and bool(_FINANCIAL.search(provision.heading))


def _coverage(case: CaseFile) -> tuple[Doubt, ...]:
    """What the pack should hold and does not. Whether an absent instrument matters is for precedence to say."""
    doubts = []
    if not any(i.kind in _BASES for i in case.instruments) and not case.manifest.chain_complete:
        doubts.append(
            Doubt(code="review_retrieval_incomplete", sentence="No agreement is in the pack, only instruments that change one.")
        )
    here = {i.number for i in case.instruments if i.number is not None}
    for instrument in case.instruments:
        for recital in instrument.recites:
            if recital.number is not None and recital.number not in here and not case.manifest.chain_complete:
                doubts.append(
                    Doubt(
                        code="finding_recited_instrument_absent",
                        sentence=f"{recital.text} is named by {instrument.document} and is not in the pack.",
                        spans=recital.spans,
                    )
                )
    return tuple(doubts)
