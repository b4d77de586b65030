"""The built-in plugins, entering by the same door as a stranger's. Each is imported only when a contract makes it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from conformed.hooks import Register, Registration, hookimpl

__all__ = ["register_drafters", "register_extractors", "register_readers", "register_retrievers", "register_sinks"]

VERSION = "1.0.0"


def _maker(module: str, name: str) -> Any:
    def make(_options: object) -> object:
        return getattr(import_module(f"conformed_plugins.{module}"), name)()

    return make


def _maker_with_options(module: str, name: str) -> Any:
    def make(options: object) -> object:
        return getattr(import_module(f"conformed_plugins.{module}"), name)(options)

    return make


def _offer(register: Register, kind: str, name: str, summary: str, module: str, thing: str) -> None:
    register(Registration(kind=kind, name=name, version=VERSION, summary=summary, factory=_maker(module, thing)))


@hookimpl
def register_readers(register: Register) -> None:
    """Readers of the formats in which packs arrive."""
    _offer(
        register,
        "reader",
        "pdf",
        "Reads PDF through pdfium in a child process; tables and boxes on demand.",
        "readers.pdf",
        "PdfReader",
    )
    _offer(register, "reader", "html", "Reads HTML, struck and hidden words kept apart.", "readers.html", "HtmlReader")
    _offer(register, "reader", "xlsx", "Reads workbooks, every cell as a person sees it.", "readers.xlsx", "XlsxReader")
    _offer(register, "reader", "docx", "Reads DOCX with tracked changes and automatic numbering.", "readers.docx", "DocxReader")
    _offer(register, "reader", "text", "Reads plain text and Markdown.", "readers.text", "TextReader")


@hookimpl
def register_retrievers(register: Register) -> None:
    """Retrieval."""
    _offer(
        register,
        "retriever",
        "index",
        "Sections and defined terms first, full-text search second.",
        "retrievers.index",
        "IndexRetriever",
    )


@hookimpl
def register_extractors(register: Register) -> None:
    """Extraction by rules, the non-generative baseline."""
    _offer(
        register,
        "extractor",
        "clauses",
        "Covenants, amendments and waivers by the grammar of contract language.",
        "extractors.clauses",
        "ClauseExtractor",
    )
    _offer(
        register,
        "extractor",
        "certificate",
        "Figures of filled compliance certificates.",
        "extractors.certificate",
        "CertificateExtractor",
    )


@hookimpl
def register_drafters(register: Register) -> None:
    """Drafts."""
    _offer(register, "drafter", "templates", "Puts checked claims into plain sentences.", "drafters.templates", "TemplateDrafter")


@hookimpl
def register_sinks(register: Register) -> None:
    """Whoever is given the signed checkpoints of the log."""
    from conformed_plugins.sinks.options import FileOptions, LineOptions, WitnessOptions

    for name, summary, thing, options in (
        ("file", "Checkpoints as files of a folder, never over one another.", "FileSink", FileOptions),
        ("line", "Checkpoints as printed lines.", "LineSink", LineOptions),
        ("witness", "Checkpoints to a witness that checks and cosigns.", "WitnessSink", WitnessOptions),
    ):
        factory = _maker_with_options(f"sinks.{name}", thing)
        register(Registration("sink", name, VERSION, summary, factory, options))
