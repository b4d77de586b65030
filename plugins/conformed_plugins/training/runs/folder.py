"""The folder of one run: plan first, then series, rollouts and judged items that only grow, and a diary at its end.

``plan.json``, ``begun.json``, ``series.jsonl``, ``rollouts.jsonl``, ``evaluations.jsonl``, ``notes.jsonl``; after the end also
``diary.json``, ``diary.md`` and ``plots/``. One process writes at a time. What a record is of is its update, a whole number
from 0 (before the first); a run that is taken up again cuts what lies after the update of its checkpoint.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from conformed.errors import GivenTypeError, GivenValueError, UsageError
from conformed.ports import Tracker
from conformed_plugins.trackers.figures import as_text
from conformed_plugins.training.runs import lines
from conformed_plugins.training.runs.environment import environment as this_environment
from conformed_plugins.training.runs.files import (
    DIARY,
    EVALUATIONS,
    GROWING,
    NOTES,
    PLAN,
    ROLLOUTS,
    SERIES,
    begun_of,
    make,
    rows_of,
)
from conformed_plugins.training.runs.given import Figure, check_items, figure, moment, place
from conformed_plugins.training.runs.plan import RunPlan, plan_of, plan_text
from conformed_plugins.training.runs.stops import check_rules

__all__ = ["RunFolder"]


class RunFolder:
    """One run's folder. Made by ``begin``, found again by ``open``."""

    def __init__(self, path: Path, plan: RunPlan, now: Callable[[], dt.datetime]) -> None:
        self.path, self.plan, self._now = path, plan, now
        self._last = -1
        self._names: set[str] = set()
        self._evaluations: set[tuple[int, str]] = set()
        self._tracker: Tracker | None = None
        self._look()

    @classmethod
    def begin(
        cls,
        root: Path,
        plan: RunPlan | Mapping[str, Any] | None,
        *,
        now: Callable[[], dt.datetime],
        run_id: str,
        facts: Mapping[str, Mapping[str, Any]] | None = None,
        environment: Callable[[], Mapping[str, Mapping[str, str]]] = this_environment,
    ) -> Self:
        """Begins a run: its folder is there with plan and start, or not at all.

        Args:
            root: the folder of all runs; made where it is not there.
            plan: the plan.
            now: the clock, in time with a zone.
            run_id: name of the run and of its folder: lower case, digits, point, hyphen, underscore.
            facts: what is known at the start, by kind: ``revisions``, ``hashes``, for the diary.
            environment: gives hardware and versions.

        Raises:
            GivenValueError: for a plan that lacks something, by its name, a stop rule over no series, or a malformed id.
            UsageError: when there is such a run already, or the folder cannot be written.
        """
        plan = plan_of(plan)
        check_rules(plan.stop_rules)
        path = place(root, run_id)
        if path.exists():
            raise UsageError(f"There is a run {run_id!r} already.", "Give another id, or open it to go on.")
        found = environment()
        known = {kind: {**found.get(kind, {}), **(facts or {}).get(kind, {})} for kind in sorted({*found, *(facts or {})})}
        try:
            begun = lines.as_bytes({"run": run_id, "begun": moment(now()), "facts": known}) + b"\n"
        except (TypeError, RecursionError) as problem:
            raise GivenValueError("A fact is no plain JSON.", "Give numbers and texts.") from problem
        make(path, plan_text(plan), begun)
        return cls(path, plan, now)

    @classmethod
    def open(cls, root: Path, run_id: str, *, now: Callable[[], dt.datetime]) -> Self:
        """Opens a run that was begun, to go on with it or to read it.

        Raises:
            GivenValueError: for a malformed id.
            UsageError: when there is no such run, or a file of it is broken.
        """
        path = place(root, run_id)
        try:
            plan = plan_of(json.loads((path / PLAN).read_bytes()))
        except FileNotFoundError as problem:
            raise UsageError(f"There is no run {run_id!r} in {root}.", "See `conformed runs list`.") from problem
        except (OSError, ValueError) as problem:
            raise UsageError(f"The plan of the run {run_id!r} is broken.", "Restore plan.json.") from problem
        begun_of(path)
        return cls(path, plan, now)

    def tell(self, tracker: Tracker) -> None:
        """Has every figure that is recorded from now on passed on to a tracker, after it is on the disk here.

        A tracker that fails once is told no more, and the diary says so: it can neither stop a run nor change one.
        """
        self._tracker = tracker

    @property
    def run_id(self) -> str:
        """Name of the run."""
        return self.path.name

    @property
    def last_update(self) -> int:
        """The last update that is recorded; -1 where none is."""
        return self._last

    @property
    def finished(self) -> bool:
        """Whether its diary is written."""
        return (self.path / DIARY[0]).exists()

    def record(self, update: int, figures: Mapping[str, Figure]) -> None:
        """Adds figures of one update, on the disk before it returns. Several calls for one update add to each other.

        Args:
            update: its number, never less than the last one's.
            figures: by name (see ``names``).

        Raises:
            GivenTypeError: for what is no figure.
            GivenValueError: for NaN, an infinity, a malformed name, a figure that is there already, or an update that is past.
            UsageError: when the run is finished, or the disk is full.
        """
        self._open_at(update)
        plain = {name: figure(name, value) for name, value in figures.items()}
        if update == self._last and (twice := sorted(self._names & plain.keys())):
            raise GivenValueError(f"Update {update} has {', '.join(twice)} already.", "Record a figure once.")
        lines.add(self.path / SERIES, [{"update": update, "figures": plain}])
        self._follow(update, plain)
        if self._tracker is not None:
            try:
                self._tracker.track(self.run_id, update, as_text(plain))
            except Exception as problem:  # noqa: BLE001 - a stranger's service must not end a run; proven by fault injection
                self._tracker = None
                self._add(NOTES, [{"update": update, "kind": "tracker", "said": type(problem).__name__}])

    def rollouts(self, update: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keeps raw samples with reasons, one line each (see ``behaviour`` for the keys). They stay in this folder.

        Raises:
            GivenValueError: for a row that is no plain JSON, or an update that is past.
            UsageError: when the run is finished, or the disk is full.
        """
        self._open_at(update)
        self._add(ROLLOUTS, [{"update": update, "row": dict(row)} for row in rows])

    def evaluated(self, update: int, split: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keeps judged items of one evaluation, one line each, so that two runs can be compared item by item.

        Args:
            update: the update whose policy answered.
            split: which items, and how they were decoded where there are two ways: ``unseen``, ``unseen.sampled``.
            rows: each with ``item`` and ``outcome``; optionally ``group`` (a template), ``tokens``, ``format_ok``, ``code``,
                ``response``.

        Raises:
            GivenValueError: for a malformed split, an item without id or outcome, an item twice, or an update that is past.
            UsageError: when the run is finished, or the disk is full.
        """
        self._open_at(update)
        check_items(split, rows)
        if (update, split) in self._evaluations:
            raise GivenValueError(f"Update {update} was evaluated on {split} already.", "Give all rows of an evaluation at once.")
        self._add(EVALUATIONS, [{"update": update, "split": split, "row": dict(row)} for row in rows])
        self._evaluations.add((update, split))

    def deviated(self, update: int, sentence: str) -> None:
        """Notes that the run departs from its plan, for the diary.

        Raises:
            GivenValueError: for an empty sentence.
            UsageError: when the run is finished, or the disk is full.
        """
        self._open_at(update)
        if not sentence.strip():
            raise GivenValueError("A deviation without words.", "Say what differs from the plan, and why.")
        self._add(NOTES, [{"update": update, "kind": "deviation", "said": sentence}])

    def know(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Adds facts that were not known at the start (a checkpoint's hash), for the diary.

        Args:
            kind: ``revisions``, ``hashes``, ``hardware`` or another word.
            facts: by name.

        Raises:
            GivenValueError: for what is no plain JSON.
            UsageError: when the run is finished, or the disk is full.
        """
        self._open_at(max(self._last, 0))
        self._add(NOTES, [{"update": max(self._last, 0), "kind": "facts", "of": kind, "facts": dict(facts)}])

    def cut(self, update: int) -> int:
        """Drops what lies after an update, for a run that is taken up from its checkpoint, and notes that it was.

        A diary that was written is dropped, too: the run is no longer finished. Killed in the middle, it can be called again.

        Args:
            update: the last update that stays; -1 drops all.

        Returns:
            How many lines were dropped.

        Raises:
            GivenTypeError: for a number that is not whole.
            UsageError: when a file cannot be read or written.
        """
        if type(update) is not int:
            raise GivenTypeError(f"The update is {update!r}.", "Give a whole number.")
        try:
            for name in DIARY:
                (self.path / name).unlink(missing_ok=True)
        except OSError as problem:
            raise UsageError(
                f"{self.path / name} cannot be taken away: {problem.strerror}.", "Check its permissions."
            ) from problem
        shutil.rmtree(self.path / "plots", ignore_errors=True)
        dropped = sum(
            lines.keep_where(self.path / name, lambda row: row["update"] <= update or row.get("kind") == "resumed")
            for name in GROWING
        )
        note = {"update": update, "kind": "resumed", "at": moment(self._now()), "dropped": dropped}
        lines.add(self.path / NOTES, [note])
        self._look()
        return dropped

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The lines of one of its files: ``SERIES``, ``ROLLOUTS``, ``EVALUATIONS``, ``NOTES``."""
        return rows_of(self.path, name)

    def finish(self, result: Mapping[str, Any], *, failure_analysis: str = "", plots: bool = True) -> Path:
        """Ends the run: writes its diary for programs and for people, and the plots.

        Args:
            result: what came of it, as plain JSON.
            failure_analysis: what went wrong, in words; the diary says so where there is none.
            plots: whether to draw.

        Returns:
            The diary for people.

        Raises:
            GivenValueError: for a result that is no plain JSON.
            UsageError: when the run is finished, or the disk is full.
        """
        from conformed_plugins.training.runs.diary import write_diary

        self._open_at(max(self._last, 0))
        return write_diary(self, result, failure_analysis=failure_analysis, at=moment(self._now()), plots=plots)

    def _look(self) -> None:
        """Takes from the files where the run stands."""
        self._last, self._names = -1, set()
        for row in self.rows(SERIES):
            self._follow(row["update"], row["figures"])
        self._evaluations = {(row["update"], row["split"]) for row in self.rows(EVALUATIONS)}

    def _follow(self, update: int, figures: Mapping[str, Any]) -> None:
        if update != self._last:
            self._last, self._names = update, set()
        self._names |= figures.keys()

    def _open_at(self, update: int) -> None:
        if type(update) is not int or update < 0:
            raise GivenTypeError(f"The update is {update!r}.", "Give a whole number from 0.")
        if self.finished:
            raise UsageError(f"The run {self.run_id!r} is finished.", "Begin another, or cut it back to a checkpoint.")
        if update < self._last:
            raise GivenValueError(f"Update {update} comes after {self._last}.", "Cut the run back before it goes on from there.")

    def _add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        try:
            lines.add(self.path / name, rows)
        except (TypeError, ValueError, RecursionError) as problem:
            raise GivenValueError(f"A row for {name} is no plain JSON.", "Give numbers, texts and lists; no NaN.") from problem
