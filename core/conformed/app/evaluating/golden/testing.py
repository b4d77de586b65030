"""`conformed policy test`: a contract's regression slices are run, judged and held against what was recorded of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from conformed.app.evaluating.golden.cases import golden_cases
from conformed.app.evaluating.golden.judged import Class, Judged, PartClass
from conformed.app.evaluating.golden.regression import (
    Change,
    baseline_of,
    baseline_path,
    changes,
    fails,
    read_baseline,
    write_baseline,
)
from conformed.app.evaluating.golden.running import judge_cases
from conformed.app.workspace import Workspace
from conformed.errors import UsageError
from conformed.model.base import Frozen
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract

__all__ = ["Tested", "lines_of", "slices_of"]


class Tested(Frozen):
    """What a test of a contract found."""

    contract: str
    """Name and version."""
    recorded: str
    """Name and version of the contract of the baseline; empty where there is none."""
    slices: dict[str, tuple[Judged, ...]]
    """Every case, by slice."""
    changes: tuple[Change, ...]
    """What came out otherwise than recorded."""
    worse: bool
    """Whether a slice got worse, or something is determined and wrong."""


def slices_of(
    path: Path,
    workspace: Workspace,
    *,
    only: str | None = None,
    cases: Path | None = None,
    record: bool = False,
    told: Callable[[Judged], None] = lambda _judged: None,
    environment: dict[str, str] | None = None,
) -> Tested:
    """Runs the regression slices of a contract.

    Args:
        path: the contract.
        workspace: where slices lie, and the baseline.
        only: one slice.
        cases: a folder of cases that is judged in place of the slices; nothing was recorded of it.
        record: keep what was found as the baseline.
        told: given each case as it was judged.
        environment: environment variables, for plugin loading.

    Raises:
        ConformedError: when contract, slice or baseline cannot be used.
    """
    contract = load_model(path, TaskContract).value
    place = baseline_path(workspace.policies, contract.name)
    before = read_baseline(place) if cases is None else None
    folders = _folders(contract, workspace, only) if cases is None else {cases.resolve().name: [cases]}
    now: dict[str, tuple[Judged, ...]] = {}
    for name, places in folders.items():
        found_cases = [case for folder in places for case in golden_cases(folder)]
        if twice := [case for case, count in sorted(Counter(one.id for one in found_cases).items()) if count > 1]:
            raise UsageError(f"The slice {name} holds {twice[0]!r} twice.", "Name its folders so that no case is doubled.")
        now[name] = judge_cases(found_cases, workspace.policies, str(path), environment=environment, told=told)
    found = changes(before, now)
    if record and cases is None:
        kept = dict(before.slices) if before else {}
        fresh = baseline_of(f"{contract.name} {contract.version}", now)
        write_baseline(place, fresh.model_copy(update={"slices": kept | fresh.slices}))
    return Tested(
        contract=f"{contract.name} {contract.version}",
        recorded=before.contract if before else "",
        slices=now,
        changes=found,
        worse=fails(found, now),
    )


def _folders(contract: TaskContract, workspace: Workspace, only: str | None) -> dict[str, list[Path]]:
    wanted = {one.name: [workspace.root / folder for folder in one.cases] for one in contract.regression_slices}
    chosen = {name: folders for name, folders in wanted.items() if only in (None, name)}
    if not chosen:
        there = ", ".join(wanted) or "none"
        raise UsageError(f"The contract {contract.name} has no slice{f' {only!r}' if only else 's'}.", f"Slices: {there}.")
    return chosen


def lines_of(tested: Tested) -> tuple[str, ...]:
    """What was found, in words, line by line."""
    lines = [f"{tested.contract} against {tested.recorded or 'nothing: no baseline was recorded (--record)'}"]
    for name, judged in sorted(tested.slices.items()):
        counts = Counter(one.outcome for one in judged)
        shares = ", ".join(f"{one.name.lower()} {counts[one]}" for one in sorted(Class, reverse=True) if counts[one])
        lines.append(f"  {name}: {len(judged)} cases: {shares}")
        for one in judged:
            lines += [f"    {one.case}: {one.outcome.name.lower()}: {said}" for said in _open(one)]
    lines += [f"  {change.sentence}" for change in tested.changes if change.direction != "new" or tested.recorded]
    lines.append("WORSE: this contract may not replace the one recorded." if tested.worse else "No slice got worse.")
    return tuple(lines)


def _open(one: Judged) -> list[str]:
    told = [f"{part.name} {part.outcome.value}: {part.said}" for part in one.vector if part.outcome in _TOLD]
    return [*told, *one.exceptions]


_TOLD = (PartClass.OPEN, PartClass.WRONG)
