"""What a recorded run is replayed with: its request, its contract, its files, and the steps bound to them, all from the log."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from conformed.app.binding import Bound, contract_path
from conformed.app.options import silent
from conformed.app.overrides.override_course import again_of, root_of, workflow_again
from conformed.app.overrides.override_papers import Added
from conformed.app.overrides.override_record import papers_kept
from conformed.app.overrides.overriding import recorded_run
from conformed.app.reading import PackFiles, read_file
from conformed.app.running import Course
from conformed.engine.gather import File
from conformed.engine.history import History
from conformed.engine.kept import CONTRACT, SOURCES, read_sources
from conformed.engine.log import Log, ours
from conformed.engine.manifest import Evidence
from conformed.engine.request import RunRequest
from conformed.engine.workflow import Workflow
from conformed.errors import JournalError, UsageError
from conformed.hooks import Registry
from conformed.model.document import Document
from conformed.model.pack import Manifest
from conformed.policy.bind import bind
from conformed.policy.load import Loaded, load_bytes, load_model
from conformed.policy.schema import TaskContract

__all__ = ["Kept", "bound_to", "contract_of", "contract_today", "kept_of", "read_request"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a run's input is left, and the steps made of it."""

    workflow: Callable[[Bound], Workflow]
    """The steps, bound to a contract's plugins and to the files that were kept."""
    again: frozenset[str]
    """Steps that are no pure ones and can be done again, since their whole input was kept."""
    lacking: str
    """Why steps cannot be done again; empty where they can."""


def read_request(log: Log, history: History) -> RunRequest:
    """What a run was asked.

    Raises:
        JournalError: when it was erased, or is none of this version.
    """
    with ours("read"):
        data = log.get_blob(history.request)
    try:
        return RunRequest.model_validate_json(data)
    except ValidationError:
        raise JournalError(
            "What the run was asked is no request of this version.", "Replay it with the version that ran it."
        ) from None


def contract_of(log: Log, history: History, policies: Path, request: RunRequest) -> Loaded[TaskContract]:
    """The contract of a run: as the run kept it, or of an older run the workspace's where its bytes are still the same.

    Raises:
        JournalError: when it was erased, or neither is there.
        PolicyError: when this version no longer takes it.
    """
    commit = history.kept.get(CONTRACT)
    if commit:
        with ours("read"):
            loaded = load_bytes(log.get_blob(commit), TaskContract, name=f"the contract of run {history.run}")
    else:
        loaded = contract_today(policies, request, None)
    if loaded.digest != history.pins["contract"]:
        raise JournalError(
            "the run kept no contract, and the workspace's has other bytes."
            if not commit
            else "the contract kept is not the one pinned."
        )
    return loaded


def contract_today(policies: Path, request: RunRequest, named: str | None) -> Loaded[TaskContract]:
    """The workspace's contract of today under the name of the run's, or the one that is named.

    Raises:
        JournalError: when there is none of that name.
        PolicyError: when it is refused.
    """
    name = request.contract.partition(" ")[0]
    try:
        path = contract_path(policies, named or name)
    except UsageError as problem:
        if named:
            raise
        raise JournalError(f"the workspace has no contract {name!r}.") from problem
    return load_model(path, TaskContract)


def bound_to(loaded: Loaded[TaskContract], registry: Registry) -> Bound:
    """A contract with today's plugins.

    Raises:
        PolicyError: when a plugin that it pins is not there.
    """
    return Bound(bind(loaded, registry))


def kept_of(log: Log, history: History, request: RunRequest, registry: Registry) -> Kept:
    """What a run kept, ready to be done again.

    Raises:
        JournalError: when something that it kept was erased, or does not hold.
        UsageError: when a run before it cannot be read back.
    """
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

    return Kept(workflow, frozenset(), "")


def _document(name: str, data: bytes, bound: Bound) -> Document:
    found = read_file(File(name, data, hashlib.sha256(data).hexdigest()), bound.readers())
    if not isinstance(found, Document):
        raise JournalError("a paper that an override added can no longer be read.")
    return found


def _forget(_document: Document) -> None:
    """A replay keeps no document for a report."""
