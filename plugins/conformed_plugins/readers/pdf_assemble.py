"""From what the child saw on each page to a document: canonical text, runs, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conformed.model.document import Document, Media, Note, Page
from conformed.model.span import Run
from conformed_plugins.readers.pdf_furniture import furniture
from conformed_plugins.readers.pdf_process import ChildError

__all__ = ["assemble", "unread"]

BLANK = "shows no words at all: its pages are blank. Ask for the file again."
NO_TEXT = (
    "has no text layer: its pages are pictures, and they could not be read by OCR. "
    "Supply a searchable copy, or install the program tesseract."
)


def assemble(name: str, digest: str, found: dict[str, Any], reader: str) -> Document:
    """The document of one reading.

    Args:
        name: path inside the pack.
        digest: SHA-256 of the bytes, in hex.
        found: the child's answer.
        reader: name and version of the reader.

    Raises:
        ChildError: when no page has a word.
    """
    seen = found["pages"]
    texts = [page["text"] for page in seen]
    if not any(text.strip() for text in texts):
        raise ChildError("no_text_layer", NO_TEXT if any(page.get("drawn") for page in seen) else BLANK)
    pages: list[Page] = []
    start = 0
    for number, page in enumerate(seen, 1):
        end = start + len(page["text"])
        pages.append(Page(number=number, start=start, end=end, width=page["size"][0], height=page["size"][1]))
        start = end + 1
    edges = furniture(texts)
    return Document(
        name=name,
        sha256=digest,
        media=Media.PDF,
        reader=reader,
        text="\f".join(texts),
        pages=tuple(pages),
        paged=True,
        struck=_runs(pages, (page.get("struck", ()) for page in seen)),
        inserted=_runs(pages, (page.get("inserted", ()) for page in seen)),
        hidden=_runs(pages, (page.get("hidden", ()) for page in seen)),
        furniture=_runs(pages, ([*edge, *page.get("marks", ())] for edge, page in zip(edges, seen, strict=True))),
        notes=tuple(_notes(found)),
    )


def unread(page: dict[str, Any]) -> bool:
    """Whether a page shows something, and its text layer says nothing or nearly nothing of it."""
    if page.get("ocr") or page.get("layer") or not page.get("drawn"):
        return False
    return not page["text"].strip() or (page.get("picture", 0) > 0.6 and len(page["text"].split()) < 30)


def _runs(pages: list[Page], stretches: Iterable[Iterable[Iterable[int]]]) -> tuple[Run, ...]:
    """Stretches of pages as sorted, disjoint runs of the canonical text."""
    merged: list[tuple[int, int]] = []
    for page, runs in zip(pages, stretches, strict=True):
        for first, last in sorted((start, end) for start, end in runs):
            start, end = page.start + first, page.start + last
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
    return tuple(Run(start=start, end=end) for start, end in merged)


def _notes(found: dict[str, Any]) -> Iterator[Note]:
    if found["restricted"]:
        yield Note(code="restricted", sentence="The file is encrypted and restricts its use; it opens without a password.")
    if found["repaired"]:
        yield Note(code="repaired", sentence=f"The file is damaged ({found['repaired']}); it was opened after a repair.")
    if found["held"] is not None:
        count = len(found["pages"])
        yield Note(
            code="engines_disagree",
            sentence=f"The file holds {found['held']} page objects but counts {count} pages: the same page may come back.",
        )
    if found["fonts"]:
        more = f" and {len(found['fonts']) - 3} more" if len(found["fonts"]) > 3 else ""
        yield Note(
            code="text_layer_suspect",
            sentence=f"The text layer says other characters than are shown: {'; '.join(found['fonts'][:3])}{more}.",
        )
    for number, page in enumerate(found["pages"], 1):
        for code, sentence in _page_notes(page):
            yield Note(code=code, sentence=f"Page {number}: {sentence}", page=number)


def _page_notes(page: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if page.get("ocr"):
        yield "ocr", "the words were read from the picture by OCR and are not certain."
    elif page.get("layer"):
        yield "ocr", "the words are an invisible layer on a picture, made by OCR elsewhere; they are not certain."
    elif unread(page):
        yield (
            "no_text_layer",
            f"words on it that are drawn as a picture were not read ({page.get('ocr_failed') or 'no OCR program'}).",
        )
    if page.get("hidden"):
        yield "hidden_text", "some words cannot be seen by a person (invisible, covered, or off the page); they are kept apart."
    if page.get("suspect"):
        yield "text_layer_suspect", f"the text layer may not say what is shown: {page['suspect']}."
    if page.get("comments"):
        yield "annotation", "comments or drawings are pinned onto the page; they are not part of its words."
    if page.get("incomplete"):
        yield "marks_unchecked", "too much is drawn on the page to tell whether words are struck or hidden."
