"""What a plugin registers, and where it came from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from conformed import ports
from conformed.errors import PluginError

__all__ = ["PORTS", "Kind", "NoOptions", "Origin", "Registration", "checked"]

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}\Z")
_VERSION = re.compile(r"(?:0|[1-9][0-9]{0,5})(?:\.(?:0|[1-9][0-9]{0,5})){0,3}\Z")


class Kind(StrEnum):
    """Kinds of plugin. Core steps (precedence, calculation, claim checks) are none: they cannot be replaced."""

    READER = "reader"
    RETRIEVER = "retriever"
    EXTRACTOR = "extractor"
    DRAFTER = "drafter"
    BACKEND = "backend"
    VERIFIER = "verifier"
    SCORER = "scorer"
    TRAINER = "trainer"
    EXECUTOR = "executor"
    SINK = "sink"
    TRACKER = "tracker"
    COMMAND = "command"


PORTS: Mapping[Kind, tuple[type, ...]] = {
    Kind.READER: (ports.Reader,),
    Kind.RETRIEVER: (ports.Retriever,),
    Kind.EXTRACTOR: (ports.Extractor,),
    Kind.DRAFTER: (ports.Drafter,),
    Kind.BACKEND: (ports.Backend,),
    Kind.VERIFIER: (ports.Verifier, ports.AnswerVerifier),
    Kind.SCORER: (ports.Scorer,),
    Kind.TRAINER: (ports.Trainer,),
    Kind.EXECUTOR: (ports.Executor,),
    Kind.SINK: (ports.Sink,),
    Kind.TRACKER: (ports.Tracker,),
    Kind.COMMAND: (ports.Command,),
}
"""The protocols of which the product of a factory must fit one, by kind."""


class NoOptions(BaseModel):
    """Options of a plugin that has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a plugin came from."""

    entry_point: str
    """Name of the entry point in the group ``conformed.plugins``."""
    distribution: str
    """Name of the installed distribution."""
    version: str
    """Version of the distribution."""
    module: str
    """Module (and attribute) that the entry point names."""


@dataclass(frozen=True, slots=True)
class Registration:
    """One thing that a plugin offers. A contract pins it by kind, name and version."""

    kind: str
    """One of Kind: ``reader``, ``drafter`` ..."""
    name: str
    """Unique within the kind; lower case, digits, hyphen, underscore."""
    version: str
    """Numbers and points, ``1.0.0``: of the plugin's behaviour, apart from the version of its distribution."""
    summary: str
    """One sentence for `conformed plugins`."""
    factory: Callable[[Any], object]
    """Makes the object from validated options; called once a run."""
    options: type[BaseModel] = NoOptions
    """Model of the options; unknown keys must be refused (``extra="forbid"``)."""
    origin: Origin | None = None
    """Set by the loader; what a plugin writes here is overwritten."""


def checked(offered: object, kind: Kind) -> Registration:
    """A registration that may be taken in.

    Args:
        offered: what the plugin handed to ``register``.
        kind: the kind of the hook in which it did so.

    Raises:
        PluginError: when it is not a registration of that kind, or a field is malformed.
    """
    if not isinstance(offered, Registration):
        raise PluginError(f"register was given {type(offered).__name__}.", "Give it a conformed.hooks.Registration.")
    label = f"the registration {offered.name!r}"
    if offered.kind != kind:
        raise PluginError(
            f"{label} is a {offered.kind!r} in the hook register_{kind}s.", f"Register it in register_{offered.kind}s."
        )
    if not isinstance(offered.name, str) or not _NAME.match(offered.name):
        raise PluginError(f"{label} has a malformed name.", "Use lower case, digits, hyphen, underscore; begin with a letter.")
    if not isinstance(offered.version, str) or not _VERSION.match(offered.version):
        raise PluginError(f"{label} has the version {offered.version!r}.", "Write numbers and points: 1.0.0.")
    if (
        not isinstance(offered.summary, str)
        or not offered.summary.strip()
        or len(offered.summary) > 300
        or "\n" in offered.summary
    ):
        raise PluginError(f"{label} has no one-line summary.", "Say in a sentence what it does.")
    if not (isinstance(offered.options, type) and issubclass(offered.options, BaseModel)):
        raise PluginError(f"{label} has options that are no pydantic model.", "Give the class, or leave it out.")
    if offered.options.model_config.get("extra") != "forbid":
        raise PluginError(f"the options of {label} admit unknown keys.", 'Set extra="forbid" in their model_config.')
    if not callable(offered.factory):
        raise PluginError(f"{label} has a factory that cannot be called.", "Give a function of the options.")
    return offered
