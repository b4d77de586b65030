"""A service made by hand: the command line is tested without documents, rules or a log."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from conformed.app.answer import CovenantAnswer, LogCheck, LogEntry, PluginRow, answer_of
from conformed.app.face import Evidence, Face
from conformed.app.keeping.published import PublicationNote
from conformed.app.options import Progress, RunOptions
from conformed.app.people.standing import Standing
from conformed.cli import words
from conformed.cli.entry import run_command_line
from conformed.model.covenant import TimelineEntry
from conformed.model.decision import Conformed, Decision, Effective
from conformed.model.pack import Question


def _made() -> ModuleType:
    """The decision made by hand for the tests of the screen and the report."""
    spec = importlib.util.spec_from_file_location("made_decision", Path(__file__).parents[1] / "app" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = _made()


@dataclass
class FakeService:
    """Answers with what it was given, and keeps what it was asked."""

    decision: Decision
    result: str = "determined"
    raises: BaseException | None = None
    log_ok: bool = True
    published: PublicationNote | None = None
    standing: Standing | None = None
    warning: str = ""
    asked: list[tuple[str, Path | str | None, RunOptions | None]] = field(default_factory=list)

    def _note(self, what: str, about: Path | str | None, options: RunOptions | None = None) -> None:
        self.asked.append((what, about, options))
        if self.raises is not None:
            raise self.raises

    def run(self, path: Path, options: RunOptions, progress: Progress) -> Decision:
        """Reports twice and answers."""
        progress("read loan\x1b[31m.pdf", 1, 2)
        progress("draft")
        self._note("run", path, options)
        return self.decision

    def covenant(self, path: Path, options: RunOptions) -> CovenantAnswer:
        """The covenant alone."""
        self._note("covenant", path, options)
        question = Question(test_date=self.decision.test_date, known_at=self.decision.known_at)
        return answer_of("p", question, Effective(result=self.result, covenant=self.decision.covenant))

    def copy(self, path: Path, options: RunOptions) -> tuple[Conformed, ...]:
        """The conformed copy."""
        self._note("copy", path, options)
        return self.decision.conformed

    def timeline(self, path: Path, options: RunOptions) -> tuple[TimelineEntry, ...]:
        """The levels."""
        self._note("timeline", path, options)
        return self.decision.timeline

    def evidence(self, path: Path) -> Evidence:
        """The drawn pages."""
        self._note("evidence", path)
        return Evidence(image=MADE.draw_page, boxes=MADE.with_boxes, text=MADE.page_text)

    def log_show(self, run: str) -> tuple[LogEntry, ...]:
        """One record."""
        self._note("log_show", run)
        return (LogEntry(number=1, at="2026-11-15T10:00:00.000000Z", kind="step.intent", step="intake", digest="f" * 64),)

    def log_verify(self, run: str | None) -> LogCheck:
        """Holds, or does not."""
        self._note("log_verify", run)
        if self.log_ok:
            return LogCheck(ok=True, records=7, sentence="7 records hold.")
        return LogCheck(ok=False, records=7, sentence="record 3 does not hold: its hash differs.", first_bad="3")

    def plugins(self) -> tuple[PluginRow, ...]:
        """One that works and one that does not."""
        self._note("plugins", None)
        return (
            PluginRow(kind="reader", name="pdf", version="1.0.0", summary="Reads PDF.", origin="conformed 0.1.0"),
            PluginRow(kind="", name="broken", version="2.0", origin="other 2.0", status="failed", reason="no module named x."),
        )


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    """The service that every command of the test gets."""
    fake = FakeService(MADE.make_decision())

    def open_fake(workspace: Path | None) -> Face:
        return fake

    monkeypatch.setattr(words, "open_service", open_fake)
    for name in ("NO_COLOR", "FORCE_COLOR", "CONFORMED_DEBUG", "CONFORMED_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    return fake


@dataclass
class Said:
    """What a command line said."""

    code: int
    out: str
    err: str


Typed = Callable[..., Said]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Types a command line and gives its exit code and what it said."""

    def run(*line: str) -> Said:
        code = run_command_line(line)
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return run


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder that exists; the fake service does not look into it."""
    folder = tmp_path / "casefiles" / "northwind"
    folder.mkdir(parents=True)
    return folder
