"""A pack's documents from its deal and its texts, each in the format that its name asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from .agreement import Deal, agreement
from .texts import read
from .to_docx import to_docx
from .to_html import to_html
from .to_pdf import to_pdf

__all__ = ["Document", "write"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a pack."""

    file: str
    """File name; its ending is the format and its date the date in the properties."""
    text: str
    """Place of its text under texts/; empty for the agreement."""
    name: str
    """Title in the properties and the running head."""


def write(deal: Deal, documents: Sequence[Document], *, head: str, size: int = 11, a4: bool = False) -> dict[str, bytes]:
    """The bytes of each document by file name.

    Args:
        deal: particulars of the agreement.
        documents: what the pack holds.
        head: left part of the running head.
        size: size of type of the agreement in points, for PDF.
        a4: A4 paper, for PDF; otherwise US Letter.
    """
    made = {}
    for document in documents:
        blocks = read(document.text) if document.text else agreement(deal)
        if document.file.endswith(".pdf"):
            small = 11 if document.text else size
            cover = not document.text
            made[document.file] = to_pdf(blocks, head=(head, document.name), name=document.name, size=small, a4=a4, cover=cover)
        elif document.file.endswith(".docx"):
            dated = date.fromisoformat(re.findall(r"\d{4}-\d\d-\d\d", document.file)[0])
            made[document.file] = to_docx(blocks, head=f"{head}: {document.name}", name=document.name, dated=dated)
        else:
            made[document.file] = to_html(blocks, name=document.name).encode()
    return made
