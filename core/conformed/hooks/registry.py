"""The registry: everything that plugins offered, sorted and frozen. The engine asks it; nothing can be added later."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from conformed.errors import ConformedError, PluginError
from conformed.hooks.registration import PORTS, Kind, Origin, Registration
from conformed.hooks.specs import API_VERSION, WrittenRecord

__all__ = ["Failure", "Implementation", "Registry", "label"]


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """A plugin that could not be loaded. It stops no command; no contract that allows it runs."""

    entry_point: str
    """Name of its entry point."""
    distribution: str
    """Distribution."""
    version: str
    """Version of the distribution."""
    reason: str
    """Why, in a sentence with its mend."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """A plugin's implementation of an observing hook (check_policy, record_written)."""

    origin: Origin
    """Whose it is."""
    call: Callable[[Mapping[str, object]], object]
    """Calls it with all arguments by name; it takes those that it asks for."""


def _unknown(origin: Origin) -> str:
    raise PluginError(f"the files of {origin.entry_point} are not known.", "Make the registry with load_registry.")


@dataclass(frozen=True)
class Registry:
    """All registrations of a process. Made by ``load_registry``."""

    registrations: tuple[Registration, ...]
    """Sorted by kind and name."""
    failures: tuple[Failure, ...] = ()
    """Plugins that did not load, sorted."""
    plugins: tuple[tuple[Origin, tuple[str, ...]], ...] = ()
    """Every plugin that loaded, with the hooks that it implements, sorted by entry point."""
    checks: tuple[Implementation, ...] = field(default=(), repr=False)
    """check_policy of each plugin, in the order of entry points."""
    observers: tuple[Implementation, ...] = field(default=(), repr=False)
    """record_written of each plugin, in the order of entry points."""
    digest_of: Callable[[Origin], str] = field(default=_unknown, repr=False)
    """Hash of a plugin's files; looked at only when the manifest is asked for."""

    @cached_property
    def _index(self) -> Mapping[tuple[str, str], Registration]:
        return MappingProxyType({(one.kind, one.name): one for one in self.registrations})

    def get(self, kind: str, name: str) -> Registration:
        """The registration of a kind and name.

        Raises:
            PluginError: when there is none; names those of the kind, and plugins that failed to load.
        """
        found = self._index.get((kind, name))
        if found is not None:
            return found
        known = [one.name for one in self.registrations if one.kind == kind]
        failed = "".join(f" {one.entry_point} of {one.distribution} failed to load: {one.reason}" for one in self.failures)
        raise PluginError(f"there is no {kind} {name!r}.", f"Registered: {', '.join(known) or 'none'}.{failed}")

    def create(self, kind: str, name: str, options: Mapping[str, object]) -> Any:
        """Makes the object of a registration and checks that it fits the port of its kind.

        Args:
            kind: one of Kind.
            name: registered name.
            options: options as plain data; validated by the plugin's own model.

        Raises:
            PluginError: for an unknown name, refused options, a factory that raises, and a product that does not fit.
        """
        registration = self.get(kind, name)
        who = f"the {kind} {name} {registration.version} ({label(registration.origin)})"
        try:
            valid = registration.options.model_validate(dict(options))
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            known = ", ".join(sorted(registration.options.model_fields)) or "none"
            raise PluginError(f"{who} refuses the option {where!r}: {first['msg']}.", f"Its options: {known}.") from problem
        try:
            made = registration.factory(valid)
        except ConformedError as problem:  # of our kind, it says itself how it is mended
            raise PluginError(f"{who} could not be made: {problem.found}", problem.mend) from problem
        except (Exception, SystemExit) as problem:
            raise PluginError(f"{who} could not be made: {type(problem).__name__}: {problem}.", "Ask its author.") from problem
        _fits(made, Kind(registration.kind), who)
        return made

    def check_policy(self, contract: Mapping[str, object], digest: str) -> tuple[str, ...]:
        """Asks every plugin's check_policy. Fails closed: an exception or a malformed answer is a refusal.

        Args:
            contract: the contract as plain JSON data; each plugin gets a copy.
            digest: SHA-256 of its file's bytes.

        Returns:
            Refusals with the name of the plugin; empty where none objects. Nothing that a plugin returns can permit.
        """
        refusals: list[str] = []
        plain = json.dumps(contract)
        for one in self.checks:
            who = label(one.origin)
            try:
                answer = one.call({"contract": json.loads(plain), "digest": digest})
            except (Exception, SystemExit) as problem:  # noqa: BLE001 - a plugin may raise anything; a check that fails refuses
                refusals.append(f"{who}: its check failed: {type(problem).__name__}: {problem}")
                continue
            if answer is None:
                continue
            if isinstance(answer, list | tuple) and all(isinstance(item, str) for item in answer):
                refusals += [f"{who}: {item}" for item in answer]
            else:
                _close(answer)
                refusals.append(f"{who}: its check returned {type(answer).__name__} and not a list of sentences")
        return tuple(refusals)

    def record_written(self, record: WrittenRecord) -> tuple[str, ...]:
        """Tells every observer of a written record.

        Returns:
            What went wrong in observers, a sentence each, for the operational log. Never raises for them.
        """
        troubles: list[str] = []
        for one in self.observers:
            try:
                answer = one.call({"record": record})
            except (Exception, SystemExit) as problem:  # noqa: BLE001 - an observer cannot veto, whatever it raises
                troubles.append(f"{label(one.origin)}: record_written failed: {type(problem).__name__}")
                continue
            if answer is not None:
                _close(answer)
                troubles.append(f"{label(one.origin)}: record_written returned {type(answer).__name__}, which was ignored")
        return tuple(troubles)

    def manifest(self) -> dict[str, object]:
        """Every plugin and registration with version and digest, as JSON data. The same installation gives the same bytes."""
        return {
            "api": API_VERSION,
            "failures": [
                {"distribution": one.distribution, "entry_point": one.entry_point, "reason": one.reason, "version": one.version}
                for one in self.failures
            ],
            "plugins": [
                {
                    "digest": self.digest_of(origin),
                    "distribution": origin.distribution,
                    "entry_point": origin.entry_point,
                    "hooks": list(hooks),
                    "version": origin.version,
                }
                for origin, hooks in self.plugins
            ],
            "registrations": [
                {
                    "digest": self.digest_of(one.origin) if one.origin else "",
                    "distribution": one.origin.distribution if one.origin else "",
                    "entry_point": one.origin.entry_point if one.origin else "",
                    "kind": str(one.kind),
                    "name": one.name,
                    "version": one.version,
                }
                for one in self.registrations
            ],
        }

    def manifest_digest(self) -> str:
        """SHA-256 of the manifest's canonical JSON, 64 hex digits."""
        text = json.dumps(self.manifest(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def label(origin: Origin | None) -> str:
    """A plugin for messages: entry point, distribution and version."""
    return f"{origin.entry_point} of {origin.distribution} {origin.version}" if origin else "of no distribution"


def _close(answer: object) -> None:
    """Closes a coroutine that will not be awaited, so that Python does not warn of it."""
    if inspect.iscoroutine(answer):
        answer.close()


def _fits(made: object, kind: Kind, who: str) -> None:
    """Checks that an object fits a port: members, synchronous methods, and that they take what will be passed.

    Raises:
        PluginError: for the first thing that does not fit.
    """
    if made is None:
        raise PluginError(f"the factory of {who} returned nothing.", "Return the object.")
    port = next((one for one in PORTS[kind] if isinstance(made, one)), PORTS[kind][0])
    if inspect.isclass(made):
        raise PluginError(f"the factory of {who} returned the class {made.__name__}.", "Return an instance.")
    if not isinstance(made, port):
        wanted = sorted(name for name in vars(port) if not name.startswith("_"))
        absent = [name for name in (*wanted, *getattr(port, "__annotations__", {})) if not hasattr(made, name)]
        _close(made)
        raise PluginError(
            f"the factory of {who} returned {type(made).__name__}, which has no {', '.join(sorted(set(absent)))}.",
            f"Fit conformed.ports.{port.__name__}.",
        )
    for name, member in sorted(vars(port).items()):
        if name.startswith("_") or not inspect.isfunction(member):
            continue
        method = getattr(made, name)
        if not callable(method):
            raise PluginError(f"{name} of {who} cannot be called.", f"Fit conformed.ports.{port.__name__}.")
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise PluginError(f"{name} of {who} is asynchronous.", "Steps are synchronous: run the loop inside.")
        _takes(method, member, f"{name} of {who}")


def _takes(method: Callable[..., object], member: Callable[..., object], what: str) -> None:
    """Checks that a method can be called as its port is."""
    try:
        mine = inspect.signature(method)
    except (TypeError, ValueError):
        return  # a callable without a signature, of C for instance, is judged when it is called
    parameters = list(inspect.signature(member).parameters.values())[1:]
    args = [object() for one in parameters if one.kind is not one.KEYWORD_ONLY]
    named = {one.name: object() for one in parameters if one.kind is one.KEYWORD_ONLY}
    try:
        mine.bind(*args, **named)
    except TypeError as problem:
        raise PluginError(
            f"{what} does not take the port's arguments: {problem}.", f"Its signature: {inspect.signature(member)}."
        ) from problem
