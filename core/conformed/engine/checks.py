"""Checks every proposal against the text that it cites, before any rule sees it.

The walk is generic: it goes through any model, in the order of its fields, and finds every span and every name of a document in
it. A span passes when the words that it quotes stand exactly where it says. Sentences name the place inside the proposal
(``operations[2].instruction[0]``) and never repeat words that a plugin or a document supplied.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from pydantic import BaseModel

from conformed.engine.workflow import RefusedError
from conformed.model.document import Document
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Passage, Retrieved
from conformed.model.span import Span

__all__ = ["check_proposal", "check_retrieved", "check_spans", "spans_of"]

_PLAIN = re.compile(r"[a-z][a-z0-9_]{0,40}\Z")


def spans_of(value: Any) -> Iterator[tuple[str, Span]]:
    """Every span inside a value with its path, in the order of fields, items and sorted keys."""
    for path, node in _walk(value, ""):
        if isinstance(node, Span):
            yield path, node


def _walk(value: Any, path: str) -> Iterator[tuple[str, BaseModel]]:
    if isinstance(value, BaseModel):
        yield path, value
        if isinstance(value, Span):
            return
        for name in type(value).model_fields:
            yield from _walk(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from _walk(item, f"{path}[{place}]")
    elif isinstance(value, dict):
        for place, key in enumerate(sorted(value, key=str)):
            # A key is a plugin's word: it is shown only where it is a plain name.
            shown = key if isinstance(key, str) and _PLAIN.match(key) else f"#{place}"
            yield from _walk(value[key], f"{path}.{shown}")


def check_proposal(proposal: BaseModel, case: CaseFile, authorised: Collection[str]) -> None:
    """Checks spans and names of documents of whatever a plugin proposed.

    Args:
        proposal: what a plugin returned.
        case: the only texts that may be cited.
        authorised: names of the documents that may be looked at.

    Raises:
        RefusedError: review_outside_pack for a document that is not among them, review_span_mismatch for words that do not
            stand at the place cited.
    """
    documents = {document.name: document for document in case.documents if document.name in authorised}
    for path, node in _walk(proposal, ""):
        if isinstance(node, Span):
            _check_span(path, node, documents)
            continue
        # ``document`` is the model's word for the name of a document, wherever it occurs.
        if "document" in type(node).model_fields:
            _inside(f"{path}.document".lstrip("."), getattr(node, "document"), documents)  # noqa: B009 - the field is found by name
        if isinstance(node, Passage):
            _check_passage(path, node, documents)


def check_spans(value: BaseModel, case: CaseFile) -> None:
    """Checks every span of what a step of ours gave, as a proof that no rule made up a place.

    Raises:
        RefusedError: as check_proposal.
    """
    documents = {document.name: document for document in case.documents}
    for path, span in spans_of(value):
        _check_span(path, span, documents)


def check_retrieved(retrieved: Retrieved, case: CaseFile) -> None:
    """Checks that retrieval stayed inside the pack and inside what it authorised itself.

    Raises:
        RefusedError: as check_proposal.
    """
    names = {document.name for document in case.documents}
    for place, name in enumerate(retrieved.authorised):
        if name not in names:
            raise _outside(f"authorised[{place}]")
    check_proposal(retrieved, case, retrieved.authorised)


def _check_span(path: str, span: Span, documents: dict[str, Document]) -> None:
    document = _inside(path, span.document, documents)
    if span.sha256 != document.sha256:
        raise _mismatch(path, "gives another hash than the document's")
    if not 0 <= span.start <= span.end <= len(document.text):
        raise _mismatch(path, "lies outside the document's text")
    if document.text[span.start : span.end] != span.text:
        raise _mismatch(path, "quotes words that do not stand there")
    page = document.page_of(span.start) if document.paged else None
    if span.page != page:
        raise _mismatch(path, "gives another page than the one on which the words stand")


def _check_passage(path: str, passage: Passage, documents: dict[str, Document]) -> None:
    document = _inside(path, passage.document, documents)
    if not 0 <= passage.start <= passage.end <= len(document.text):
        raise _mismatch(path, "lies outside the document's text")


def _inside(path: str, name: Any, documents: dict[str, Document]) -> Document:
    if not isinstance(name, str) or name not in documents:
        raise _outside(path)
    return documents[name]


def _outside(path: str) -> RefusedError:
    return RefusedError(
        f"The proposal names a document at {path} that is not among the authorised documents of the pack.",
        "Nothing of the proposal was used; look at the plugin that made it.",
        code="review_outside_pack",
    )


def _mismatch(path: str, what: str) -> RefusedError:
    return RefusedError(
        f"The span at {path or 'the top'} {what}.",
        "Nothing of the proposal was used; look at the plugin that made it.",
        code="review_span_mismatch",
    )
