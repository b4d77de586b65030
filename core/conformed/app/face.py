"""The face that the command line and the web page talk to. conformed.app.service.Service has this shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from conformed.app.answer import CovenantAnswer, LogCheck, LogEntry, PluginRow
from conformed.app.keeping.published import PublicationNote
from conformed.app.options import Progress, RunOptions
from conformed.app.people.standing import Standing
from conformed.model.covenant import TimelineEntry
from conformed.model.decision import Conformed, Decision
from conformed.model.span import Span

__all__ = ["Evidence", "Face"]


def _no_image(document: str, page: int, dpi: int) -> bytes | None:  # noqa: ARG001 - the shape of a source of images
    return None


def _as_they_are(spans: Sequence[Span]) -> tuple[Span, ...]:
    return tuple(spans)


def _no_text(document: str) -> str | None:  # noqa: ARG001 - the shape of a source of texts
    return None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report asks of the documents behind a decision. Each answer may be nothing: the report then shows less."""

    image: Callable[[str, int, int], bytes | None] = _no_image
    """``(document, page, dpi)`` to the page as a PNG, or None where there is no page image."""
    boxes: Callable[[Sequence[Span]], tuple[Span, ...]] = _as_they_are
    """The same spans with their rectangles filled in."""
    text: Callable[[str], str | None] = _no_text
    """The canonical text of a document, for a quote in its context."""


class Face(Protocol):
    """Everything that the command line can ask. Every method raises ConformedError and nothing else."""

    published: PublicationNote | None
    """What became of the publication of the last run; None before one."""
    standing: Standing | None
    """Where the last run stands with people; None before one."""
    warning: str
    """What a command that only reads went on without; empty where it lacked nothing."""

    def run(self, path: Path, options: RunOptions, progress: Progress) -> Decision:
        """Runs the contract on a pack, writes the log, and gives the decision record."""
        ...

    def covenant(self, path: Path, options: RunOptions) -> CovenantAnswer:
        """Which covenant governs, without any figure."""
        ...

    def copy(self, path: Path, options: RunOptions) -> tuple[Conformed, ...]:
        """The conformed copy of the covenant and its definitions on the test date."""
        ...

    def timeline(self, path: Path, options: RunOptions) -> tuple[TimelineEntry, ...]:
        """Levels over time, as known on the knowledge date."""
        ...

    def evidence(self, path: Path) -> Evidence:
        """Page images, rectangles and texts of a pack, for a report."""
        ...

    def log_show(self, run: str) -> tuple[LogEntry, ...]:
        """The records of one run, in order."""
        ...

    def log_verify(self, run: str | None) -> LogCheck:
        """Checks one run's records, or the whole log."""
        ...

    def plugins(self) -> tuple[PluginRow, ...]:
        """Every registration, and every plugin that failed to load with its reason."""
        ...
