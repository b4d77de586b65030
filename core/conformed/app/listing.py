"""The plugins of a registry as rows for people and programs."""

from __future__ import annotations

from conformed.app.answer import PluginRow
from conformed.hooks import Registry

__all__ = ["rows_of"]


def rows_of(registry: Registry) -> tuple[PluginRow, ...]:
    """Every registration in the registry's order, then every plugin that failed to load, with its reason."""
    ready = tuple(
        PluginRow(
            kind=str(one.kind),
            name=one.name,
            version=one.version,
            summary=one.summary,
            origin=f"{one.origin.distribution} {one.origin.version}" if one.origin else "",
        )
        for one in registry.registrations
    )
    failed = tuple(
        PluginRow(
            kind="",
            name=failure.entry_point,
            version=failure.version,
            origin=f"{failure.distribution} {failure.version}",
            status="failed",
            reason=failure.reason,
        )
        for failure in registry.failures
    )
    return ready + failed
