"""What came of one kind of fault, and the table of all kinds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Told", "table"]

_MOST_WORDS = 20
_HEAD = ("fault", "injected", "acknowledged lost", "forks", "false alarms", "unnoticed")


@dataclass(slots=True)
class Told:
    """Counts of one kind of fault. All but the first must be 0."""

    fault: str
    """What was done."""
    injected: int = 0
    """How often it was really done, not how often it was tried."""
    lost: int = 0
    """Things that were acknowledged and are not there, or are there twice where they may be once."""
    forks: int = 0
    """Two histories of one case, or two signed checkpoints of which neither continues the other."""
    alarms: int = 0
    """Findings, refusals and foreign exceptions where nothing had been altered."""
    unnoticed: int = 0
    """Altered data that nobody noticed."""
    words: list[str] = field(default_factory=list)
    """A line for each thing that is wrong, with what is needed to see it again."""
    skipped: str = ""
    """Why it was not done here, if it was not."""

    @property
    def held(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.forks or self.alarms or self.unnoticed)

    def bad(self, column: str, word: str, times: int = 1) -> None:
        """Counts something wrong.

        Args:
            column: ``lost``, ``forks``, ``alarms`` or ``unnoticed``.
            word: what, and how to see it again.
            times: how often.
        """
        setattr(self, column, getattr(self, column) + times)
        self.words.append(f"{column}: {word}")


def table(rows: Iterable[Told]) -> str:
    """The table in Markdown, with a line below it for each thing that is wrong or was left out."""
    lines = ["| " + " | ".join(_HEAD) + " |", "| --- |" + " ---: |" * (len(_HEAD) - 1)]
    further: list[str] = []
    for row in rows:
        if row.skipped:
            further.append(f"not done here: {row.fault}: {row.skipped}")
            continue
        lines.append(f"| {row.fault} | {row.injected} | {row.lost} | {row.forks} | {row.alarms} | {row.unnoticed} |")
        further += [f"{row.fault}: {word}" for word in row.words[:_MOST_WORDS]]
    return "\n".join([*lines, *(["", *further] if further else [])])
