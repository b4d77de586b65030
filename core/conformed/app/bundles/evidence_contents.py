"""The contents of an evidence bundle: everything in it that the log keeps of a run, and what is rendered of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from conformed.app.answer import answer_of
from conformed.app.bundles.evidence_words import readme
from conformed.app.copies.copy_html import render_copy
from conformed.app.copies.copy_text import copy_text
from conformed.engine.canonical import canonical_json
from conformed.engine.history import History, fold
from conformed.engine.kept import CONTRACT, SOURCES, Sources
from conformed.engine.log import ours
from conformed.engine.request import RunRequest
from conformed.engine.slots import CALCULATED, EFFECTIVE
from conformed.errors import JournalError, UsageError
from conformed.model.decision import Decision, Effective
from conformed.model.pack import Question
from conformed_audit import AuditLog
from conformed_audit.blobs import Opened
from conformed_audit.errors import ErasedError

__all__ = ["CHECKERS", "Contents", "checker_files", "contents_of"]

CHECKERS = ("verify.py", "verify.sh", "recompute.py")
"""What a reader checks a bundle with; copies of them are in it."""
_COLUMNS = 100
_MOST_NAME = 60


@dataclass(slots=True)
class Contents:
    """What is to be in a bundle besides the log's part."""

    case: str
    """The case."""
    run: str
    """The run."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Names in the bundle with their bytes."""
    erased: list[str] = field(default_factory=list)
    """What was erased, by name."""
    commitments: list[str] = field(default_factory=list)
    """Lines: commitment, salt, file."""
    papers: dict[str, str] = field(default_factory=dict)
    """Names in the bundle to the documents' own names, escaped."""


def contents_of(log: AuditLog, run: str, *, documents: bool) -> Contents:
    """Gathers what a bundle of a run holds.

    Args:
        log: the log.
        run: the run, ended with a decision.
        documents: whether source documents are to be in it; without them their commitments are, without salts.

    Raises:
        UsageError: when there is no such run, or it has no decision.
        JournalError, ReplayError: when its records do not hold.
    """
    with ours("read"):
        records = list(log.records(run=run))
    if not records:
        raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
    history = fold(records, run)
    if not history.record:
        raise UsageError(
            f"Run {run} has no decision, so there is nothing to give evidence of.", "Resume it, or run the pack again."
        )
    found = Contents(history.case, run)
    decision = _keep(log, found, "decision.json", history.record)
    request = _keep(log, found, "run/request.json", history.request)
    _keep(log, found, "run/registrations.json", history.registrations)
    _keep(log, found, "contract.yaml", history.kept.get(CONTRACT, ""))
    slots = {move.slot: move.commit for move in history.moves}
    _keep(log, found, "trace.json", slots.get(CALCULATED.name, ""))
    effective = _keep(log, found, "run/effective.json", slots.get(EFFECTIVE.name, ""))
    if decision is not None and effective is not None:
        _copies(found, decision, effective)
    _papers(log, found, history, request, documents=documents)
    _finish(log, found, documents=documents)
    return found


def checker_files() -> dict[str, bytes]:
    """The scripts that check a bundle: inside an installed wheel, or at the top of a checkout.

    Raises:
        UsageError: when they are not there, which means that the installation is damaged.
    """
    inside, docs = Path(__file__).parents[1] / "defaults" / "verify", Path(__file__).parents[4] / "docs"
    places = {
        "verify.py": docs / "verify" / "verify.py",
        "verify.sh": docs / "verify" / "verify.sh",
        "recompute.py": docs / "recompute.py",
    }
    try:
        return {name: (inside / name if (inside / name).exists() else places[name]).read_bytes() for name in CHECKERS}
    except OSError as problem:
        raise UsageError(
            "The scripts that check a bundle are not where the product was installed.", "Install it again."
        ) from problem


def _open(log: AuditLog, commit: str) -> Opened | None:
    """Content from the log; None where it was erased.

    Raises:
        JournalError: when it is absent or damaged.
    """
    with ours("read"):
        try:
            return log.open_blob(commit)
        except ErasedError:
            return None


def _keep(log: AuditLog, found: Contents, name: str, commit: str) -> bytes | None:
    """Takes some content into the bundle with the salt of its commitment. Nothing where the run has no such content."""
    if not commit:
        return None
    opened = _open(log, commit)
    if opened is None:
        found.erased.append(name)
        return None
    found.files[name] = opened.data
    found.commitments.append(f"{commit} {opened.salt.hex() if opened.salt is not None else '-'} {name}\n")
    return opened.data


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
    listed = _keep(log, found, "run/sources.json", next((one.kept[SOURCES] for one in line if SOURCES in one.kept), ""))
    named = [(one.name, one.commit) for one in _sources(listed).files] if listed is not None else []
    with ours("read"):
        named += [(item.name, item.commit) for one in line for r in log.records(one.case, one.run) for item in r.sources]
    if not documents:
        return
    for number, (own, commit) in enumerate(dict.fromkeys(named), 1):
        name = f"documents/{number:04}-{_plain(own)}"
        found.papers[name] = ascii(own)[1:-1]
        _keep(log, found, name, commit)


def _line_of(log: AuditLog, history: History, request: bytes | None) -> Iterator[History]:
    """The run and those that it descends from, as far as that can be read."""
    yield history
    while request is not None and (earlier := RunRequest.model_validate_json(request).earlier):
        with ours("read"):
            before = fold(log.records(run=earlier), earlier)
        yield before
        opened = _open(log, before.request)
        request = None if opened is None else opened.data


def _sources(data: bytes) -> Sources:
    try:
        return Sources.model_validate_json(data)
    except ValidationError:
        raise JournalError("The list of the run's files is none of this version.", "Use the version that recorded it.") from None


def _finish(log: AuditLog, found: Contents, *, documents: bool) -> None:
    found.files |= checker_files()
    about = {"case": found.case, "documents": documents, "format": 1, "log": log.origin, "run": found.run}
    found.files["bundle.json"] = canonical_json(about) + b"\n"
    found.files["commitments.txt"] = "".join(sorted(found.commitments)).encode()
    told = readme(
        run=found.run, case=found.case, origin=log.origin, documents=documents, erased=found.erased, papers=found.papers,
        files=sorted([*found.files, "README.txt"]),
    )  # fmt: skip
    found.files["README.txt"] = told.encode()


def _plain(name: str) -> str:
    """A document's name as it may stand in a bundle: letters, digits, dots and dashes, the end kept."""
    ascii_ = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.]+", "-", ascii_).strip("-.")[-_MOST_NAME:].strip("-.") or "document"
