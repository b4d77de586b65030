"""Whether the environment in which a run is replayed is the one in which it ran: engine, and every plugin by version and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformed.engine.history import History
from conformed.engine.replay import Divergence, DivergenceClass, Level, shown

__all__ = ["compare_pins"]


def compare_pins(history: History, recorded: bytes, engine: str, manifest: Mapping[str, Any], digest: str) -> list[Divergence]:
    """Compares the pins of a run with today's engine and plugins.

    Args:
        history: the run.
        recorded: the list of plugins that it began with.
        engine: today's engine, as a run would pin it.
        manifest: today's list of plugins.
        digest: its digest, as a run would pin it.

    Returns:
        The engine's divergence, and one for each plugin that is another, is gone, or is new; of the plugins as a whole where
        their digest differs and no single one does.
    """
    found = []
    if history.pins["engine"] != engine:
        found.append(_pin("engine", history.pins["engine"], engine))
    if history.pins["plugins"] != digest:
        then, now = _plugins(_loaded(recorded)), _plugins(manifest)
        single = [
            _pin(name, then.get(name, "absent"), now.get(name, "absent"))
            for name in sorted(then.keys() | now.keys())
            if then.get(name) != now.get(name)
        ]
        found += single or [_pin("plugins", history.pins["plugins"], digest)]
    return found


def _loaded(recorded: bytes) -> Mapping[str, Any]:
    try:
        plain = json.loads(recorded)
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _plugins(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Kind and name to version and beginning of the digest of files."""
    found = {}
    listed = manifest.get("registrations")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            found[f"{one.get('kind')} {one.get('name')}"] = f"{one.get('version')} {str(one.get('digest'))[:16]}"
    return found


def _pin(what: str, recorded: str, now: str) -> Divergence:
    return Divergence(
        level=Level.L2, step=shown(what), kind=DivergenceClass.PIN_DIFFERS, severity="low", recorded=shown(recorded),
        now=shown(now), where="pins",
    )  # fmt: skip
