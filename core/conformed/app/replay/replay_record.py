"""The log's note of a replay: in the log's own case, so that a replay never touches the case that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformed.engine.canonical import canonical_bytes
from conformed.engine.log import Log, ours
from conformed.engine.replay import Replayed
from conformed_audit import JSON, Actor, Item, Kind, Pins, RecordDraft

__all__ = ["HOME", "note_replay"]

HOME = "_log"
"""The case in which replays are noted: an approval lapses when its own case changes, and a replay changes nothing."""
_JSON = "application/json"


def note_replay(log: Log, report: Replayed, pins: Mapping[str, str]) -> Replayed:
    """Writes that a run was replayed and what came of it.

    Args:
        log: the log.
        report: what came of it.
        pins: engine and plugins that replayed it.

    Returns:
        The report with the name of its record.

    Raises:
        JournalError: when it cannot be written.
    """
    made = log.make_blob(canonical_bytes(report), _JSON)
    blob = replace(made, about=report.case)  # it may quote values of that case, and goes when they go
    about = (Item("record", report.record, 0, _JSON),) if report.record else ()
    summary: JSON = {
        "run": report.run,
        "level": str(report.asked),
        "divergences": len(report.divergences),
        "same": report.same_decision,
    }
    draft = RecordDraft(
        case=HOME, kind=Kind.REPLAY_RUN, actor=Actor("engine", "engine"), pins=Pins(engine=pins["engine"], plugins=pins["plugins"]),
        input=about, output=(Item("report", blob.commit, len(blob.data), _JSON, summary),),
        note=f"Replay of run {report.run[:80]!a} to {report.asked}.",
    )  # fmt: skip
    with ours("written"):
        (record,) = log.append((draft,), blobs=(blob,))
    return report.model_copy(update={"noted": record.leaf})
