"""Loads plugins one by one and makes the registry.

Built-ins and strangers come through the same door. Clashes of names and unknown hooks stop the start, because either
would otherwise change quietly what runs. Anything else that is wrong with one plugin is that plugin's failure: it is
named with its reason, and nothing of it is taken in.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.metadata import Distribution, EntryPoint

import pluggy

from conformed.errors import PluginError
from conformed.hooks import specs
from conformed.hooks.digests import distribution_digest
from conformed.hooks.registration import Kind, Origin, Registration, checked
from conformed.hooks.registry import Failure, Implementation, Registry, label
from conformed.hooks.specs import API_VERSION, GROUP, HOOKS, REGISTER_HOOKS

__all__ = ["LOAD_PLUGINS", "load_registry"]

LOAD_PLUGINS = "CONFORMED_LOAD_PLUGINS"
"""Environment variable: names of entry points with commas between; an empty string loads none; absent loads all."""


def load_registry(*, env: Mapping[str, str], entry_points: Iterable[EntryPoint] | None = None) -> Registry:
    """Loads the plugins of the environment.

    Args:
        env: the process's environment variables; only CONFORMED_LOAD_PLUGINS is read.
        entry_points: entry points to use in place of those installed, for tests.

    Raises:
        PluginError: when two distributions claim one name, or a plugin implements a hook that does not exist.
    """
    installed, unreadable = _installed() if entry_points is None else (list(entry_points), [])
    wanted = _wanted(installed, env.get(LOAD_PLUGINS))
    manager = pluggy.PluginManager("conformed")
    manager.add_hookspecs(specs)
    collector = _Collector(manager)
    collector.failures += unreadable
    for entry_point in wanted:
        collector.load(entry_point)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as problem:  # the collector compares names itself; this is the second lock
        raise PluginError(f"a plugin implements an unknown hook: {problem}.", f"Hooks: {', '.join(HOOKS)}.") from problem
    return collector.registry()


def _installed() -> tuple[list[EntryPoint], list[Failure]]:
    """The entry points of the environment, and distributions whose metadata cannot be read."""
    try:
        return list(importlib.metadata.entry_points(group=GROUP)), []
    except Exception:  # noqa: BLE001 - one malformed file of any distribution lands here; below each is read by itself
        found: dict[str, list[EntryPoint]] = {}
        failures = []
        for distribution in importlib.metadata.distributions():
            name, version = _name(distribution)
            if name in found:
                continue  # the first on the path counts, as in an import
            try:
                found[name] = [one for one in distribution.entry_points if one.group == GROUP]
            except Exception as problem:  # noqa: BLE001 - see above
                found[name] = []
                reason = f"its entry points cannot be read: {type(problem).__name__}. Install it again."
                failures.append(Failure("(unreadable)", name, version, reason))
        return [one for each in found.values() for one in each], failures


def _name(distribution: Distribution) -> tuple[str, str]:
    """Name and version of a distribution, whatever its metadata lacks."""
    try:
        return str(distribution.metadata["Name"] or "(unnamed)"), str(distribution.metadata["Version"] or "0")
    except Exception:  # noqa: BLE001 - metadata that cannot be parsed
        return "(unnamed)", "0"


def _origin(entry_point: EntryPoint) -> Origin:
    name, version = _name(entry_point.dist) if entry_point.dist is not None else ("(no distribution)", "0")
    return Origin(entry_point=entry_point.name, distribution=name, version=version, module=entry_point.value)


def _wanted(found: list[EntryPoint], limit: str | None) -> list[EntryPoint]:
    """The entry points to load, sorted, after names were limited and compared."""
    if limit is not None:
        names = {name.strip() for name in limit.split(",") if name.strip()}
        known = {one.name for one in found}
        if unknown := sorted(names - known):
            mend = _near(unknown[0], known) or f"Installed: {', '.join(sorted(known)) or 'none'}."
            raise PluginError(f"{LOAD_PLUGINS} names the plugin {unknown[0]!r}, which is not installed.", mend)
        found = [one for one in found if one.name in names]
    found = sorted(found, key=lambda one: (one.name, _origin(one).distribution, one.value))
    for first, second in itertools.pairwise(found):
        if first.name == second.name:
            raise PluginError(
                f"the entry point {first.name!r} of {GROUP} is claimed by"
                f" {_origin(first).distribution} and by {_origin(second).distribution}.",
                "Uninstall one of them; nothing was loaded.",
            )
    return found


def _near(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f"Did you mean {close[0]!r}?" if close else ""


class _Collector:
    """Takes in plugins one at a time; each wholly or not at all."""

    def __init__(self, manager: pluggy.PluginManager) -> None:
        self.manager = manager
        self.taken: dict[tuple[str, str], Registration] = {}
        self.failures: list[Failure] = []
        self.plugins: list[tuple[Origin, tuple[str, ...]]] = []
        self.checks: list[Implementation] = []
        self.observers: list[Implementation] = []
        self.distributions: dict[str, Distribution | None] = {}

    def load(self, entry_point: EntryPoint) -> None:
        """Loads one plugin, or records why not.

        Raises:
            PluginError: for an unknown hook or a name that is already taken.
        """
        origin = _origin(entry_point)
        try:
            plugin = entry_point.load()
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever a stranger's import raises is that plugin's failure
            self._fail(origin, f"it cannot be imported: {type(problem).__name__}: {problem}")
            return
        try:
            hooks = self._hooks(plugin, origin)
        except PluginError:
            raise
        except Exception as problem:  # noqa: BLE001 - an object may raise when it is looked at
            hooks = f"it cannot be looked at: {type(problem).__name__}: {problem}"
        if isinstance(hooks, str):
            self._fail(origin, hooks)
            return
        offered: list[Registration] = []
        try:
            self.manager.register(plugin, name=origin.entry_point)
            implementations = self._implementations(plugin, hooks)
            for hook in hooks:
                if hook in REGISTER_HOOKS:
                    offered += _offers(implementations[hook], hook, REGISTER_HOOKS[hook])
        except PluginError as problem:
            self._fail(origin, str(problem))
            self._forget(origin)
            return
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - see above
            self._fail(origin, f"{type(problem).__name__}: {problem}")
            self._forget(origin)
            return
        self._take(offered, origin)
        self.distributions[origin.entry_point] = entry_point.dist
        self.plugins.append((origin, tuple(hooks)))
        for hook, goal in (("check_policy", self.checks), ("record_written", self.observers)):
            if hook in hooks:
                goal.append(Implementation(origin, implementations[hook]))

    def registry(self) -> Registry:
        """The frozen registry."""
        digests: dict[str, str] = {}

        def digest_of(origin: Origin) -> str:
            if origin.entry_point not in digests:
                distribution = self.distributions.get(origin.entry_point)
                digests[origin.entry_point] = distribution_digest(distribution, origin.module.partition(":")[0])
            return digests[origin.entry_point]

        return Registry(
            registrations=tuple(self.taken[key] for key in sorted(self.taken)),
            failures=tuple(sorted(self.failures)),
            plugins=tuple(self.plugins),
            checks=tuple(self.checks),
            observers=tuple(self.observers),
            digest_of=digest_of,
        )

    def _fail(self, origin: Origin, reason: str) -> None:
        self.failures.append(Failure(origin.entry_point, origin.distribution, origin.version, " ".join(reason.split())))

    def _forget(self, origin: Origin) -> None:
        if self.manager.has_plugin(origin.entry_point):
            self.manager.unregister(name=origin.entry_point)

    def _hooks(self, plugin: object, origin: Origin) -> list[str] | str:
        """The hooks that a plugin implements, sorted; or why it is refused.

        Raises:
            PluginError: for a hook that does not exist.
        """
        if inspect.isclass(plugin):
            return "its entry point names a class. Name a module or an instance."
        api = getattr(plugin, "CONFORMED_API", API_VERSION)
        if api != API_VERSION:
            return (
                f"it was written for version {api} of the hooks and this is version {API_VERSION}. Install a release that fits."
            )
        found: set[str] = set()
        for attribute in sorted(dir(plugin)):
            options = self.manager.parse_hookimpl_opts(plugin, attribute)
            if options is None:
                continue
            hook = options.get("specname") or attribute
            if hook not in HOOKS:
                raise PluginError(
                    f"{label(origin)} implements the hook {hook!r}, which does not exist.",
                    _near(hook, HOOKS) or f"Hooks: {', '.join(HOOKS)}.",
                )
            if options.get("wrapper") or options.get("hookwrapper"):
                return f"{attribute} is a wrapper. Wrappers are refused: implement the hook plainly."
            function = getattr(plugin, attribute)
            if (
                inspect.iscoroutinefunction(function)
                or inspect.isasyncgenfunction(function)
                or inspect.isgeneratorfunction(function)
            ):
                return f"{attribute} is a coroutine or a generator. Hooks are plain functions: drop async and yield."
            known = inspect.signature(getattr(specs, hook)).parameters
            if extra := [name for name in inspect.signature(function).parameters if name not in known]:
                return (
                    f"{attribute} asks for {', '.join(extra)}, which the hook does not give. Its arguments: {', '.join(known)}."
                )
            if hook in found:
                return f"the hook {hook} is implemented twice. Keep one."
            found.add(hook)
        return sorted(found) or "it implements no hook. Mark its functions with conformed.hooks.hookimpl."

    def _implementations(self, plugin: object, hooks: list[str]) -> dict[str, Callable[[Mapping[str, object]], object]]:
        """A caller for each hook of one plugin, past pluggy's ordering and wrappers."""
        calls: dict[str, Callable[[Mapping[str, object]], object]] = {}
        for hook in hooks:
            caller: pluggy.HookCaller = getattr(self.manager.hook, hook)
            (implementation,) = [one for one in caller.get_hookimpls() if one.plugin is plugin]
            function, names = implementation.function, tuple(implementation.argnames)

            def call(
                arguments: Mapping[str, object], function: Callable[..., object] = function, names: tuple[str, ...] = names
            ) -> object:
                return function(*[arguments[name] for name in names])

            calls[hook] = call
        return calls

    def _take(self, offered: list[Registration], origin: Origin) -> None:
        for one in offered:
            mine = replace(one, origin=origin)
            key = (str(one.kind), one.name)
            if (first := self.taken.get(key)) is not None:
                raise PluginError(
                    f"the {one.kind} {one.name!r} is claimed by {label(first.origin)} and by {label(origin)}.",
                    f"Uninstall one of them, or leave one out with {LOAD_PLUGINS}.",
                )
            self.taken[key] = mine


def _offers(call: Callable[[Mapping[str, object]], object], hook: str, kind: Kind) -> list[Registration]:
    """What one registering hook of one plugin offers.

    Raises:
        PluginError: for a malformed offer, or a result, which the hook must not have.
    """
    offered: list[Registration] = []
    is_open = True

    def register(registration: Registration) -> None:
        if not is_open:
            raise PluginError(
                f"{hook} registered something after the registry was frozen.", "Call register inside the hook only."
            )
        offered.append(checked(registration, kind))

    try:
        result = call({"register": register})
    finally:
        is_open = False
    if result is not None:
        if inspect.iscoroutine(result):
            result.close()
        raise PluginError(f"{hook} returned {type(result).__name__}.", "Call register for each thing offered and return nothing.")
    return offered
