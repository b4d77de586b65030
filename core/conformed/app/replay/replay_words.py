"""A replay and a list of runs for people."""

from __future__ import annotations

from conformed.app.keeping.searching import Found
from conformed.app.pages.pen import Pen
from conformed.engine.replay import Replayed

__all__ = ["replay_text", "runs_text"]


def replay_text(report: Replayed, *, width: int, colour: bool) -> str:
    """The levels, what differs with both values, and whether the decision is the same."""
    pen = Pen(width, colour=colour)
    pen.say(f"Replay of run {report.run}, to level {report.asked}.")
    pen.table(("Level", "", "What was found"), [(one.level, one.status, one.sentence) for one in report.levels])
    if report.divergences:
        pen.heading("What differs, the first of each class in each step")
        for one in report.divergences:
            where = f" ({one.where})" if one.where else ""
            pen.item(f"{one.level} {one.step}", f"{one.kind}, {one.severity}{where}")
            pen.pairs([("recorded", one.recorded), ("now", one.now)])
    pen.gap()
    pen.say(f"Same decision: {report.same_decision}.")
    pairs = [("recorded", report.decision_recorded), ("now", report.decision_now)]
    pen.pairs([(name, said) for name, said in pairs if said])
    pen.say(f"Noted in the log as {report.noted[:12]}." if report.noted else "The log could not take a note of this replay.")
    return pen.text()


def runs_text(found: Found, *, width: int, colour: bool) -> str:
    """A line a run, and how many more there are."""
    pen = Pen(width, colour=colour)
    rows: list[tuple[str, ...]] = [
        (r.run, r.began[:16], r.borrower or r.pack, r.test_date, r.state, r.result) for r in found.runs
    ]
    heads: tuple[str, ...] = ("Run", "Began (UTC)", "Borrower or task", "Test date", "State", "Result")
    if any(r.epoch for r in found.runs):
        heads, rows = (*heads, "Epoch"), [(*row, r.epoch) for row, r in zip(rows, found.runs, strict=True)]
    if rows:
        pen.table(heads, rows)
    more = found.count - len(rows)
    pen.say(
        "No run fits."
        if not rows
        else f"Runs: {found.count}."
        if not more
        else f"Runs: {len(rows)} of {found.count}; --most shows more."
    )
    return pen.text()
