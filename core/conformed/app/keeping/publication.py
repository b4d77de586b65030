"""Publication of the log: the key at its first use, the sinks of the workspace, a checkpoint after each run, change of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from conformed.app.keeping.published import PublicationNote, SinkSaid
from conformed.app.keeping.state import HeldKey, State
from conformed.errors import ConformedError, UsageError
from conformed.hooks import Registry
from conformed.model.base import Frozen
from conformed.policy.load import load_model
from conformed.policy.schema import Options
from conformed_audit import Actor, AuditLog, Authz
from conformed_audit.errors import AuditError
from conformed_audit.keys import record_key
from conformed_audit.note import SigningKey, VerifyKey
from conformed_audit.publish import CheckpointSink, Published, Publisher
from conformed_audit.record import Kind

__all__ = ["FILE", "Publication", "PublicationPlan", "SinkUse", "load_plan", "make_sinks", "witness_keys"]

FILE = "publication.yaml"
"""Name of the file of a workspace that says where checkpoints go; beside ``policies/``."""
_SEED_BYTES = 32


class SinkUse(Frozen):
    """One sink of a workspace."""

    sink: str
    """Name of the plugin: file, witness, line, or another that is installed."""
    options: Options = Field(default_factory=dict)
    """Its options, ``name`` among them where there are two of a kind."""


class PublicationPlan(Frozen):
    """publication.yaml: where the checkpoints of a workspace's log go."""

    origin: str | None = None
    """Name of a log that is still to be made, such as bank.example/covenants; it never changes afterwards."""
    sinks: tuple[SinkUse, ...] = ()
    """Who is given checkpoints; none: a folder beside the signing key, outside the workspace."""


def load_plan(root: Path) -> PublicationPlan:
    """What a workspace says about publication; the default where it says nothing.

    Args:
        root: the workspace.

    Raises:
        PolicyError: when the file is refused, with its place.
    """
    path = root / FILE
    return load_model(path, PublicationPlan).value if path.exists() else PublicationPlan()


def make_sinks(plan: PublicationPlan, registry: Registry, state: State, root: Path) -> tuple[CheckpointSink, ...]:
    """The sinks of a workspace.

    Args:
        plan: what it says.
        registry: where plugins are found.
        state: where the default one puts checkpoints.
        root: the workspace.

    Raises:
        UsageError: when two have the same name, or one that is said to be outside lies in the workspace.
        PluginError: when one cannot be made.
    """
    uses = plan.sinks or (SinkUse(sink="file", options={"folder": str(state.checkpoints), "name": "file"}),)
    sinks: dict[str, CheckpointSink] = {}
    for use in uses:
        folder = use.options.get("folder")
        made: CheckpointSink = registry.create("sink", use.sink, use.options)
        if isinstance(folder, str) and made.outside and Path(folder).expanduser().resolve().is_relative_to(root.resolve()):
            raise UsageError(
                f"The sink {made.name} of {FILE} is said to be outside and lies in the workspace.", "Name a folder elsewhere."
            )
        if made.name in sinks:
            raise UsageError(f"Two sinks of {FILE} have the name {made.name}.", "Give one of them another: options, name.")
        sinks[made.name] = made
    return tuple(sinks.values())


def witness_keys(plan: PublicationPlan, state: State) -> tuple[VerifyKey, ...]:
    """Keys of the witnesses that a workspace names, and of those that are known beside its signing key.

    Raises:
        AuditError: when one is no key.
        ConformedError, OSError: when the list cannot be read.
    """
    named = [use.options["key"] for use in plan.sinks if isinstance(use.options.get("key"), str)]
    return (*(VerifyKey.parse(str(text)) for text in named), *state.witness_keys())


class Publication:
    """Publishes one log.

    Args:
        log: the log.
        state: its signer's files.
        plan: what the workspace says.
        sinks: makes the sinks; called when there is something to hand out.
        entropy: gives n random bytes.
    """

    def __init__(
        self,
        log: AuditLog,
        state: State,
        plan: PublicationPlan,
        sinks: Callable[[], Sequence[CheckpointSink]],
        entropy: Callable[[int], bytes],
    ) -> None:
        self._log, self._state, self._plan, self._sinks, self._entropy = log, state, plan, sinks, entropy

    def publish(self) -> PublicationNote:
        """Publishes whatever is not published yet. Never raises for what can be mended: it is pending then, and says why."""
        try:
            with self._state.lock():
                return _note(self._published())
        except (AuditError, ConformedError) as problem:
            return PublicationNote(state="pending", checkpoint_size=0, reason=str(problem))
        except OSError as problem:
            reason = f"{problem.strerror or type(problem).__name__} at {self._state.folder}"
            return PublicationNote(state="pending", checkpoint_size=0, reason=reason)

    def rotate(self, actor: Actor, authz: Authz) -> VerifyKey:
        """Adds a key: recorded and published under the old one first; from then on both sign, until `retire`.

        Args:
            actor: who changes keys.
            authz: how that was authorised.

        Returns:
            The new public key, which whoever verifies must be given.

        Raises:
            ConformedError, AuditError, OSError: when it cannot be done; doing it again goes on where it broke off.
        """
        with self._state.lock():
            self._signers()
            keys = list(self._state.signing_keys())
            if keys[-1].status == "active":
                if len(keys) > 1:
                    raise UsageError("The last change of keys is not finished.", "Finish it: conformed log rotate-key --finish.")
                keys.append(HeldKey(SigningKey.make(self._log.origin, self._entropy(_SEED_BYTES)), "added"))
                self._state.keep_keys(keys)
            record_key(self._log, Kind.KEY_ADDED, keys[-1].key.key, actor, authz)
            self._publisher([keys[0].key]).publish()
            self._state.keep_keys([keys[0], HeldKey(keys[-1].key, "active")])
            self._publisher([one.key for one in keys]).publish()
            return keys[-1].key.key

    def retire(self, actor: Actor, authz: Authz) -> VerifyKey:
        """Retires the older of two keys: recorded, then published under the newer one alone.

        Args:
            actor: who changes keys.
            authz: how that was authorised.

        Returns:
            The retired public key.

        Raises:
            ConformedError, AuditError, OSError: when it cannot be done; doing it again goes on where it broke off.
        """
        with self._state.lock():
            keys = self._state.signing_keys()
            if len(keys) < 2 or keys[-1].status != "active":
                raise UsageError("No change of keys is under way.", "Begin one: conformed log rotate-key.")
            record_key(self._log, Kind.KEY_RETIRED, keys[0].key.key, actor, authz)
            self._publisher([keys[-1].key]).publish()
            self._state.keep_keys(keys[1:])
            return keys[0].key.key

    def _published(self) -> Published | None:
        self._log.place()  # on PostgreSQL what was just written has no place yet, and would look published, or not there at all
        tail, last = self._log.store.tail(), self._log.store.checkpoints.last()
        if tail is None:
            return None
        publisher = self._publisher(self._signers())
        if last is not None and last.size == tail[0] + 1:
            return publisher.again()
        return publisher.publish()

    def _publisher(self, signers: Sequence[SigningKey]) -> Publisher:
        sinks = tuple(self._sinks())
        return Publisher(self._log, signers, self._state.memory, sinks, witnesses=witness_keys(self._plan, self._state))

    def _signers(self) -> list[SigningKey]:
        """The keys that sign; makes the first one, and never a second where a log was signed before.

        Raises:
            UsageError: when the key, or the memory of what was signed, is gone.
        """
        keys, last = self._state.signing_keys(), self._log.store.checkpoints.last()
        if last is not None and (not keys or self._state.memory.last(self._log.origin) is None):
            what = "signing key" if not keys else "memory of what was signed"
            raise UsageError(
                f"The log was signed before, and its {what} is not in {self._state.folder}.",
                "Restore that folder, or name the right one with CONFORMED_STATE; never sign without.",
            )
        if not keys:
            keys = (HeldKey(SigningKey.make(self._log.origin, self._entropy(_SEED_BYTES)), "fresh"),)
            self._state.keep_keys(keys)
        if keys[0].status == "fresh":
            record_key(self._log, Kind.KEY_ADDED, keys[0].key.key, Actor("log", "log"))
            keys = (HeldKey(keys[0].key, "active"),)
            self._state.keep_keys(keys)
        return [one.key for one in keys if one.status == "active"]


def _note(published: Published | None) -> PublicationNote:
    if published is None:
        return PublicationNote(state="pending", checkpoint_size=0, reason="the log is empty")
    sinks = tuple(
        SinkSaid(sink=one.sink, ok=one.ok, outside=one.outside, said=one.said.strip()) for one in published.acknowledgements
    )
    state = "published" if published.outside else "pending"
    return PublicationNote(state=state, checkpoint_size=published.checkpoint.size, sinks=sinks)
