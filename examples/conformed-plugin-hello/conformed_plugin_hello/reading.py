# ruff: noqa: ARG001, ARG002 - the ports and the loader fix the signatures
"""A reader: bytes of one format in, a document with one canonical text out."""

import hashlib
from collections.abc import Sequence

from conformed.hooks import NoOptions
from conformed.model.document import Document, Media, Page, Refusal, Table
from conformed.model.span import Span

__all__ = ["MemoReader", "make"]

_MARK = b"memo/1\n"


class MemoReader:
    """Reads memos: the line ``memo/1``, then text in UTF-8."""

    def accepts(self, name: str, head: bytes) -> bool:
        """By content: the first line. The name decides nothing here."""
        return head.startswith(_MARK)

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """The document, or a refusal by name where the bytes are not text."""
        digest = hashlib.sha256(data).hexdigest()
        try:
            text = data[len(_MARK) :].decode("utf-8")
        except UnicodeDecodeError:
            return Refusal(name=name, code="broken", sentence=f"{name} is not UTF-8; save it again as UTF-8.", sha256=digest)
        pages = (Page(number=1, start=0, end=len(text)),)
        return Document(name=name, sha256=digest, media=Media.TEXT, reader="memo 1.0.0", text=text, pages=pages, paged=False)

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """A memo has no geometry: the spans as they are."""
        return tuple(spans)

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """A memo has no tables."""
        return ()

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """A memo has no page images."""
        return None


def make(options: NoOptions) -> MemoReader:
    """The factory. Called once a run, with validated options."""
    return MemoReader()
