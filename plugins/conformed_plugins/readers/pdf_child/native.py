"""pdfium's C interface, as far as this reader uses it, with plain integers for handles.

Handles travel as integers instead of typed pointers: the calls are made some hundred times a page, and ctypes spends
most of their time on building pointer objects.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pypdfium2_raw as _raw  # type: ignore[import-untyped, unused-ignore]

__all__ = ["Opened", "RefusedError", "call", "load_page", "load_text", "open_document", "raw"]

raw: Any = _raw

_HANDLES = {
    "FPDF_LoadMemDocument64", "FPDF_LoadPage", "FPDFText_LoadPage", "FPDFPage_GetObject", "FPDFFormObj_GetObject",
    "FPDFText_GetTextObject", "FPDFPage_GetAnnot", "FPDFPath_GetPathSegment", "FPDF_CreateNewDocument",
    "FPDFBitmap_CreateEx", "FPDFBitmap_GetBuffer", "FPDFDOC_InitFormFillEnvironment", "FPDFTextObj_GetFont",
    "FPDFPageObj_GetClipPath", "FPDFClipPath_GetPathSegment", "FPDFPageObj_GetMark",
}  # fmt: skip


def call(name: str) -> Callable[..., Any]:
    """A function of pdfium whose pointers to opaque structures are plain integers.

    It is a function object of our own at the same address: those of the library keep their types for whoever else uses them.
    """
    function = getattr(raw, name)
    result = ctypes.c_void_p if name in _HANDLES else function.restype
    takes = [ctypes.c_void_p if _opaque(kind) else kind for kind in (function.argtypes or ())]
    return ctypes.CFUNCTYPE(result, *takes)(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _opaque(kind: Any) -> bool:
    target = getattr(kind, "_type_", None)
    return isinstance(target, type) and issubclass(target, ctypes.Structure) and not getattr(target, "_fields_", None)


class RefusedError(Exception):
    """The file cannot be read: a short code and a sentence that begins after the file's name."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code, self.sentence = code, sentence
        super().__init__(code, sentence)


_init = call("FPDF_InitLibrary")
_load = call("FPDF_LoadMemDocument64")
_close = call("FPDF_CloseDocument")
_error = call("FPDF_GetLastError")
_count = call("FPDF_GetPageCount")
_revision = call("FPDF_GetSecurityHandlerRevision")
_load_page = call("FPDF_LoadPage")
_close_page = call("FPDF_ClosePage")
_load_text = call("FPDFText_LoadPage")
_close_text = call("FPDFText_ClosePage")
_ready = False


class Opened:
    """An open document.

    Args:
        handle: pdfium's handle.
        pages: number of pages that pdfium counts.
        restricted: whether the file is encrypted (and opens without a password).
    """

    def __init__(self, handle: int, pages: int, *, restricted: bool) -> None:
        self.handle, self.pages, self.restricted = handle, pages, restricted


@contextmanager
def open_document(data: Any) -> Iterator[Opened]:
    """Opens a document from bytes or a memory map.

    Raises:
        RefusedError: when pdfium cannot open it, by name (``encrypted``, ``broken``).
    """
    global _ready
    if not _ready:
        _init()
        _ready = True
    buffer = (
        (ctypes.c_char * len(data)).from_buffer_copy(data)
        if isinstance(data, bytes)
        else (ctypes.c_char * len(data)).from_buffer(data)
    )
    handle = _load(ctypes.addressof(buffer), len(data), None)
    if not handle:
        if _error() == raw.FPDF_ERR_PASSWORD:
            raise RefusedError("encrypted", "asks for a password. Save a copy without the password and put that into the pack.")
        if _error() == raw.FPDF_ERR_SECURITY:
            raise RefusedError("encrypted", "is protected in a way that cannot be opened. Save a copy without protection.")
        raise RefusedError("broken", "is damaged and cannot be opened as a PDF. Ask for the file again.")
    try:
        yield Opened(handle, _count(handle), restricted=_revision(handle) >= 0)
    finally:
        _close(handle)
        del buffer


@contextmanager
def load_page(document: Opened, index: int) -> Iterator[int]:
    """Loads a page (0-based) and closes it.

    Raises:
        RefusedError: when the page cannot be loaded.
    """
    page = _load_page(document.handle, index)
    if not page:
        raise RefusedError("broken", f"has a page that cannot be read (page {index + 1}). Ask for the file again.")
    try:
        yield page
    finally:
        _close_page(page)


@contextmanager
def load_text(page: int, number: int) -> Iterator[int]:
    """Loads the text of a page and closes it.

    Raises:
        RefusedError: when pdfium cannot read the page's text.
    """
    text = _load_text(page)
    if not text:
        raise RefusedError("broken", f"has a page whose text cannot be read (page {number}). Ask for the file again.")
    try:
        yield text
    finally:
        _close_text(text)
