"""Which stretches of which documents a model is shown: retrieved passages of documents that can operate, in pieces."""

from __future__ import annotations

from dataclasses import dataclass

from conformed.language.traced import Traced, live_view
from conformed.model.operation import Effectiveness
from conformed.model.pack import Instrument, InstrumentKind
from conformed.model.provision import ProvisionTree
from conformed.model.retrieval import PassageKind
from conformed.ports import ExtractRequest
from conformed_plugins.extractors.effectiveness import read_effectiveness

__all__ = ["CHANGES", "STATES", "Paper", "Piece", "papers_of", "pieces_of"]

STATES = frozenset({InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT})
"""Documents that state covenants."""
CHANGES = frozenset({InstrumentKind.AMENDMENT, InstrumentKind.WAIVER, InstrumentKind.CONSENT, InstrumentKind.SIDE_LETTER})
"""Documents that change what others state."""
_SHOWN = frozenset({PassageKind.COVENANT, PassageKind.INSTRUCTION, PassageKind.SCHEDULE, PassageKind.SEARCH})
_OVERLAP = 300
_ENDS = ("\n\n", ". ", "\n", " ")


@dataclass(frozen=True, slots=True)
class Paper:
    """A document that can operate, as it is read."""

    view: Traced
    """Its live words: what is struck or hidden is never shown."""
    tree: ProvisionTree
    """Its provisions."""
    instrument: Instrument
    """What it is."""
    effective: Effectiveness
    """When what it does counts."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a paper's view."""

    paper: Paper
    start: int
    """First offset of the view."""
    end: int
    """One past the last."""

    @property
    def text(self) -> str:
        """The words."""
        return self.paper.view.text[self.start : self.end]


def papers_of(request: ExtractRequest) -> dict[str, Paper]:
    """The authorised documents that state or change covenants, by name."""
    case, papers = request.case, {}
    for document, tree, instrument in zip(case.documents, case.trees, case.instruments, strict=True):
        if document.name in request.retrieved.authorised and instrument.kind in STATES | CHANGES:
            view = live_view(document)
            papers[document.name] = Paper(view, tree, instrument, read_effectiveness(view, instrument))
    return papers


def pieces_of(request: ExtractRequest, papers: dict[str, Paper], characters: int) -> list[Piece]:
    """The passages in pieces, in order of document and place, none twice."""
    stretches: dict[str, list[tuple[int, int]]] = {}
    for passage in request.retrieved.passages:
        paper = papers.get(passage.document)
        if paper is not None and passage.kind in _SHOWN:
            at = tuple(paper.view.offset_of(passage.document, position) for position in (passage.start, passage.end))
            stretches.setdefault(passage.document, []).append((at[0], at[1]))
    return [
        Piece(papers[name], start, end)
        for name in sorted(stretches)
        for low, high in _joined(stretches[name])
        for start, end in _cut(papers[name].view.text, low, high, characters)
        if papers[name].view.text[start:end].strip()
    ]


def _joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(stretches):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _cut(text: str, low: int, high: int, characters: int) -> list[tuple[int, int]]:
    """Pieces of a stretch, ended where a paragraph, a sentence, a line or a word does. Each begins with the end of the one before."""
    pieces = []
    while high - low > characters:
        ends = (text.rfind(mark, low + characters // 2, low + characters) for mark in _ENDS)
        end = next((at + 1 for at in ends if at >= 0), low + characters)
        pieces.append((low, end))
        low = max(low + 1, end - min(_OVERLAP, characters // 4))
    return [*pieces, (low, high)]
