"""Retrieval by index: provisions and defined terms first, SQLite full-text search second; and what was not seen.

The authorised documents are fixed before anything is looked for: every document that intake read, and no other.
"""

from __future__ import annotations

import re
import sqlite3
from collections import deque
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
_STOPS = re.compile(r"[.,](?!\w)|(?<!\w)[.,]")
"""Points and commas that end a word and are no part of it."""
_WORD = re.compile(r"\w[\w.,]*")
_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_CHANGES = {InstrumentKind.AMENDMENT, InstrumentKind.WAIVER, InstrumentKind.CONSENT, InstrumentKind.SIDE_LETTER}
_MOST_TERMS = 80
_PIECE = 900
_OVERLAP = 200


class SearchIndex:
    """Full-text search over passages of documents, in memory. The same query gives the same order every time."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._base = sqlite3.connect(":memory:")
        # '.' and ',' inside a word belong to it, so that 3.50, 7.11 and 25,000,000 are found as they are written.
        self._base.execute(
            "CREATE VIRTUAL TABLE passage USING fts5(document UNINDEXED, at UNINDEXED, words, tokenize=\"unicode61 tokenchars '.,'\")"
        )
        rows: list[tuple[str, int, str]] = []
        for document in documents:
            words = _STOPS.sub(" ", document.text)  # one character for one: places stay
            rows += [(document.name, at, words[at : at + _PIECE + _OVERLAP]) for at in range(0, len(words), _PIECE)]
        self._base.executemany("INSERT INTO passage VALUES (?, ?, ?)", rows)

    def search(self, words: str, limit: int = 10) -> list[tuple[str, int]]:
        """Document and offset of the best passages: those with all the words, then those with all its figures, then with any.

        Args:
            words: as a person types them; each is quoted, so that none is an operator of the search.
            limit: the most that are given.
        """
        found: dict[tuple[str, int], None] = {}
        for query in _queries(words):
            if len(found) < limit:
                rows = self._base.execute(
                    "SELECT document, at FROM passage WHERE passage MATCH ? ORDER BY bm25(passage), rowid LIMIT ?", (query, limit)
                )
                found.update(((str(document), int(at)), None) for document, at in rows)
        return list(found)[:limit]

    def close(self) -> None:
        """Lets the memory go."""
        self._base.close()


def _queries(words: str) -> list[str]:
    """The searches for some words, the strictest first. A figure weighs more than a word: who asks for 3.50 wants no 3.75."""
    terms = [f'"{term}"' for term in dict.fromkeys(_WORD.findall(_STOPS.sub(" ", words).lower()))]
    figures = [term for term in terms if any(c.isdigit() for c in term)]
    others = [term for term in terms if term not in figures]
    asked = [" AND ".join(terms)]
    if figures and others:
        asked += [f"{' AND '.join(figures)} AND ({' OR '.join(others)})", " AND ".join(figures)]
    return [query for query in (*asked, " OR ".join(terms)) if query]


class IndexRetriever:
    """Finds covenant provisions, instructions, certificates and definitions of a case file."""

    def retrieve(self, case: CaseFile) -> Retrieved:
        """Passages of the authorised documents, and what should have been seen and was not."""
        passages: list[Passage] = []
        definitions = {
            " ".join(p.heading.split()): (t.document, p)
            for t in reversed(case.trees)  # the first document that defines a term is the one shown
            for p in t.provisions
            if p.kind == "definition" and p.heading.strip()
        }
        for document, tree, instrument in zip(case.documents, case.trees, case.instruments, strict=True):
            if instrument.kind is InstrumentKind.COMPLIANCE_CERTIFICATE:
                passages.append(Passage(document=document.name, start=0, end=len(document.text), kind=PassageKind.CERTIFICATE))
            elif instrument.kind in _CHANGES:
                passages.append(Passage(document=document.name, start=0, end=len(document.text), kind=PassageKind.INSTRUCTION))
            elif instrument.kind in _BASES:
                passages += [
                    self._passage(tree, p) for p in tree.provisions if _covenant_like(p) or _asked(p, case.question.section)
                ]
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
        texts = {document.name: document.text for document in case.documents}
        terms = _any_of(definitions)
        queue = deque(texts[p.document][p.start : p.end] for p in passages if p.kind is PassageKind.COVENANT)
        found: dict[str, Passage] = {}
        while terms is not None and queue and len(found) < _MOST_TERMS:
            for term in dict.fromkeys(terms.findall(" ".join(queue.popleft().split()))):
                if term in found:
                    continue
                document, provision = definitions[term]
                found[term] = Passage(
                    document=document,
                    start=provision.start,
                    end=provision.end,
                    kind=PassageKind.DEFINITION,
                    subject=provision.heading,
                )
                queue.append(texts[document][provision.start : provision.end])
        asked = " ".join((case.question.covenant or "").split())
        known = {term.lower() for term in definitions}
        missing = (asked,) if asked.lower().endswith("ratio") and asked.lower() not in known else ()
        return list(found.values()), missing


def _any_of(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of some terms as whole words, the longest where several begin at one place."""
    longest = sorted(terms, key=lambda term: (-len(term), term))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)") if longest else None


def _covenant_like(provision: Provision) -> bool:
    return provision.kind in {"section", "clause", "item"} and not provision.quoted and bool(_FINANCIAL.search(provision.heading))


def _asked(provision: Provision, section: str | None) -> bool:
    """Whether a provision is the section that was asked for."""
    wanted = "".join((section or "").split())
    return bool(wanted) and provision.label == wanted and not provision.quoted


def _coverage(case: CaseFile) -> tuple[Doubt, ...]:
    """What the pack should hold and does not. Whether an absent instrument matters is for precedence to say."""
    doubts = []
    if not any(i.kind in _BASES for i in case.instruments) and not case.manifest.chain_complete:
        doubts.append(
            Doubt(code="review_retrieval_incomplete", sentence="No agreement is in the pack, only instruments that change one.")
        )
    here = {i.number for i in case.instruments if i.number is not None}
    doubts += [
        Doubt(
            code="finding_recited_instrument_absent",
            sentence=f"{recital.text} is named by {instrument.document} and is not in the pack.",
            spans=recital.spans,
        )
        for instrument in case.instruments
        for recital in instrument.recites
        if recital.number is not None and recital.number not in here and not case.manifest.chain_complete
    ]
    return tuple(doubts)
