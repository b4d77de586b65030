"""What a replay finds: levels, classes of divergence, and the report. Data only; nothing here looks at a log.

A replay takes a run as the log has it and asks whether the same comes out again: L1 whether the log holds, L2 whether each pure
step gives the same bytes, L3 whether the orchestrator takes the same steps on the same inputs, L4 whether the policy says the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Literal

from conformed.model.base import Frozen

__all__ = [
    "Divergence",
    "DivergenceClass",
    "Level",
    "LevelResult",
    "Replayed",
    "Severity",
    "difference",
    "first_of_each_step",
    "shown",
]

_MOST_SHOWN = 80
_HASH = re.compile(r"\b([0-9a-f]{16})[0-9a-f]{48}\b")


class Level(StrEnum):
    """How deep a replay goes; each level includes those before it."""

    L1 = "L1"
    """The log holds."""
    L2 = "L2"
    """Each pure step, done again from its recorded inputs, gives the same bytes."""
    L3 = "L3"
    """The orchestrator, served the recorded answers, takes the same steps on the same inputs."""
    L4 = "L4"
    """The policy of the run and today's say the same."""


class DivergenceClass(StrEnum):
    """The eight ways in which a run and its replay can differ."""

    RECORD_ALTERED = "record altered"
    INPUT_ABSENT = "input missing or erased"
    INPUT_DIFFERS = "input differs"
    OUTPUT_DIFFERS = "output differs"
    STEPS_DIFFER = "step renamed, missing, extra or reordered"
    PIN_DIFFERS = "plugin or engine pin differs"
    POLICY_DIFFERS = "policy or authorisation differs"
    APPROVAL_DIFFERS = "approval rule differs"


Severity = Literal["high", "medium", "low"]
"""high: the decision is another, or nothing shows that it is the same; medium: a step differs and the decision does not;
low: only what surrounds the steps differs."""


class Divergence(Frozen):
    """One difference between a run and its replay."""

    level: Level
    """The level that found it."""
    step: str
    """The step; ``log``, ``begin``, ``conclude``, ``policy``, ``approval``, or the engine or plugin, for what belongs to none."""
    kind: DivergenceClass
    """Its class."""
    severity: Severity
    """How much it matters."""
    recorded: str
    """The recorded value, short and escaped."""
    now: str
    """Today's value, short and escaped."""
    where: str = ""
    """The place: a field, a record, a plugin."""


class LevelResult(Frozen):
    """What one level came to."""

    level: Level
    """Which."""
    status: Literal["same", "differs", "cannot"]
    """``cannot``: the level could not be carried out, and nothing is said of it."""
    compared: int = 0
    """Records, steps or promises that were compared."""
    sentence: str = ""
    """Plain words; for ``cannot`` why, and what remains unknown."""


class Replayed(Frozen):
    """The report of one replay."""

    schema_version: str = "conformed.replay/1"
    """Shape of this record."""
    run: str
    """The run."""
    case: str
    """Its case in the log; empty where the log could not be read."""
    record: str
    """Name in the log of its final record; empty where it has none."""
    asked: Level
    """The level that was asked for."""
    levels: tuple[LevelResult, ...]
    """Each level that was asked for, in order."""
    divergences: tuple[Divergence, ...] = ()
    """The first difference of each class in each step."""
    same_decision: Literal["yes", "no", "not shown"] = "not shown"
    """Whether the run, done again, ends in the same decision; ``not shown`` where the replay did not come to one."""
    decision_recorded: str = ""
    """The recorded decision in short."""
    decision_now: str = ""
    """Today's decision in short; empty where the replay did not come to one."""
    noted: str = ""
    """Name of the record in which the log keeps this replay; empty where it could not be kept."""

    @property
    def same(self) -> bool:
        """Whether every level was carried out and nothing differs."""
        return not self.divergences and all(one.status == "same" for one in self.levels)


def first_of_each_step(found: Iterable[Divergence]) -> tuple[Divergence, ...]:
    """The first divergence of each class in each step, in the order in which they were found."""
    kept: dict[tuple[str, DivergenceClass], Divergence] = {}
    for one in found:
        kept.setdefault((one.step, one.kind), one)
    return tuple(kept.values())


def shown(value: object) -> str:
    """A value on one line, short, without anything that a terminal would obey; hashes by their beginning."""
    text = _HASH.sub(r"\1…", value if isinstance(value, str) else str(value))
    clean = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: _MOST_SHOWN + 1])
    return clean if len(clean) <= _MOST_SHOWN else f"{clean[:_MOST_SHOWN]}…"


def difference(recorded: bytes, now: bytes) -> tuple[str, str, str]:
    """The first place at which two JSON texts differ: its path, the recorded value, and today's, each short and escaped."""
    try:
        left, right = json.loads(recorded), json.loads(now)
    except ValueError:
        return "bytes", f"{len(recorded)} bytes", f"{len(now)} bytes"
    path, one, two = _walk(left, right, "")
    return shown(path) or "value", one, two


def _walk(left: Any, right: Any, path: str) -> tuple[str, str, str]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in left or key not in right:
                return inner, _value(left, key), _value(right, key)
            if left[key] != right[key]:
                return _walk(left[key], right[key], inner)
    if isinstance(left, list) and isinstance(right, list):
        for place, (one, two) in enumerate(zip(left, right, strict=False)):
            if one != two:
                return _walk(one, two, f"{path}[{place}]")
        return path, f"{len(left)} items", f"{len(right)} items"
    return path, shown(json.dumps(left, ensure_ascii=False)), shown(json.dumps(right, ensure_ascii=False))


def _value(mapping: dict[str, Any], key: str) -> str:
    return shown(json.dumps(mapping[key], ensure_ascii=False)) if key in mapping else "absent"
