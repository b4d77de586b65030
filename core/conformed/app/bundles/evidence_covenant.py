"""What a bundle of a covenant run holds: the decision, the calculation, what governs, the conformed copy, the documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pydantic import ValidationError

from conformed.app.answer import answer_of
from conformed.app.bundles.gathering import Contents, keep, opened
from conformed.app.bundles.part import Part
from conformed.app.copies.copy_html import render_copy
from conformed.app.copies.copy_text import copy_text
from conformed.engine.history import History, fold
from conformed.engine.kept import SOURCES, Sources
from conformed.engine.log import ours
from conformed.engine.request import RunRequest
from conformed.engine.slots import CALCULATED, EFFECTIVE
from conformed.errors import JournalError
from conformed.model.decision import Decision, Effective
from conformed.model.pack import Question
from conformed_audit import AuditLog

__all__ = ["COVENANT_PART"]

_COLUMNS = 100
_MOST_NAME = 60


def _gather(log: AuditLog, found: Contents, history: History, documents: bool) -> None:  # noqa: FBT001 - the shape of a part
    decision = keep(log, found, "decision.json", history.record)
    request = keep(log, found, "run/request.json", history.request)
    slots = {move.slot: move.commit for move in history.moves}
    keep(log, found, "trace.json", slots.get(CALCULATED.name, ""))
    effective = keep(log, found, "run/effective.json", slots.get(EFFECTIVE.name, ""))
    if decision is not None and effective is not None:
        _copies(found, decision, effective)
    _papers(log, found, history, request, documents=documents)


def _copies(found: Contents, decision: bytes, effective: bytes) -> None:
    """The conformed copy, rendered from what was recorded."""
    try:
        record, governs = Decision.model_validate_json(decision), Effective.model_validate_json(effective)
    except ValidationError:
        raise JournalError(f"What run {found.run} recorded is of another version.", "Use the version that recorded it.") from None
    asked = Question(test_date=record.test_date, known_at=record.known_at)
    if record.conformed:
        page = render_copy(record.conformed, answer_of(record.pack, asked, governs))
        found.files["conformed-copy.html"] = page.encode()
        found.files["conformed-copy.txt"] = copy_text(record.conformed, width=_COLUMNS).encode()


def _papers(log: AuditLog, found: Contents, history: History, request: bytes | None, *, documents: bool) -> None:
    """The source documents: those of the run's list, or of the run that it does again, and those that overrides added."""
    line = list(_line_of(log, history, request))
    listed = keep(log, found, "run/sources.json", next((one.kept[SOURCES] for one in line if SOURCES in one.kept), ""))
    named = [(one.name, one.commit) for one in _sources(listed).files] if listed is not None else []
    with ours("read"):
        named += [(item.name, item.commit) for one in line for r in log.records(one.case, one.run) for item in r.sources]
    if not documents:
        return
    for number, (own, commit) in enumerate(dict.fromkeys(named), 1):
        name = f"documents/{number:04}-{_plain(own)}"
        found.papers[name] = ascii(own)[1:-1]
        keep(log, found, name, commit)


def _line_of(log: AuditLog, history: History, request: bytes | None) -> Iterator[History]:
    """The run and those that it descends from, as far as that can be read."""
    yield history
    while request is not None and (earlier := RunRequest.model_validate_json(request).earlier):
        with ours("read"):
            before = fold(log.records(run=earlier), earlier)
        yield before
        content = opened(log, before.request)
        request = None if content is None else content.data


def _sources(data: bytes) -> Sources:
    try:
        return Sources.model_validate_json(data)
    except ValidationError:
        raise JournalError("The list of the run's files is none of this version.", "Use the version that recorded it.") from None


def _plain(name: str) -> str:
    """A document's name as it may stand in a bundle: letters, digits, dots and dashes, the end kept."""
    ascii_ = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", ascii_).strip("-.")[-_MOST_NAME:].strip("-.") or "document"


COVENANT_PART = Part(
    gather=_gather,
    checkers=("verify.py", "verify.sh", "recompute.py"),
    named="what was asked, the source documents, the decision, the calculation and the conformed copy",
    committed="documents, decision and calculation",
    again="4. To work the figures out again: python3 recompute.py decision.json\n",
    not_proved="""- That the documents are genuine or complete: only that these are the ones that were given to the run.
- That the decision is right: read it, and work it out again.
""",
    paperwork=("in this file", "not in this file; their commitments are in run/sources.json"),
    what={
        "conformed-copy.html": "the covenant as it reads on the test date, each word with its origin",
        "conformed-copy.txt": "the same as plain text",
        "decision.json": "the decision as recorded; recompute.py reads it",
        "recompute.py": "works the trace out again",
        "run/effective.json": "what governs, as recorded",
        "run/request.json": "what was asked",
        "run/sources.json": "every file of the run with its commitment",
        "trace.json": "the calculation as recorded, step by step",
    },
)
"""The covenant application's part."""
