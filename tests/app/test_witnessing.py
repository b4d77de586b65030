"""Numbers that decide are held against their pages in a question, in a run and in a scenario; a witness that fails is none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.reading import case_of_files, open_pack, question_of
from conformed.app.scenario import Scenarios
from conformed.app.service import Service
from conformed.app.witnessing import Witnesses
from conformed.app.workspace import Workspace
from conformed.model.document import Document
from conformed.model.span import Span
from conformed_plugins.readers.text import TextReader

CODE = "review_number_not_witnessed"


class Eye(TextReader):
    """A reader of text that can look at pages; ``says`` is what it finds, by the words of a span."""

    says: dict[str, str] = {}
    asked: list[str] = []

    def witness(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[str, ...]:
        """What was set up to be said."""
        self.asked.extend(span.text for span in spans)
        return tuple(self.says.get(span.text, "") for span in spans)


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> type[Eye]:
    """The product's reader of text is one that looks."""
    Eye.says, Eye.asked = {}, []
    monkeypatch.setattr("conformed_plugins.readers.text.TextReader", Eye)
    return Eye


def service_of(bank: Path, kind: type[Service] = Service) -> Service:
    """A service of a workspace."""
    return kind(
        Workspace(root=bank, policies=bank / "policies", origin="flag"),
        clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC),
        environment={},
    )


def test_a_question_is_answered_only_where_the_page_agrees(fenwick: Path, bank: Path, looking: type[Eye]) -> None:
    """The level is looked at; what is said against it makes the answer a review with the level as candidate."""
    service = service_of(bank)
    assert service.covenant(fenwick, RunOptions()).result == "determined"
    assert looking.asked == ["3.75 to 1.00"]
    looking.says = {"3.75 to 1.00": "the page as it is drawn reads 8.75"}
    again = service_of(bank).covenant(fenwick, RunOptions())
    assert again.result == "review"
    assert CODE in again.codes
    assert [candidate.level for candidate in again.candidates] == ["15/4"]


def test_what_was_seen_is_not_looked_at_again(fenwick: Path, bank: Path, looking: type[Eye]) -> None:
    """A second question of the same service about the same number costs no second look."""
    service = service_of(bank)
    service.covenant(fenwick, RunOptions())
    service.covenant(fenwick, RunOptions(test_date=dt.date(2024, 6, 30)))
    assert looking.asked == ["3.75 to 1.00"]


@pytest.mark.parametrize("number", ["300,000", "40,000", "3.75 to 1.00"])
def test_a_run_stops_for_a_number_that_its_page_does_not_show(number: str, fenwick: Path, bank: Path, looking: type[Eye]) -> None:
    """Figures of a certificate that the calculation uses, and the level, are looked at; any one that differs is review."""
    looking.says = {number: "the page as it is drawn reads 380,000"}
    decision = service_of(bank).run(fenwick, RunOptions(), silent)
    assert decision.result.value == "review"
    (reason,) = [r for r in decision.reasons if r.code == CODE]
    assert reason.spans[0].text == number
    looking.says = {}
    assert service_of(bank).run(fenwick, RunOptions(), silent).result.value == "pass"


def test_a_figure_that_decides_nothing_is_not_looked_at(fenwick: Path, bank: Path, looking: type[Eye]) -> None:
    """The ratio that the certificate states is compared and never followed: what is said of it stops nothing."""
    looking.says = {"3.00 to 1.00": "the page as it is drawn reads 2.00"}
    assert service_of(bank).run(fenwick, RunOptions(), silent).result.value == "pass"
    assert "3.00 to 1.00" not in looking.asked


def test_a_scenario_is_looked_at_too(fenwick: Path, bank: Path, looking: type[Eye]) -> None:
    """A supposed case rests on the same numbers, and stops in the same way."""
    looking.says = {"3.75 to 1.00": "the page as it is drawn reads 8.75"}
    scenarios = service_of(bank, Scenarios)
    assert isinstance(scenarios, Scenarios)
    assert CODE in scenarios.work(fenwick, RunOptions(), {}).answer.codes


class Broken(Eye):
    """A stranger's reader whose witness raises, or answers with something else."""

    answer: object = None

    def witness(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[str, ...]:
        """Not what was asked for."""
        if self.answer is None:
            raise RuntimeError("no eyes")
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize("answer", [None, (), ("", ""), [""], (None,), "x"])
def test_a_witness_that_fails_is_none(answer: object, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that raises, or answers in another shape, is never taken for agreement."""
    monkeypatch.setattr(Broken, "answer", answer)
    pack, reader = open_pack(fenwick), Broken()
    case = case_of_files(pack, question_of(RunOptions(), pack.manifest, dt.date(2024, 11, 30)), [reader], silent)
    document = case.document("agreement.txt")
    start = document.text.index("3.75 to 1.00")
    said = Witnesses(pack, [reader])._look(case, [document.span(start, start + 12)])
    assert said == ("the page could not be looked at",)
    assert Witnesses(pack, [TextReader()])._look(case, [document.span(start, start + 12)]) == ("",)
