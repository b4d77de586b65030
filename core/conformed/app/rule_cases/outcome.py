"""What running cases gives: a verdict a case, an outcome a field, totals a file."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from conformed.model.base import Frozen

__all__ = ["CaseResult", "FieldOutcome", "FieldResult", "FileResult", "Report", "Verdict", "verdict_of"]


class FieldOutcome(StrEnum):
    """How one field came out."""

    RIGHT = "right"
    UNSTATED = "unstated"
    """The product says that the words do not give it; the case expects a value."""
    MISSING = "missing"
    """The product gives nothing."""
    WRONG = "wrong"
    """The product gives something else."""


class Verdict(StrEnum):
    """How one case came out."""

    RIGHT = "right"
    PARTLY = "partly"
    """Nothing is wrong; something is not given."""
    WRONG = "wrong"
    FAILED = "failed"
    """The case could not be run."""


class FieldResult(Frozen):
    """One field of one case."""

    field: str
    """Name, with dots for fields inside fields."""
    outcome: FieldOutcome
    """How it came out."""
    expected: str
    """As the case says."""
    got: str
    """As the product says."""


class CaseResult(Frozen):
    """One case."""

    id: str
    """Its name in the file."""
    title: str
    """What it is about."""
    verdict: Verdict
    """How it came out."""
    fields: tuple[FieldResult, ...] = ()
    """Every field that was compared, in the order of the case."""
    doubts: tuple[str, ...] = ()
    """Review codes that the product gave: it did not determine."""
    note: str = ""
    """What a person should know besides, one sentence."""

    @property
    def determined_wrong(self) -> tuple[FieldResult, ...]:
        """Operations, levels, comparisons, windows and results that the product states otherwise than expected, with no doubt of its own."""
        if self.doubts:
            return ()
        return tuple(
            f
            for f in self.fields
            if f.outcome is FieldOutcome.WRONG
            and not f.field.startswith("spans.")  # where a word stands, not what it says
            and f.field.rpartition(".")[2].partition("[")[0] in _DECIDES
        )


_DECIDES = frozenset({"comparator", "from", "level", "op", "result", "schedule", "test_dates", "to", "windows"})


class FileResult(Frozen):
    """One file."""

    file: str
    """As it was named."""
    kind: str
    """patterns, packs or calculations."""
    cases: tuple[CaseResult, ...]
    """In the order of the file."""

    @property
    def right(self) -> int:
        """Cases that are right in every field."""
        return sum(c.verdict is Verdict.RIGHT for c in self.cases)

    @property
    def counts(self) -> tuple[int, int]:
        """Fields that are right, and fields that were compared."""
        every = [f for c in self.cases for f in c.fields]
        return sum(f.outcome is FieldOutcome.RIGHT for f in every), len(every)


class Report(Frozen):
    """All files."""

    files: tuple[FileResult, ...]
    """In the order in which they were named."""

    @property
    def all_right(self) -> bool:
        """Whether every case of every file is right in every field."""
        return all(f.right == len(f.cases) for f in self.files)


def verdict_of(fields: Iterable[FieldResult]) -> Verdict:
    """Right where every field is; wrong where one is; partly where something is only not given."""
    outcomes = {f.outcome for f in fields}
    if FieldOutcome.WRONG in outcomes:
        return Verdict.WRONG
    return Verdict.RIGHT if outcomes <= {FieldOutcome.RIGHT} else Verdict.PARTLY
