"""Binds a contract to the plugins that it pins: exactly one for each name, of an accepted version, from an allowed source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformed.errors import PluginError, PolicyError
from conformed.hooks import Kind, Registration, Registry
from conformed.policy.load import Loaded
from conformed.policy.schema import AllowedPlugin, PluginRef, Step, StepName, TaskContract
from conformed.policy.steps import STEPS
from conformed.policy.strict import Node
from conformed.policy.typed import Problem, shape
from conformed.policy.versions import Pin

__all__ = ["BoundContract", "BoundPlugin", "BoundStep", "bind"]


@dataclass(frozen=True, slots=True)
class BoundPlugin:
    """One plugin of a step, found and checked; not yet made."""

    ref: PluginRef
    """What the contract says."""
    registration: Registration
    """The one plugin that fits."""
    options: Mapping[str, object]
    """Its options with the types that its options model asks for."""
    registry: Registry = field(repr=False)
    """Where it is registered."""

    @property
    def name(self) -> str:
        """Name and version for records, e.g. ``pdf 1.0.0``."""
        return f"{self.registration.name} {self.registration.version}"

    def create(self) -> Any:
        """Makes the object, checked against the port of its kind.

        Raises:
            PluginError: when its factory raises or gives something that does not fit.
        """
        return self.registry.create(self.registration.kind, self.registration.name, self.options)


@dataclass(frozen=True, slots=True)
class BoundStep:
    """A step with its plugins, in the contract's order."""

    step: Step
    """What the contract says."""
    plugins: tuple[BoundPlugin, ...]
    """Empty for steps that rules do."""
    backend: BoundPlugin | None = None
    """What generates for them; None where nothing is generated."""


@dataclass(frozen=True, slots=True)
class BoundContract:
    """A contract that can run here."""

    contract: TaskContract
    """The contract."""
    digest: str
    """SHA-256 of the exact bytes of its file."""
    path: str
    """Its file."""
    steps: tuple[BoundStep, ...]
    """Its steps in order."""
    registry: Registry = field(repr=False)
    """The registry it was bound to; its manifest belongs in the first record of a run."""
    data: bytes = field(default=b"", repr=False)
    """The exact bytes of its file, kept by each run for a replay."""

    def step(self, name: StepName | str) -> BoundStep:
        """The step of a name.

        Raises:
            KeyError: when there is none.
        """
        for bound in self.steps:
            if bound.step.name == name:
                return bound
        raise KeyError(name)


def bind(loaded: Loaded[TaskContract], registry: Registry) -> BoundContract:
    """Finds the plugin behind each name of a contract.

    Args:
        loaded: the contract as it was loaded.
        registry: what is installed.

    Raises:
        PolicyError: at the place of the first thing that does not fit: an allowed plugin that failed to load, a name
            that none or more than one plugin answers to, a version outside the pin, a distribution that is not
            allowed, refused options, or a refusal by a plugin's check_policy.
    """
    contract = loaded.value
    _failures(loaded, registry)
    steps = tuple(
        BoundStep(
            step,
            tuple(
                _bound(loaded, registry, str(STEPS[step.name].kind), ref, ("steps", index, "uses", place))
                for place, ref in enumerate(step.uses)
            ),
            None if step.backend is None else _bound(loaded, registry, Kind.BACKEND, step.backend, ("steps", index, "backend")),
        )
        for index, step in enumerate(contract.steps)
    )
    if refusals := registry.check_policy(contract.model_dump(mode="json"), loaded.digest):
        raise _refusal(
            loaded, f"a plugin refuses the contract: {'; '.join(refusals)}.", "Mend the contract, or take the plugin out."
        )
    return BoundContract(contract, loaded.digest, loaded.path, steps, registry, loaded.data)


def _refusal(loaded: Loaded[TaskContract], found: str, mend: str, *path: str | int) -> PolicyError:
    line, column = loaded.place(*path)
    return PolicyError(found, mend, file=loaded.path, line=line, column=column)


def _same(name: str) -> str:
    """The normal form of a distribution's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _failures(loaded: Loaded[TaskContract], registry: Registry) -> None:
    """No contract runs that allows a plugin which failed to load."""
    for place, allowed in enumerate(loaded.value.allowed_plugins):
        for failure in registry.failures:
            meant = not allowed.entry_points or failure.entry_point in allowed.entry_points
            if meant and _same(failure.distribution) == _same(allowed.distribution):
                raise _refusal(
                    loaded,
                    f"the plugin {failure.entry_point} of {failure.distribution} {failure.version} is allowed here"
                    f" and failed to load: {failure.reason}",
                    "Mend or uninstall it, or narrow entry_points to the plugins that are meant.",
                    "allowed_plugins",
                    place,
                )


def _bound(
    loaded: Loaded[TaskContract], registry: Registry, kind: str, ref: PluginRef, path: tuple[str | int, ...]
) -> BoundPlugin:
    """The one plugin of a kind that fits a reference of the contract; ``path`` is where that stands."""
    fitting = [one for one in registry.registrations if one.kind == kind and one.name == ref.plugin]
    if not fitting:
        try:
            registry.get(kind, ref.plugin)
        except PluginError as problem:
            raise _refusal(loaded, problem.found, problem.mend, *path, "plugin") from problem
    if len(fitting) != 1:
        raise _refusal(
            loaded, f"{len(fitting)} plugins are the {kind} {ref.plugin!r}.", "Uninstall all but one.", *path, "plugin"
        )
    registration = fitting[0]
    if not Pin.parse(ref.version).accepts(registration.version):
        raise _refusal(
            loaded,
            f"the {kind} {ref.plugin!r} is pinned to {ref.version} and {registration.version} is installed.",
            "Install a version that fits, or give the contract a new version with another pin.",
            *path,
            "version",
        )
    _allowed(loaded, registry, registration, path)
    return BoundPlugin(ref, registration, _options(loaded, registration, ref, path), registry)


def _allowed(loaded: Loaded[TaskContract], registry: Registry, registration: Registration, path: tuple[str | int, ...]) -> None:
    """The plugin must come from a distribution, version and build that the contract allows."""
    origin = registration.origin
    who = f"the {registration.kind} {registration.name!r}"
    if origin is None:
        raise _refusal(loaded, f"{who} comes from no distribution.", "Install it as a package.", *path)
    rules: list[tuple[int, AllowedPlugin]] = [
        (place, rule)
        for place, rule in enumerate(loaded.value.allowed_plugins)
        if _same(rule.distribution) == _same(origin.distribution)
        and (not rule.entry_points or origin.entry_point in rule.entry_points)
    ]
    if not rules:
        raise _refusal(
            loaded,
            f"{who} comes from {origin.distribution} ({origin.entry_point}), which is not allowed.",
            "Add it under allowed_plugins, or use another.",
            *path,
            "plugin",
        )
    place, rule = rules[0]
    if not Pin.parse(rule.version).accepts(origin.version):
        raise _refusal(
            loaded,
            f"{origin.distribution} is allowed in {rule.version} and {origin.version} is installed.",
            "Install a version that fits, or give the contract a new version.",
            "allowed_plugins",
            place,
            "version",
        )
    if rule.digest is not None and rule.digest != registry.digest_of(origin):
        raise _refusal(
            loaded,
            f"the files of {origin.distribution} have another hash than the contract pins.",
            "Install the build that was pinned; `conformed plugins` shows the hash of this one.",
            "allowed_plugins",
            place,
            "digest",
        )


def _options(
    loaded: Loaded[TaskContract], registration: Registration, ref: PluginRef, path: tuple[str | int, ...]
) -> Mapping[str, object]:
    """The options, typed by the plugin's own model and validated by it."""

    def node(value: object, *inner: str | int) -> Node:
        line, column = loaded.place(*path, "options", *inner)
        if isinstance(value, tuple):
            return Node(line, column, items=[node(one, *inner, place) for place, one in enumerate(value)])
        return Node(line, column, scalar=str(value))

    fields = {key: node(value, key) for key, value in ref.options.items()}
    line, column = loaded.place(*path, "options")
    problems: list[Problem] = []
    data = shape(Node(line, column, fields=fields, keys=fields), registration.options, problems)
    if not problems:
        try:
            registration.options.model_validate(data)
        except ValueError as problem:
            first = problem.errors(include_url=False)[0] if hasattr(problem, "errors") else {"loc": (), "msg": str(problem)}
            where = [part for part in first["loc"] if part in ref.options][:1]
            line, column = loaded.place(*path, "options", *where)
            problems.append(
                Problem(line, column, f"option {'.'.join(map(str, first['loc']))}: {first['msg']}.", "Mend the option.")
            )
    if problems:
        first_problem = min(problems)
        raise PolicyError(
            f"{registration.kind} {registration.name}: {first_problem.found}",
            first_problem.mend,
            file=loaded.path,
            line=first_problem.line,
            column=first_problem.column,
        )
    assert isinstance(data, dict)
    return data
