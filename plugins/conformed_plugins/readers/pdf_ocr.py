"""OCR of the pages that have no text layer: which pages, within which bounds, and where each word stands."""

from __future__ import annotations

import shutil
from collections import OrderedDict
from typing import Any

from conformed.model.document import Document
from conformed_plugins.readers.pdf_assemble import unread
from conformed_plugins.readers.pdf_process import Bounds, ChildError, Children

__all__ = ["Ocr"]

DPI = 200
PAGE_SECONDS = 20
ALL_SECONDS = 240
MOST_PAGES = 40
KEPT = 8
"""Documents whose rectangles are kept in memory."""

_Word = tuple[int, int, tuple[int, int, int, int]]
"""Start and end in the page's text, and the rectangle."""


class Ocr:
    """Runs the OCR program and remembers where the words of the last documents stand.

    Args:
        children: the child processes.
        allowed: whether OCR may run at all.
    """

    def __init__(self, children: Children, *, allowed: bool) -> None:
        self._program = shutil.which("tesseract") if allowed else None
        self._children = children
        self._known: OrderedDict[str, dict[int, list[_Word]]] = OrderedDict()

    @property
    def program(self) -> str | None:
        """The OCR program; None where there is none, or it may not run."""
        return self._program

    def fill(self, digest: str, data: bytes, pages: list[dict[str, Any]]) -> None:
        """Adds the words of pictures to the pages that need them; what could not be read says why."""
        wanted = [index for index, page in enumerate(pages) if unread(page)]
        if not wanted:
            return
        if self._program is None:
            for index in wanted:
                pages[index]["ocr_failed"] = "no OCR program is installed"
            return
        for index in wanted[MOST_PAGES:]:
            pages[index]["ocr_failed"] = f"more than {MOST_PAGES} pages need OCR"
        known: dict[int, list[_Word]] = {}
        for answer in self._ask(digest, data, wanted[:MOST_PAGES]):
            page = pages[answer["page"]]
            if "failed" in answer:
                page["ocr_failed"] = answer["failed"]
            elif answer["lines"]:
                page["text"], known[answer["page"]] = _laid(page["text"], answer["lines"])
                page["ocr"] = True
            else:
                page["ocr_failed"] = "OCR found no words"
        self._keep(digest, known)

    def boxes(self, document: Document, data: bytes, page: int, start: int, end: int) -> list[list[int]]:
        """Rectangles, one a line, of a stretch of a page that was read by OCR; empty where it was not.

        Args:
            document: the document.
            data: its bytes.
            page: 0-based.
            start: first code point of the page.
            end: one past the last.
        """
        read = any(note.code == "ocr" and note.page == page + 1 for note in document.notes)
        if not read or self._program is None:
            return []
        known = self._known.get(document.sha256, {})
        if page not in known:
            known = self._again(document, data, page)
        lines: list[list[int]] = []
        before = -1
        for first, last, (left, top, right, bottom) in known.get(page, []):
            if last <= start or first >= end:
                continue
            text = (
                document.text[document.pages[page].start + before : document.pages[page].start + first] if before >= 0 else "\n"
            )
            if "\n" in text:
                lines.append([left, top, right, bottom])
            else:
                line = lines[-1]
                lines[-1] = [min(line[0], left), min(line[1], top), max(line[2], right), max(line[3], bottom)]
            before = last
        return lines

    def _again(self, document: Document, data: bytes, page: int) -> dict[int, list[_Word]]:
        """Reads one page again, where its words are no longer in memory; believed only when it says the same."""
        whole = document.text[document.pages[page].start : document.pages[page].end]
        known = dict(self._known.get(document.sha256, {}))
        for answer in self._ask(document.sha256, data, [page]):
            lines = answer.get("lines")
            if lines and whole.endswith(_laid("", lines)[0]):
                known[page] = _laid(whole[: len(whole) - len(_laid("", lines)[0])].removesuffix("\r\n"), lines)[1]
        self._keep(document.sha256, known)
        return known

    def _ask(self, digest: str, data: bytes, pages: list[int]) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = []
        request = {
            "do": "ocr", "pages": pages, "program": self._program, "dpi": DPI,
            "page_seconds": PAGE_SECONDS, "all_seconds": ALL_SECONDS,
        }  # fmt: skip
        longest = min(ALL_SECONDS, PAGE_SECONDS * len(pages)) + 5.0
        try:
            self._children.ask(digest, data, request, Bounds(first=longest, cap=longest), on_frame=answers.append)
        except ChildError as failure:
            done = {answer["page"] for answer in answers}
            answers.extend({"page": page, "failed": f"OCR was stopped: {failure.code}"} for page in pages if page not in done)
        return answers

    def _keep(self, digest: str, known: dict[int, list[_Word]]) -> None:
        if not known:
            return
        self._known[digest] = known
        self._known.move_to_end(digest)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)


def _laid(layer: str, lines: list[list[list[Any]]]) -> tuple[str, list[_Word]]:
    """The text of a page (its layer, then the words of the picture) and where each word stands in it."""
    parts = [layer, "\r\n"] if layer.strip() else []
    at = sum(len(part) for part in parts)
    words: list[_Word] = []
    for number, line in enumerate(lines):
        for place, (word, left, top, right, bottom, _sure) in enumerate(line):
            gap = "" if not number and not place else "\r\n" if not place else " "
            parts += [gap, word]
            at += len(gap)
            words.append((at, at + len(word), (left, top, right, bottom)))
            at += len(word)
    return "".join(parts), words
