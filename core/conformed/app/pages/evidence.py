"""Where a report's page images, rectangles and texts come from: the readers, asked once a document and not once a fact."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.app.face import Evidence
from conformed.app.reading import PackFiles, read_file
from conformed.model.document import Document
from conformed.model.span import Span
from conformed.ports import Reader

__all__ = ["evidence_of"]


class _Shelf:
    """The documents of a pack, each read when it is first asked for."""

    def __init__(self, pack: PackFiles, readers: Sequence[Reader], read: Sequence[Document]) -> None:
        self._files = {file.name: file for file in pack.evidence.files}
        self._readers = readers
        self._held = {d.name: d for d in read if d.name in self._files and self._files[d.name].sha256 == d.sha256}

    def document(self, name: str) -> Document | None:
        """One document, or None where the pack has none of that name that can be read."""
        if name not in self._held and name in self._files:
            found = read_file(self._files[name], self._readers)
            if isinstance(found, Document):
                self._held[name] = found
        return self._held.get(name)

    def reader(self, name: str) -> tuple[Reader, Document, bytes] | None:
        """A document with its bytes and the reader that takes it."""
        document = self.document(name)
        if document is None:
            return None
        data = self._files[name].data
        reader = next((r for r in self._readers if r.accepts(name, data[:4096])), None)
        return (reader, document, data) if reader else None

    def image(self, name: str, page: int, dpi: int) -> bytes | None:
        """A page as a PNG."""
        found = self.reader(name)
        return found[0].image(found[1], found[2], page, dpi) if found else None

    def boxes(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans with their rectangles, in their order; a document's spans are asked for together.

        A PDF is opened by a child process: asked span by span, with documents in turns, each would cost a new child.
        """
        filled = list(spans)
        for name in sorted({span.document for span in spans}):
            found = self.reader(name)
            if found is None:
                continue
            at = [number for number, span in enumerate(spans) if span.document == name]
            for number, span in zip(at, found[0].boxes(found[1], found[2], [spans[n] for n in at]), strict=True):
                filled[number] = span
        return tuple(filled)

    def text(self, name: str) -> str | None:
        """The canonical text of a document."""
        document = self.document(name)
        return document.text if document else None


def evidence_of(pack: PackFiles, readers: Sequence[Reader], read: Sequence[Document] = ()) -> Evidence:
    """Page images, rectangles and texts of a pack, for a report.

    Args:
        pack: its files.
        readers: readers of the contract.
        read: documents that were read already; used where their bytes are still the pack's.
    """
    shelf = _Shelf(pack, readers, read)
    return Evidence(image=shelf.image, boxes=shelf.boxes, text=shelf.text)
