"""Whether golden cases got worse: what was recorded of each slice, against what it gives now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from conformed.app.evaluating.golden.judged import Class, ClassName, Judged, PartClass
from conformed.errors import UsageError
from conformed.model.base import Frozen

__all__ = ["Baseline", "Change", "Kept", "baseline_of", "baseline_path", "changes", "fails", "read_baseline", "write_baseline"]

_RANK = {PartClass.WRONG: 0, PartClass.OPEN: 1, PartClass.NOT_JUDGED: 1, PartClass.RIGHT: 2}


class Kept(Frozen):
    """What was recorded of one case."""

    outcome: ClassName
    """How it came out."""
    parts: dict[str, PartClass]
    """Its vector."""


class Baseline(Frozen):
    """What was recorded of a contract's slices."""

    shape: Literal["conformed.baseline/1"] = "conformed.baseline/1"
    """Version of this shape."""
    contract: str
    """Name and version of the contract with which it was recorded."""
    slices: dict[str, dict[str, Kept]]
    """By slice and case."""


class Change(Frozen):
    """One case that came out otherwise than recorded."""

    slice: str
    """Slice."""
    case: str
    """Case."""
    what: str
    """``outcome``, or the part of the vector."""
    old: str
    """As recorded; empty for a new case."""
    new: str
    """Now; empty for a case that is gone."""
    direction: Literal["worse", "better", "new", "gone"]
    """Which way."""

    @property
    def sentence(self) -> str:
        """The change in words."""
        if self.direction == "new":
            return f"{self.slice}/{self.case} is new: {self.new}."
        if self.direction == "gone":
            return f"{self.slice}/{self.case} is gone (was {self.old})."
        what = "" if self.what == "outcome" else f" {self.what}"
        return f"{self.slice}/{self.case}{what}: {self.old} becomes {self.new}; {self.direction}."


def baseline_path(policies: Path, contract: str) -> Path:
    """Where the baseline of a contract lies."""
    return policies / "baselines" / f"{contract}.json"


def read_baseline(path: Path) -> Baseline | None:
    """The baseline; None where none was recorded.

    Raises:
        UsageError: when it cannot be read or is none.
    """
    if not path.exists():
        return None
    try:
        return Baseline.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as problem:
        raise UsageError(f"{path} is no baseline.", "Restore it, or record another: --record.") from problem


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Writes a baseline, whole or not at all; the same bytes for the same cases.

    Raises:
        UsageError: when it cannot be written.
    """
    half = path.with_suffix(".half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps(baseline.model_dump(mode="json"), indent=1, sort_keys=True) + "\n")
        half.replace(path)
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.", "Record it in a workspace of your own.") from problem


def baseline_of(contract: str, slices: Mapping[str, Sequence[Judged]]) -> Baseline:
    """What is recorded of judged slices."""
    return Baseline(
        contract=contract,
        slices={
            name: {one.case: Kept(outcome=one.outcome, parts={part.name: part.outcome for part in one.vector}) for one in judged}
            for name, judged in slices.items()
        },
    )


def changes(before: Baseline | None, now: Mapping[str, Sequence[Judged]]) -> tuple[Change, ...]:
    """Every difference, sorted by slice, case and part. A slice that was not judged now is passed over.

    Args:
        before: what was recorded; None where nothing was.
        now: slices as judged.
    """
    found: list[Change] = []
    for name in sorted(now):
        old = before.slices.get(name, {}) if before else {}
        new = baseline_of("", {name: now[name]}).slices[name]
        for case in sorted(old.keys() | new.keys()):
            found += _changes(name, case, old.get(case), new.get(case))
    return tuple(found)


def _changes(name: str, case: str, old: Kept | None, new: Kept | None) -> list[Change]:
    if new is None:
        return [Change(slice=name, case=case, what="outcome", old=_name(old), new="", direction="gone")]
    if old is None:
        return [Change(slice=name, case=case, what="outcome", old="", new=_name(new), direction="new")]
    found = []
    if old.outcome != new.outcome:
        way: Literal["worse", "better"] = "worse" if new.outcome < old.outcome else "better"
        found.append(Change(slice=name, case=case, what="outcome", old=_name(old), new=_name(new), direction=way))
    for part in sorted(old.parts.keys() | new.parts.keys()):
        was, now = old.parts.get(part, PartClass.NOT_JUDGED), new.parts.get(part, PartClass.NOT_JUDGED)
        if _RANK[was] != _RANK[now]:
            way = "worse" if _RANK[now] < _RANK[was] else "better"
            found.append(Change(slice=name, case=case, what=part, old=was.value, new=now.value, direction=way))
    return found


def _name(kept: Kept | None) -> str:
    return "" if kept is None else kept.outcome.name.lower()


def fails(found: Sequence[Change], now: Mapping[str, Sequence[Judged]]) -> bool:
    """Whether slices got worse. Something determined and wrong, and an error, fail even where they were recorded."""
    bad = any(one.outcome in (Class.WRONG, Class.ERROR) for judged in now.values() for one in judged)
    return bad or any(change.direction in ("worse", "gone") for change in found)
