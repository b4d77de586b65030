"""The first application: a covenant tested on a pack of documents."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from conformed.app.applications.profile import Kept, Profile
from conformed.app.binding import Bound
from conformed.app.options import silent
from conformed.app.overrides.override_course import again_of, root_of, workflow_again
from conformed.app.overrides.override_papers import Added
from conformed.app.overrides.override_record import papers_kept
from conformed.app.overrides.overriding import recorded_run
from conformed.app.reading import PackFiles, read_file
from conformed.app.running import Course
from conformed.engine.gather import File
from conformed.engine.history import History
from conformed.engine.judge import stops
from conformed.engine.kept import SOURCES, read_sources
from conformed.engine.log import Log
from conformed.engine.manifest import Evidence
from conformed.engine.request import RunRequest
from conformed.engine.workflow import Workflow
from conformed.errors import JournalError
from conformed.hooks import Registry
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision
from conformed.model.document import Document
from conformed.model.pack import Manifest
from conformed.people.history import Outcome
from conformed.policy.schema import Application

__all__ = ["COVENANT"]

_SIGNS = {"le": "≤", "lt": "<", "ge": "≥", "gt": ">"}


def _kept(log: Log, history: History, request: RunRequest, registry: Registry) -> Kept:
    return _overridden(log, history, request, registry) if request.earlier else _plain(log, history, request, registry)


def _plain(log: Log, history: History, request: RunRequest, registry: Registry) -> Kept:
    commit = history.kept.get(SOURCES)
    if commit:
        listed, files = read_sources(log, commit)
        evidence = Evidence(tuple(files), listed.refusals, listed.unlisted, listed.digest)
        pack = PackFiles(listed.pack, listed.manifest, evidence)
    else:
        pack = PackFiles(request.pack, Manifest(), Evidence((), (), (), request.pack_digest))

    def workflow(bound: Bound) -> Workflow:
        return Course(bound, registry, pack, Path(request.pack_path), silent, _forget).workflow(request.question)

    return Kept(workflow, frozenset({"intake"} if commit else ()), "" if commit else "the run kept no source documents.")


def _overridden(log: Log, history: History, request: RunRequest, registry: Registry) -> Kept:
    """A run with overrides: the reading of its first run, and every paper that was added since, read again from its bytes."""
    earlier = recorded_run(log, request.earlier)
    root = root_of(log, earlier)
    known = {document.name for document in earlier.case.documents}
    new = {name: data for name, data in papers_kept(log, history.run).items() if name not in known}

    def workflow(bound: Bound) -> Workflow:
        added = [Added(_document(name, new[name], bound), new[name]) for name in sorted(new)]
        again = again_of(log, earlier, bound=bound, overrides=request.overrides, added=added)
        return workflow_again(again, earlier, root, bound=bound, registry=registry, progress=silent)

    return Kept(workflow)


def _document(name: str, data: bytes, bound: Bound) -> Document:
    found = read_file(File(name, data, hashlib.sha256(data).hexdigest()), bound.readers())
    if not isinstance(found, Document):
        raise JournalError("a paper that an override added can no longer be read.")
    return found


def _forget(_document: Document) -> None:
    """A replay keeps no document for a report."""


def _outcome(request: RunRequest, record: Decision | None) -> Outcome:
    return Outcome(record.result.value if record else "review", bool(request.overrides))


def _in_short(decision: Decision) -> str:
    """Result, level and ratio on one line; no word of a document but the covenant's section."""
    parts = [decision.result.value]
    if isinstance(decision.covenant, Covenant):
        limit = decision.covenant.limit
        parts.append(f"{_SIGNS[decision.covenant.comparator.value]} {limit.value} ({decision.covenant.section})")
    ratio = decision.calculation.ratio if isinstance(decision.calculation, Calculation) else None
    if ratio is not None and not isinstance(ratio, Missing):
        parts.append(f"ratio {ratio}")
    parts += sorted({reason.code for reason in decision.reasons if stops(reason.code)})
    return "; ".join(parts)


def _essence(decision: Decision) -> tuple[Any, ...]:
    """Result, overlay, governing levels, ratio, comparison, and every code that stops a run."""
    calculation = decision.calculation if isinstance(decision.calculation, Calculation) else None
    comparison = calculation.comparison if calculation else None
    return (
        decision.result, decision.overlay, _governs(decision.covenant), tuple(map(_governs, decision.candidates)),
        calculation.ratio if calculation and not isinstance(calculation.ratio, Missing) else None,
        None if comparison is None or isinstance(comparison, Missing) else comparison.met,
        tuple(sorted({(reason.code, reason.subject) for reason in decision.reasons if stops(reason.code)})),
    )  # fmt: skip


def _governs(covenant: Covenant | Missing) -> tuple[Any, ...]:
    if isinstance(covenant, Missing):
        return (covenant.code,)
    limit = covenant.limit
    return covenant.metric, covenant.section, covenant.comparator, limit.unit, limit.value, limit.currency


COVENANT: Profile[RunRequest, Decision] = Profile(
    Application.COVENANT, RunRequest, Decision, _kept, _outcome, _in_short, _essence
)
"""The covenant application."""
