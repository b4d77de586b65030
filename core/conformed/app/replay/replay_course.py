"""What a recorded run is replayed with: its request, and its contract as it kept it and as it is today."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from conformed.app.binding import contract_path, need_application
from conformed.engine.history import History
from conformed.engine.kept import CONTRACT
from conformed.engine.log import Log, ours
from conformed.errors import JournalError, UsageError
from conformed.policy.load import Loaded, load_bytes, load_model
from conformed.policy.schema import Application, TaskContract

__all__ = ["Asked", "contract_of", "contract_today", "read_request"]

M = TypeVar("M", bound=BaseModel)


class Asked(Protocol):
    """A request of any application, as far as it names the contract."""

    @property
    def contract(self) -> str:
        """Name and version."""
        ...


def read_request(log: Log, history: History, kind: type[M]) -> M:
    """What a run was asked.

    Raises:
        JournalError: when it was erased, or is none of this version.
    """
    with ours("read"):
        data = log.get_blob(history.request)
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        raise JournalError(
            "What the run was asked is no request of this version.", "Replay it with the version that ran it."
        ) from None


def contract_of(log: Log, history: History, policies: Path, request: Asked, application: Application) -> Loaded[TaskContract]:
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
        loaded = contract_today(policies, request, None, application)
    if loaded.digest != history.pins["contract"]:
        raise JournalError(
            "the run kept no contract, and the workspace's has other bytes."
            if not commit
            else "the contract kept is not the one pinned."
        )
    return loaded


def contract_today(policies: Path, request: Asked, named: str | None, application: Application) -> Loaded[TaskContract]:
    """The workspace's contract of today under the name of the run's, or the one that is named.

    Raises:
        JournalError: when there is none of that name, or it is for another application than it was.
        UsageError: when the one that is named is not there, or is for another application.
        PolicyError: when it is refused.
    """
    name = request.contract.partition(" ")[0]
    try:
        loaded = load_model(contract_path(policies, named or name), TaskContract)
        need_application(loaded.value, application)
    except UsageError as problem:
        if named:
            raise
        raise JournalError(f"the workspace has no contract {name!r} for {application.spoken}.", problem.mend) from problem
    return loaded
