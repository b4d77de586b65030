"""The hooks. A plugin implements some of these functions, marked with ``hookimpl``; docs/hooks.md explains each.

Hooks register, observe or refuse; the engine calls what was registered. No verdict is ever the result of a hook call,
so neither the order of plugins nor a wrapper can change one. A hook is added only with its second user, and an
argument only at the end of a signature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pluggy

from conformed.hooks.registration import Kind, Registration

__all__ = [
    "API_VERSION",
    "GROUP",
    "HOOKS",
    "REGISTER_HOOKS",
    "Register",
    "WrittenRecord",
    "check_policy",
    "hookimpl",
    "record_written",
    "register_backends",
    "register_commands",
    "register_drafters",
    "register_executors",
    "register_extractors",
    "register_readers",
    "register_retrievers",
    "register_scorers",
    "register_sinks",
    "register_trackers",
    "register_trainers",
    "register_verifiers",
]

API_VERSION = 1
"""Version of these hooks. A plugin module may state the one that it was written for as ``CONFORMED_API``."""
GROUP = "conformed.plugins"
"""Entry-point group."""

hookspec = pluggy.HookspecMarker("conformed")
hookimpl = pluggy.HookimplMarker("conformed")
"""Marks a function of a plugin as the implementation of the hook of that name."""

Register = Callable[[Registration], None]
"""Takes in one registration; works only while the hook runs."""


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record of the log after it was written."""

    case: str
    """Case to which it belongs."""
    cseq: int
    """Its number within the case, from 0."""
    kind: str
    """Its kind, ``step.outcome`` for instance."""
    leaf: str
    """Its name: 64 lower-case hex digits."""
    body: bytes
    """Its exact bytes."""


@hookspec
def register_readers(register: Register) -> None:
    """Offers readers: each reads one format into a document (ports.Reader)."""


@hookspec
def register_retrievers(register: Register) -> None:
    """Offers retrievers: each finds the passages that matter (ports.Retriever)."""


@hookspec
def register_extractors(register: Register) -> None:
    """Offers extractors: each proposes operations and figures with their spans (ports.Extractor)."""


@hookspec
def register_drafters(register: Register) -> None:
    """Offers drafters: each puts checked claims into words (ports.Drafter)."""


@hookspec
def register_backends(register: Register) -> None:
    """Offers backends: each generates text (ports.Backend)."""


@hookspec
def register_verifiers(register: Register) -> None:
    """Offers verifiers: further checks of sentences that can only tighten (ports.Verifier)."""


@hookspec
def register_scorers(register: Register) -> None:
    """Offers scorers: a score never decides alone (ports.Scorer)."""


@hookspec
def register_trainers(register: Register) -> None:
    """Offers trainers (ports.Trainer)."""


@hookspec
def register_executors(register: Register) -> None:
    """Offers executors: each runs independent jobs (ports.Executor)."""


@hookspec
def register_sinks(register: Register) -> None:
    """Offers sinks: each takes signed checkpoints of the log away from whoever owns its database (ports.Sink)."""


@hookspec
def register_trackers(register: Register) -> None:
    """Offers trackers: each receives figures of training and evaluation (ports.Tracker)."""


@hookspec
def register_commands(register: Register) -> None:
    """Offers further commands for the command line (ports.Command)."""


@hookspec
def check_policy(contract: Mapping[str, object], digest: str) -> list[str] | None:
    """Looks at a contract before it is bound and may refuse it.

    Args:
        contract: the contract as plain data, a copy: changing it changes nothing.
        digest: SHA-256 of the exact bytes of its file.

    Returns:
        Refusals, each a sentence with its mend; empty or None for no objection. Anything else, and an exception,
        counts as a refusal that names the plugin.
    """


@hookspec
def record_written(record: WrittenRecord) -> None:
    """Is told of a record of the log after it was written. Cannot veto: an exception is reported and nothing more."""


REGISTER_HOOKS: Mapping[str, Kind] = {f"register_{kind}s": kind for kind in Kind}
"""Kind of each registering hook."""
HOOKS: tuple[str, ...] = tuple(sorted([*REGISTER_HOOKS, "check_policy", "record_written"]))
"""All hooks."""
