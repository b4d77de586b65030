"""The command ``runs``: what was tried, what came of it, and what one run did better than another."""

from __future__ import annotations

import argparse
import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conformed.errors import ConformedError, UsageError
from conformed.hooks import NoOptions
from conformed.model.base import Missing
from conformed_plugins.training.runs.comparing import BASELINE, RunComparison, baseline, compare_runs, pin
from conformed_plugins.training.runs.diary import assemble, read_diary
from conformed_plugins.training.runs.files import run_ids
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.judgement import State
from conformed_plugins.training.runs.pages import diary_page, plain_line
from conformed_plugins.training.runs.reading import series_of
from conformed_plugins.words import Words, understood

__all__ = ["DEFAULT_FOLDER", "RunsCommand"]

DEFAULT_FOLDER = ".conformed/runs"
"""Where runs lie unless told, below the current folder."""


class _Words(Words):
    command = "runs"
    example = "conformed runs list, runs show RUN, runs compare RUN RUN, runs pin RUN"


class RunsCommand:
    """``conformed runs list``, ``show``, ``compare`` and ``pin``."""

    def __init__(self, _options: NoOptions) -> None:
        pass

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Carries out the command.

        Raises:
            UsageError: for arguments that are not understood, or a run that is not there.
            GivenValueError: for a malformed id.
        """
        asked = understood(_parser(), arguments, write)
        if asked is None:
            return 0
        root = Path(asked.folder)
        if not asked.what == "list" and not root.is_dir():
            raise UsageError(f"There is no folder {root}.", "Give --folder, or begin a run.")
        told = {"list": _list, "show": _show, "compare": _compare, "pin": _pin}[asked.what](root, asked)
        for line in told:
            write(line)
        return 0


def _parser() -> Words:
    parser = _Words(prog="conformed runs", description="Runs of training.")
    commands = parser.add_subparsers(dest="what", required=True)
    for name, given in (("list", ()), ("show", ("run",)), ("compare", ("run", "second")), ("pin", ("run",))):
        one = commands.add_parser(name)
        for argument in given:
            one.add_argument(argument, nargs="?" if argument == "second" else None)
        one.add_argument("--folder", default=DEFAULT_FOLDER)
        one.add_argument("--json", action="store_true")
    return parser


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _open(root: Path, run_id: str) -> RunFolder:
    return RunFolder.open(root, run_id, now=_now)


def _json(plain: Any) -> str:
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False)


def _list(root: Path, asked: argparse.Namespace) -> Iterator[str]:
    pinned = _pinned(root)
    rows = [_row(root, run_id, pinned) for run_id in run_ids(root)]
    if asked.json:
        yield _json(rows)
        return
    if not rows:
        yield f"There is no run in {root}."
        return
    head = ("run", "method", "begun", "updates", "state", "accuracy", "seen")
    table = [head, *(tuple(str(row[name]) for name in head) for row in rows)]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if pinned:
        yield f"Baseline: {pinned}"


def _row(root: Path, run_id: str, pinned: str) -> dict[str, Any]:
    """One run of the list. A broken one has its reason in its row, and hides no other."""
    try:
        run = _open(root, run_id)
        told = (read_diary(run)[0] if run.finished else assemble(run, series_of(run)))["filled"]
        accuracies = [
            f"{name.split('.', 1)[1].removesuffix('.accuracy')} {one['last']:.3f}"
            for name, one in sorted(told["figures"].items())
            if name.startswith("evaluation.") and name.endswith(".accuracy")
        ]
        begun, state = told["begun"], "finished" if run.finished else "not finished"
        seen = ", ".join(one["code"] for one in told["diagnosis"] if one["state"] == State.SEEN and one["harm"]) or "-"
        method, updates = str(run.plan.method), max(run.last_update, 0)
    except ConformedError as problem:
        accuracies, begun, state, seen, method, updates = [], "-", f"broken: {problem.found}", "-", "-", 0
    return {
        "run": run_id,
        "method": method,
        "begun": begun,
        "updates": updates,
        "state": state,
        "accuracy": "; ".join(accuracies) or "-",
        "seen": seen,
        "baseline": run_id == pinned,
    }


def _pinned(root: Path) -> str:
    """Id of the baseline as the pin names it; empty where there is none that can be read. Only ``compare`` trusts it."""
    try:
        return str(json.loads((root / BASELINE).read_bytes())["run"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _show(root: Path, asked: argparse.Namespace) -> Iterator[str]:
    run = _open(root, asked.run)
    altered: tuple[str, ...] = ()
    if run.finished:
        whole, altered = read_diary(run)
    else:
        whole = assemble(run, series_of(run))
    if asked.json:
        yield _json({**whole, "altered": list(altered)})
        return
    yield from diary_page(whole).splitlines()
    if altered:
        yield f"Altered since the diary was written: {', '.join(altered)}."


def _pin(root: Path, asked: argparse.Namespace) -> Iterator[str]:
    pin(root, _open(root, asked.run))
    yield _json({"baseline": asked.run}) if asked.json else f"{asked.run} is the baseline of {root}."


def _compare(root: Path, asked: argparse.Namespace) -> Iterator[str]:
    if asked.second is None:
        before, after = baseline(root, now=_now), _open(root, asked.run)
    else:
        before, after = _open(root, asked.run), _open(root, asked.second)
    found = compare_runs(before, after)
    if asked.json:
        yield found.model_dump_json(indent=2)
        return
    yield from _told(found)


def _told(found: RunComparison) -> Iterator[str]:
    """Results first: they are what is asked for."""
    yield f"{found.before} (before) and {found.after} (after)"
    yield ""
    for one in found.paired:
        words = one.comparison.reason if isinstance(one.comparison, Missing) else one.comparison.words()
        out = f"; {one.left_out} items judged by one run only are left out" if one.left_out else ""
        yield f"{one.split}, updates {one.updates[0]} and {one.updates[1]}: {words}{out}"
    if len(found.paired) > 1:
        yield f"{len(found.paired)} tests: the p-values are not corrected for their number."
    if found.apart:
        yield f"Evaluated in one run only: {', '.join(found.apart)}"
    if not found.paired:
        yield "No split was evaluated in both runs: nothing says which one is better."
    yield ""
    if not found.differences:
        yield "Plan, facts and results are the same."
    for difference in found.differences:
        name = f"{difference.where} {plain_line(difference.name)}"
        yield f"{name}: {_side(difference.before)} -> {_side(difference.after)}"


def _side(value: str | Missing) -> str:
    return "not there" if isinstance(value, Missing) else plain_line(value)
