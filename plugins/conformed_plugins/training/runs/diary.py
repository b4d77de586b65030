"""The diary of a run: what was planned beside what came of it, for programs (``diary.json``) and for people (``diary.md``)."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformed.errors import GivenValueError, UsageError
from conformed.model.base import Missing
from conformed_plugins.training.runs import lines
from conformed_plugins.training.runs.diagnosis import Diagnosis, diagnose
from conformed_plugins.training.runs.files import BEGUN, EVALUATIONS, GROWING, NOTES, PLAN, ROLLOUTS, begun_of
from conformed_plugins.training.runs.names import unknown
from conformed_plugins.training.runs.pages import diary_page
from conformed_plugins.training.runs.plots import plots_of
from conformed_plugins.training.runs.reading import evaluations_of, rollouts_of, series_of
from conformed_plugins.training.runs.series import Series
from conformed_plugins.training.runs.stops import met

if TYPE_CHECKING:
    from conformed_plugins.training.runs.folder import RunFolder

__all__ = ["assemble", "read_diary", "write_diary"]

NO_ANALYSIS = "None was written."


def write_diary(folder: RunFolder, result: Mapping[str, Any], *, failure_analysis: str, at: str, plots: bool) -> Path:
    """Writes plots and diary; the diary for programs last, because it says that the run is finished.

    Args:
        folder: the run.
        result: what came of it, as plain JSON.
        failure_analysis: what went wrong, in words; empty where nothing is said.
        at: the moment of the end, as ``moment`` writes it.
        plots: whether to draw.

    Returns:
        The diary for people.

    Raises:
        GivenValueError: for a result that is no plain JSON.
        UsageError: when a file cannot be read or written.
    """
    try:
        plain = json.loads(lines.as_bytes(dict(result)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise GivenValueError("The result is no plain JSON.", "Give numbers, texts, lists and mappings; no NaN.") from problem
    series = series_of(folder)
    whole = assemble(folder, series, at=at)
    whole["filled"] |= {"result": plain, "failure_analysis": failure_analysis.strip() or NO_ANALYSIS}
    drawn = plots_of(series, evaluations_of(folder)) if plots else Missing(reason="No plots were asked for.", code="not_asked")
    whole["attached"] |= _attach(folder.path, drawn)
    lines.write_whole(folder.path / "diary.md", diary_page(whole).encode("utf-8"))
    data = json.dumps(whole, indent=2, sort_keys=True, allow_nan=False)
    lines.write_whole(folder.path / "diary.json", data.encode("ascii") + b"\n")
    return folder.path / "diary.md"


def assemble(folder: RunFolder, series: Series, *, at: str | None = None) -> dict[str, Any]:
    """The diary as far as it can be known, also of a run that is not finished: without result, analysis and plots.

    Args:
        folder: the run.
        series: its series.
        at: the moment of its end; None where it is not finished.
    """
    begun, notes = begun_of(folder.path), list(folder.rows(NOTES))
    seconds = None
    if at is not None:
        seconds = int((dt.datetime.fromisoformat(at) - dt.datetime.fromisoformat(begun["begun"])).total_seconds())
    return {
        "run": folder.run_id,
        "planned": folder.plan.model_dump(mode="json"),
        "filled": {
            "begun": begun["begun"],
            "finished": at,
            "seconds": seconds,
            "last_update": folder.last_update,
            "facts": _facts(begun["facts"], notes),
            "files": _hashes(folder.path),
            "resumed": [note for note in notes if note["kind"] == "resumed"],
            "deviations": _deviations(folder, series, notes, seconds),
            "result": {},
            "failure_analysis": NO_ANALYSIS,
            "figures": {name: {"first": points[0][1], "last": points[-1][1]} for name, points in series.numbers.items()},
            "unknown_series": list(unknown([*series.numbers, *series.words])),
            "diagnosis": _plain(diagnose(series, rollouts_of(folder))),
        },
        "attached": {
            "items": [name for name in (EVALUATIONS, ROLLOUTS) if (folder.path / name).exists()],
            "plots": [],
        },
    }


def read_diary(folder: RunFolder) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The diary of a finished run, and the files that are no longer as it says.

    Raises:
        UsageError: when there is none, or it is broken.
    """
    try:
        whole = json.loads((folder.path / "diary.json").read_bytes())
        said: dict[str, str] = whole["filled"]["files"]
    except FileNotFoundError as problem:
        raise UsageError(f"The run {folder.run_id!r} has no diary yet.", "It is written when the run ends.") from problem
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise UsageError(f"The diary of the run {folder.run_id!r} is broken.", "Restore diary.json.") from problem
    there = _hashes(folder.path)
    return whole, tuple(sorted(name for name in said.keys() | there.keys() if said.get(name) != there.get(name)))


def _facts(begun: Mapping[str, Mapping[str, Any]], notes: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Facts by kind: those of the start, then those that came to be known; the later one stands."""
    found = {kind: dict(facts) for kind, facts in begun.items()}
    for note in notes:
        if note["kind"] == "facts":
            found.setdefault(note["of"], {}).update(note["facts"])
    return found


def _deviations(folder: RunFolder, series: Series, notes: list[dict[str, Any]], seconds: int | None) -> list[str]:
    """What departs from the plan: what the run said of itself, then what can be seen."""
    plan, last = folder.plan, folder.last_update
    found = [f"Update {note['update']}: {note['said']}" for note in notes if note["kind"] == "deviation"]
    found += [f"The tracker failed at update {note['update']} ({note['said']}) and was told no more." for note in notes
              if note["kind"] == "tracker"]  # fmt: skip
    if last > plan.cap_updates:
        found.append(f"It ran to update {last}; the cap was {plan.cap_updates}.")
    if seconds is not None and seconds > plan.cap_seconds:
        found.append(f"From begin to end {seconds} s passed; the cap was {plan.cap_seconds} s.")
    found += [
        f"The stop rule {rule!r} was met at update {update}, and the run went on to {last}."
        for rule, update in met(plan.stop_rules, series)
        if last > update
    ]
    return found


def _plain(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in diagnosis.judgements]


def _hashes(path: Path) -> dict[str, str]:
    """SHA-256 of the files that were kept while it ran."""
    there = [path / name for name in (PLAN, BEGUN, *GROWING) if (path / name).exists()]
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in there}


def _attach(path: Path, drawn: dict[str, bytes] | Missing) -> dict[str, Any]:
    """Writes the plots and names them."""
    if isinstance(drawn, Missing):
        return {"no_plots": drawn.reason}
    (path / "plots").mkdir(exist_ok=True)
    for name, data in sorted(drawn.items()):
        lines.write_whole(path / "plots" / name, data)
    return {"plots": [f"plots/{name}" for name in sorted(drawn)]}
