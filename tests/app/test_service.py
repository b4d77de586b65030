"""The service on a small pack: answers with and without a record, the log behind them, and what it keeps."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.errors import PackError, UsageError
from conformed.model.base import Missing
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision, Result

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)
Make = Callable[..., Service]


@pytest.fixture
def make(bank: Path) -> Make:
    """Makes a service with a clock that goes on a second a look, and ids that count."""

    def made(folder: Path = bank) -> Service:
        seconds, runs = itertools.count(), itertools.count(1)
        return Service(
            Workspace(root=folder, policies=folder / "policies", origin="flag"),
            clock=lambda: NOON + dt.timedelta(seconds=next(seconds)),
            ids=lambda: f"r-{next(runs):04}",
            environment={},
        )

    return made


def test_a_run_ends_in_a_decision_and_a_log_that_holds(make: Make, fenwick: Path) -> None:
    """300 of debt on 100 of EBITDA against 3.75x is a pass at exactly 3, and every record of it verifies."""
    service, told = make(), []
    decision = service.run(fenwick, RunOptions(), lambda step, done=0, total=0: told.append(step))
    assert (decision.run, decision.result, decision.borrower) == ("r-0001", Result.PASS, "Fenwick Timber Company")
    assert isinstance(decision.covenant, Covenant)
    assert not isinstance(decision.calculation, Missing)
    assert (decision.covenant.limit.value, decision.covenant.section) == (Fraction(15, 4), "6.10")
    assert (decision.calculation.ratio, decision.calculation.headroom_debt) == (3, 75_000_000)
    found = service.log_verify("r-0001")
    assert found.ok
    entries = service.log_show("r-0001")
    assert (entries[0].note, entries[-1].step) == ("Run begun.", "awaiting_person")
    assert found.records == len(entries)
    assert [step for step in told if not step.startswith("read ")] == [
        "intake", "retrieve", "extract", "precedence", "calculate", "claim_check", "draft",
    ]  # fmt: skip
    assert {"read agreement.txt", "read certificate.txt"} <= set(told)


def test_every_quotation_of_a_decision_stands_where_it_says(make: Make, fenwick: Path) -> None:
    """Each span of the record, cut out of the canonical text, is the words that it quotes."""
    service = make()
    decision = service.run(fenwick, RunOptions(), silent)
    evidence, spans = service.evidence(fenwick), _spans(decision.model_dump())
    assert len(spans) > 10
    for span in spans:
        text = evidence.text(span["document"])
        assert text is not None
        assert text[span["start"] : span["end"]] == span["text"]


def _spans(value: object) -> list[dict[str, object]]:
    if isinstance(value, dict):
        own = [value] if {"document", "start", "end", "text"} <= set(value) else []
        return own + [span for part in value.values() for span in _spans(part)]
    return [span for part in value for span in _spans(part)] if isinstance(value, list | tuple) else []


def test_the_same_run_gives_the_same_bytes(make: Make, fenwick: Path, tmp_path: Path) -> None:
    """With clock and ids injected, two workspaces write the same decision, to the byte."""
    other = tmp_path / "other"
    (other / "policies").mkdir(parents=True)
    (other / "policies" / "covenant.yaml").write_bytes((tmp_path / "bank" / "policies" / "covenant.yaml").read_bytes())
    one, two = (make(folder).run(fenwick, RunOptions(), silent).model_dump_json() for folder in (tmp_path / "bank", other))
    assert one == two


def test_covenant_answers_for_any_date_without_a_record(make: Make, fenwick: Path, bank: Path) -> None:
    """The level is told with its quotation, no log is made, and the knowledge date is the manifest's."""
    answer = make().covenant(fenwick, RunOptions(test_date=dt.date(2024, 6, 30)))
    assert (answer.result, answer.test_date, answer.known_at) == ("determined", dt.date(2024, 6, 30), dt.date(2024, 11, 30))
    assert answer.covenant is not None
    assert (answer.covenant.level, answer.covenant.comparator) == ("15/4", "le")
    assert any(span.text == "3.75 to 1.00" for span in answer.covenant.spans)
    assert not (bank / ".conformed" / "log.sqlite").exists()


def test_without_a_knowledge_date_it_is_the_day_of_the_clock(make: Make, fenwick: Path) -> None:
    """Nobody's machine time gets in: the injected clock gives the day."""
    manifest = fenwick / "pack.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("known_at: 2024-11-30\n", ""), encoding="utf-8")
    assert make().covenant(fenwick, RunOptions()).known_at == NOON.date()


def test_options_override_the_manifest(make: Make, fenwick: Path) -> None:
    """A section alone replaces the manifest's covenant name; where both are typed the section wins, with a finding."""
    service = make()
    other = service.covenant(fenwick, RunOptions(section="6.12"))
    assert other.covenant is not None
    assert (other.covenant.comparator, other.covenant.level) == ("ge", "3")
    both = service.covenant(fenwick, RunOptions(covenant="Senior Leverage Ratio", section="6.10"))
    assert both.covenant is not None
    assert both.covenant.section == "6.10"
    assert "finding_section_over_name" in both.codes


def test_copy_and_timeline_show_the_same_words(make: Make, fenwick: Path) -> None:
    """The conformed copy holds the level's words and every run names its instrument; the timeline has the level."""
    service = make()
    copies = service.copy(fenwick, RunOptions())
    provision = next(copy for copy in copies if not copy.definition)
    assert "greater than 3.75 to 1.00" in "".join(run.text for run in provision.runs)
    assert {run.document for copy in copies for run in copy.runs} == {"agreement.txt"}
    assert "Leverage Ratio" in {copy.section for copy in copies if copy.definition}
    assert [entry.level for entry in service.timeline(fenwick, RunOptions())] == ["≤ 3.75x"]


def test_a_report_after_a_run_reads_nothing_twice(make: Make, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents that a run read serve its report; a file that changed since is read again."""
    service = make()
    service.run(fenwick, RunOptions(), silent)
    read: list[str] = []
    from conformed_plugins.readers.text import TextReader

    original = TextReader.read

    def counted(self: TextReader, name: str, data: bytes) -> object:
        read.append(name)
        return original(self, name, data)

    monkeypatch.setattr(TextReader, "read", counted)
    assert service.evidence(fenwick).text("agreement.txt")
    assert read == []
    with (fenwick / "certificate.txt").open("a", encoding="utf-8") as file:
        file.write("\nA line more.\n")
    changed = service.evidence(fenwick).text("certificate.txt")
    assert changed is not None
    assert changed.rstrip().endswith("A line more.")
    assert read == ["certificate.txt"]


def test_a_report_asks_a_reader_once_a_document(make: Make, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rectangles of fifty facts cost one question a document, in the order of the facts."""
    service = make()
    decision = service.run(fenwick, RunOptions(), silent)
    from conformed.model.span import Span
    from conformed_plugins.readers.text import TextReader

    asked: list[int] = []
    original = TextReader.boxes

    def counted(self: TextReader, document: object, data: bytes, spans: object) -> object:
        asked.append(len(spans))  # type: ignore[arg-type]
        return original(self, document, data, spans)  # type: ignore[arg-type]

    monkeypatch.setattr(TextReader, "boxes", counted)
    spans = [Span.model_validate(span) for span in _spans(decision.model_dump())]
    assert [s.text for s in service.evidence(fenwick).boxes(spans)] == [s.text for s in spans]
    assert len(asked) == len({span.document for span in spans}) == 2
    assert sum(asked) == len(spans)


def test_what_cannot_be_asked_leaves_no_log(make: Make, fenwick: Path, bank: Path) -> None:
    """Without a test date a run is refused before the log is opened."""
    (fenwick / "pack.yaml").unlink()
    with pytest.raises(UsageError, match="No test date"):
        make().run(fenwick, RunOptions(), silent)
    assert not (bank / ".conformed").exists()


def test_a_pack_of_which_nothing_can_be_read(make: Make, tmp_path: Path) -> None:
    """A question is answered with why, by name; a run ends in review with the same sentence and a log that holds."""
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "scan.bin").write_bytes(bytes(range(256)) * 20)
    service, asked = make(), RunOptions(test_date=dt.date(2024, 9, 30))
    with pytest.raises(PackError, match=r"scan\.bin is in no format"):
        service.covenant(pack, asked)
    decision = service.run(pack, asked, silent)
    assert decision.result is Result.REVIEW
    assert any("scan.bin" in sentence for sentence in decision.refusals)
    assert service.log_verify(None).ok


def test_unknown_runs_and_contracts_are_named(make: Make, fenwick: Path) -> None:
    """No such log, no such run, no such contract: each is said, with what there is."""
    service = make()
    with pytest.raises(UsageError, match="no log"):
        service.log_show("r-0001")
    with pytest.raises(UsageError, match=r"no contract 'lease'.*covenant"):
        service.run(fenwick, RunOptions(policy="lease"), silent)
    service.run(fenwick, RunOptions(), silent)
    with pytest.raises(UsageError, match="no run 'r-9'"):
        service.log_show("r-9")


def test_every_built_in_plugin_is_ready(make: Make) -> None:
    """The parts of the default contract are listed with version and origin; none failed."""
    rows = {(row.kind, row.name): row for row in make().plugins()}
    for kind, name in (("reader", "pdf"), ("retriever", "index"), ("extractor", "clauses"), ("drafter", "templates")):
        assert rows[kind, name].status == "ready"
        assert rows[kind, name].origin.startswith("conformed ")


def test_decisions_are_read_back_as_they_were_written(make: Make, fenwick: Path) -> None:
    """The JSON of a decision gives the same decision."""
    decision = make().run(fenwick, RunOptions(), silent)
    assert Decision.model_validate_json(decision.model_dump_json()) == decision
