"""Hooks: how a plugin offers its parts. A plugin imports ``hookimpl`` and ``Registration`` from here and nothing deeper."""

from conformed.hooks.loading import LOAD_PLUGINS, load_registry
from conformed.hooks.registration import Kind, NoOptions, Origin, Registration
from conformed.hooks.registry import Failure, Registry
from conformed.hooks.specs import API_VERSION, GROUP, HOOKS, Register, WrittenRecord, hookimpl

__all__ = [
    "API_VERSION",
    "GROUP",
    "HOOKS",
    "LOAD_PLUGINS",
    "Failure",
    "Kind",
    "NoOptions",
    "Origin",
    "Register",
    "Registration",
    "Registry",
    "WrittenRecord",
    "hookimpl",
    "load_registry",
]
