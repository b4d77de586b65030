"""The shape of what an application brings, so that replay, evidence and people treat runs of every application alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from conformed.app.binding import Bound
from conformed.engine.history import History
from conformed.engine.log import Log
from conformed.engine.workflow import Workflow
from conformed.hooks import Registry
from conformed.people.history import Outcome
from conformed.policy.schema import Application

__all__ = ["Kept", "Profile"]

Q = TypeVar("Q", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a run's input is left, and the steps made of it."""

    workflow: Callable[[Bound], Workflow]
    """The steps, bound to a contract's plugins and to what was kept."""
    again: frozenset[str] = frozenset()
    """Steps that are no pure ones and can be done again, since their whole input was kept."""
    lacking: str = ""
    """Why steps cannot be done again; empty where they can."""


@dataclass(frozen=True, slots=True)
class Profile(Generic[Q, R]):
    """One application. Its requests name a contract in ``contract``, name and version, and in ``contract_digest``."""

    application: Application
    """Which."""
    request: type[Q]
    """What a run is asked."""
    record: type[R]
    """What a run ends in."""
    kept: Callable[[Log, History, Q, Registry], Kept]
    """What a run kept, ready to be done again. Raises JournalError where something was erased or does not hold."""
    outcome: Callable[[Q, R | None], Outcome]
    """What of a run bears on who must approve it; of a run without a record as of one that is open."""
    in_short: Callable[[R], str]
    """A record on one line, for people; no word of a document."""
    essence: Callable[[R], object]
    """What two records must share to be called the same decision."""
