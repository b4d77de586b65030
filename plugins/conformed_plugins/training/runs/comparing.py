"""Two runs side by side: what differs in plan, facts and results, and whether the same items came out otherwise."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conformed.errors import UsageError
from conformed.evaluation.paired import Comparison, compare
from conformed.model.base import Frozen, Missing
from conformed_plugins.training.runs import lines
from conformed_plugins.training.runs.diary import assemble, read_diary
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.reading import Evaluation, evaluations_of, series_of

__all__ = ["BASELINE", "Difference", "Paired", "RunComparison", "baseline", "compare_runs", "pin"]

BASELINE = "baseline.json"
"""Name of the file that pins the baseline, in the folder of all runs."""
_SEED = 0


class Difference(Frozen):
    """One thing in which the runs differ."""

    where: str
    """``plan``, ``fact`` or ``result``."""
    name: str
    """Its name, with points between levels."""
    before: str | Missing
    """In the first run, as JSON; Missing where it is not there."""
    after: str | Missing
    """In the second run."""


class Paired(Frozen):
    """One split that both runs were evaluated on: the last evaluation of each."""

    split: str
    """Which split."""
    updates: tuple[int, int]
    """Of which update's policy in the first and in the second run."""
    left_out: int
    """Items that only one of them judged; they are in no figure."""
    comparison: Comparison | Missing
    """The paired comparison on the items of both; Missing with its reason where there is none."""


class RunComparison(Frozen):
    """Two runs."""

    before: str
    """Id of the first."""
    after: str
    """Id of the second."""
    differences: tuple[Difference, ...]
    """What differs, and nothing else, by place and name."""
    paired: tuple[Paired, ...]
    """Splits that both were evaluated on, sorted."""
    apart: tuple[str, ...]
    """Splits that only one of them was evaluated on, sorted."""


def compare_runs(before: RunFolder, after: RunFolder) -> RunComparison:
    """Compares two runs.

    Raises:
        UsageError: when one of them cannot be read.
    """
    parts = {name: (_flat(one), _flat(two)) for name, one, two in _parts(before, after)}
    sides = [
        Difference(where=where, name=name, before=_value(one, name), after=_value(two, name))
        for where, (one, two) in parts.items()
        for name in sorted(one.keys() | two.keys())
    ]
    first, second = _last(before), _last(after)
    return RunComparison(
        before=before.run_id,
        after=after.run_id,
        differences=tuple(one for one in sides if one.before != one.after),
        paired=tuple(_paired(first[split], second[split]) for split in sorted(first.keys() & second.keys())),
        apart=tuple(sorted(first.keys() ^ second.keys())),
    )


def pin(root: Path, run: RunFolder) -> None:
    """Makes a finished run the baseline of its folder, by id and by the hash of its diary.

    Raises:
        UsageError: when it is not finished, or a file is not as its diary says.
    """
    _, altered = read_diary(run)
    if altered:
        raise UsageError(f"{', '.join(altered)} of {run.run_id!r} are not as its diary says.", "Pin a run that is whole.")
    lines.write_whole(root / BASELINE, lines.as_bytes({"run": run.run_id, "diary": _hash(run)}) + b"\n")


def baseline(root: Path, *, now: Callable[[], dt.datetime]) -> RunFolder:
    """The pinned run.

    Args:
        root: the folder of all runs.
        now: the clock.

    Raises:
        UsageError: when none is pinned, the pin is broken, or the run was changed after it was pinned.
    """
    try:
        pinned = json.loads((root / BASELINE).read_bytes())
        run_id, digest = str(pinned["run"]), pinned["diary"]
    except FileNotFoundError as problem:
        raise UsageError("No baseline is pinned.", "Pin one: conformed runs pin RUN.") from problem
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise UsageError(f"{root / BASELINE} is broken.", "Pin the baseline again.") from problem
    run = RunFolder.open(root, run_id, now=now)
    if not run.finished or _hash(run) != digest or read_diary(run)[1]:
        raise UsageError(f"The baseline {run_id!r} was changed after it was pinned.", "Look why; then pin one again.")
    return run


def _hash(run: RunFolder) -> str:
    return hashlib.sha256((run.path / "diary.json").read_bytes()).hexdigest()


def _parts(before: RunFolder, after: RunFolder) -> list[tuple[str, Any, Any]]:
    one, two = _told(before), _told(after)
    return [
        ("plan", one["planned"], two["planned"]),
        ("fact", one["filled"]["facts"], two["filled"]["facts"]),
        ("result", one["filled"]["result"], two["filled"]["result"]),
    ]


def _told(run: RunFolder) -> dict[str, Any]:
    """The diary; of a run that is not finished as far as it is known."""
    return read_diary(run)[0] if run.finished else assemble(run, series_of(run))


def _flat(plain: Any, above: str = "") -> dict[str, Any]:
    """Nested mappings as one, with points between the levels; lists and empty mappings stay whole."""
    if not isinstance(plain, Mapping) or (above and not plain):
        return {above: plain}
    found: dict[str, Any] = {}
    for name, value in plain.items():
        found |= _flat(value, f"{above}.{name}" if above else str(name))
    return found


def _value(flat: Mapping[str, Any], name: str) -> str | Missing:
    if name not in flat:
        return Missing(reason=f"There is no {name}.", code="not_there")
    return json.dumps(flat[name], sort_keys=True, ensure_ascii=False)


def _last(run: RunFolder) -> dict[str, Evaluation]:
    return {one.split: one for one in evaluations_of(run)}  # sorted by update: the last one stands


def _paired(before: Evaluation, after: Evaluation) -> Paired:
    one, two = ({row["item"]: row for row in evaluation.rows} for evaluation in (before, after))
    both = sorted(one.keys() & two.keys())
    found: Comparison | Missing
    if not both:
        found = Missing(reason="The runs judged no item in common.", code="no_common_item")
    else:
        groups = {item: one[item].get("group") for item in both}
        whole = all(isinstance(group, str) for group in groups.values())
        try:
            found = compare(
                {item: one[item]["outcome"] for item in both},
                {item: two[item]["outcome"] for item in both},
                seed=_SEED,
                groups={item: str(group) for item, group in groups.items()} if whole else None,
            )
        except UsageError as problem:  # without numpy there is no interval, and no difference is told without one
            found = Missing(reason=str(problem), code="no_numpy")
    return Paired(
        split=before.split, updates=(before.update, after.update), left_out=len(one.keys() ^ two.keys()), comparison=found
    )
