"""The contents of an evidence bundle: everything in it that the log keeps of a run, and what is rendered of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from conformed.app.applications.known import application_of
from conformed.app.bundles.evidence_answer import ANSWER_PART
from conformed.app.bundles.evidence_covenant import COVENANT_PART
from conformed.app.bundles.evidence_words import readme
from conformed.app.bundles.gathering import Contents, keep
from conformed.app.bundles.part import Part
from conformed.engine.canonical import canonical_json
from conformed.engine.history import fold
from conformed.engine.kept import CONTRACT
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.policy.steps import Application
from conformed_audit import AuditLog

__all__ = ["CHECKERS", "Contents", "checker_files", "contents_of"]

CHECKERS = ("verify.py", "verify.sh", "recompute.py")
"""Scripts with which a reader checks bundles; a bundle holds those of its application."""
_PARTS: Mapping[Application, Part] = {Application.COVENANT: COVENANT_PART, Application.SHORT_ANSWER: ANSWER_PART}


def contents_of(log: AuditLog, run: str, *, documents: bool) -> Contents:
    """Gathers what a bundle of a run holds.

    Args:
        log: the log.
        run: the run, ended with a record.
        documents: whether source documents are to be in it; without them their commitments are, without salts.

    Raises:
        UsageError: when there is no such run, or it has no record.
        JournalError, ReplayError: when its records do not hold.
    """
    with ours("read"):
        records = list(log.records(run=run))
    if not records:
        raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
    history = fold(records, run)
    if not history.record:
        raise UsageError(f"Run {run} has no decision, so there is nothing to give evidence of.", "Resume it, or run it again.")
    part = _PARTS[application_of(history)]
    found = Contents(history.case, run)
    keep(log, found, "run/registrations.json", history.registrations)
    keep(log, found, "contract.yaml", history.kept.get(CONTRACT, ""))
    part.gather(log, found, history, documents)
    _finish(log, found, part, documents=documents)
    return found


def checker_files(names: Sequence[str] = CHECKERS) -> dict[str, bytes]:
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
        return {name: (inside / name if (inside / name).exists() else places[name]).read_bytes() for name in names}
    except OSError as problem:
        raise UsageError(
            "The scripts that check a bundle are not where the product was installed.", "Install it again."
        ) from problem


def _finish(log: AuditLog, found: Contents, part: Part, *, documents: bool) -> None:
    found.files |= checker_files(part.checkers)
    about = {"case": found.case, "documents": documents, "format": 1, "log": log.origin, "run": found.run}
    found.files["bundle.json"] = canonical_json(about) + b"\n"
    found.files["commitments.txt"] = "".join(sorted(found.commitments)).encode()
    told = readme(
        part, run=found.run, case=found.case, origin=log.origin, documents=documents, erased=found.erased, papers=found.papers,
        files=sorted([*found.files, "README.txt"]),
    )  # fmt: skip
    found.files["README.txt"] = told.encode()
