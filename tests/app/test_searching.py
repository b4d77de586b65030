"""Looking for runs: every filter, an index that is never believed, and proofs against the newest checkpoint."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conformed.app.keeping.run_index import FILTERS, Index
from conformed.app.keeping.run_row import key_of
from conformed.app.keeping.searching import Search
from conformed.app.keeping.state import find_state
from conformed.app.options import RunOptions, silent
from conformed.app.workspace import Workspace
from conformed.errors import UsageError
from conformed_audit import Actor, Item, Kind, RecordDraft
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.note import SigningKey
from conformed_audit.proof import Proof
from conformed_audit.publish import Publisher

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def desk(bank: Path, fenwick: Path) -> Search:
    """A workspace with three runs: a pass, a breach a day later, and one that nothing tests."""
    hours = itertools.count()
    runs = itertools.count(1)
    made = Search(
        Workspace(root=bank, policies=bank / "policies", origin="flag"),
        clock=lambda: NOON + dt.timedelta(minutes=next(hours)),
        ids=lambda: f"r-{next(runs):04}",
        environment={},
    )
    made.run(fenwick, RunOptions(), silent)
    certificate = fenwick / "certificate.txt"
    certificate.write_text(certificate.read_text(encoding="utf-8").replace("300,000", "400,000"), encoding="utf-8")
    made.run(fenwick, RunOptions(), silent)
    made.run(fenwick, RunOptions(section="6.12"), silent)
    return made


def index_path(desk: Search) -> Path:
    """Where the index is: with the state that is kept outside the workspace."""
    with desk._log(create=False) as log:
        return find_state(os.environ, log.origin).folder / "runs.sqlite"


def found(desk: Search, **wanted: str) -> list[str]:
    """Ids of the runs that fit, the newest first."""
    return [run.run for run in desk.find(wanted).runs]


def test_runs_are_listed_with_their_state(desk: Search) -> None:
    """The newest first, with what was asked and what came of it."""
    listed = desk.find({})
    assert [run.run for run in listed.runs] == ["r-0003", "r-0002", "r-0001"]
    first = listed.runs[-1]
    assert (first.state, first.result, first.borrower, first.test_date, first.known_at) == (
        "awaiting_person", "pass", "Fenwick Timber Company", "2024-09-30", "2024-11-30",
    )  # fmt: skip
    assert first.contract.startswith("covenant ")
    assert "accept_base_statement" in first.codes
    assert first.began < first.ended


def test_every_filter_finds_what_fits_and_nothing_else(desk: Search, bank: Path) -> None:
    """One by one; a value that fits nothing finds nothing."""
    first, *_ = desk.find({"run": "r-0001"}).runs
    every, breach = ["r-0003", "r-0002", "r-0001"], ["r-0002"]
    fits: dict[str, tuple[str, list[str]]] = {
        "run": ("r-0002", breach), "borrower": ("  fenwick   TIMBER ", every), "pack": ("FENWICK", every),
        "test_date": ("2024-09-30", every), "known_at": ("2024-11-30", every), "since": ("2026-03-02", every),
        "until": ("2026-03-02", every), "code": ("accept_base_statement", every), "actor": (first.actors[0], every),
        "policy": (first.policy[:8], every), "result": ("breach", breach), "state": ("awaiting_person", every),
        "model": ("sha256:0", []),
    }  # fmt: skip
    assert set(fits) == set(FILTERS)
    for name, (value, runs) in fits.items():
        assert found(desk, **{name: value}) == runs, name
        nothing = "2099-01-01" if name == "since" else "1999-01-01" if name == "until" else "' OR 1=1 --"
        assert found(desk, **{name: nothing}) == [], name
    assert found(desk, result="breach", test_date="2024-09-30") == breach
    assert found(desk, result="breach", state="unfinished") == []


def test_what_is_found_is_bounded_and_counted(desk: Search) -> None:
    """As many as are asked for, and how many there are."""
    some = desk.find({}, 2)
    assert ([run.run for run in some.runs], some.count) == (["r-0003", "r-0002"], 3)
    for most in (0, 1001):
        with pytest.raises(UsageError, match="Ask for 1 to 1000"):
            desk.find({}, most)


@pytest.mark.parametrize("wanted", [{"borrower; DROP TABLE run": "x"}, {"borrower": "  "}])
def test_other_filters_and_empty_values_are_refused(desk: Search, wanted: dict[str, str]) -> None:
    """The keys are a fixed list."""
    with pytest.raises(UsageError, match="cannot be looked for"):
        desk.find(wanted)


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE run SET result = 'pass', codes = 'accept_base_statement' WHERE run = 'r-0002'",
        "UPDATE run SET borrower = 'Somebody Else' WHERE run = 'r-0001'",
        (
            "INSERT INTO run SELECT 'r-0009', case_id, 0, 0, began, ended, state, record, leaf, pack, borrower, test_date, known_at,"
            " contract, policy, result, earlier, codes, actors, models, borrower_key, pack_key FROM run WHERE run = 'r-0001'"
        ),
        "DROP TABLE run",
        "UPDATE meta SET value = 'f' WHERE name = 'leaf'",
        "UPDATE meta SET value = '9999' WHERE name = 'size'",
    ],
)
def test_a_forged_index_is_not_believed(desk: Search, bank: Path, forged: str) -> None:
    """What is shown is what the records say, whatever the index says; it is then made anew."""
    true = desk.find({})
    index = index_path(desk)
    assert index.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(index, isolation_level=None)) as base:
        base.execute(forged)
    assert desk.find({}) == true
    index.write_bytes(b"no database at all")
    assert desk.find({}) == true
    index.unlink()
    assert desk.find({}) == true


def test_the_index_takes_in_what_is_new(desk: Search, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A further run, and what people did with one that was there, without reading the whole log again."""
    assert len(desk.find({}).runs) == 3
    desk.run(fenwick, RunOptions(), silent)
    case = desk.find({"run": "r-0001"}).runs[0].case
    with desk._log(create=False) as log:
        log.append([RecordDraft(case=case, kind=Kind.DECISION_RELEASED, actor=Actor("p-2", "person"), run="r-0001")])
    firsts: list[int] = []
    records_from = type(log).records_from

    def watched(self: object, first: int) -> Iterator[object]:
        firsts.append(first)
        return records_from(self, first)  # type: ignore[arg-type]

    monkeypatch.setattr(type(log), "records_from", watched)
    assert found(desk, state="released") == ["r-0001"]
    assert firsts
    assert min(firsts) > 60
    assert found(desk, actor="p-2") == ["r-0001"]
    assert len(desk.find({}).runs) == 4


def test_what_was_erased_is_erased_from_the_index(desk: Search, bank: Path) -> None:
    """With the payloads of a run gone, neither the borrower nor the result is found any more."""
    row = desk.find({"run": "r-0002"}).runs[0]
    with desk._log(create=False) as log:
        records = list(log.records(run="r-0002"))
        commits = [i.commit for r in records for i in (*r.input, *r.output) if i.name in {"request", "record"}]
        gone = tuple(Item("payload", one, 0, "application/json") for one in commits)
        log.append([RecordDraft(case=row.case, kind=Kind.PAYLOAD_ERASED, actor=Actor("p-1", "person"), input=gone)])
    with closing(sqlite3.connect(bank / ".conformed" / "log.sqlite", isolation_level=None)) as base:
        for one in commits:
            base.execute(
                "UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = 'x' WHERE \"commit\" = ?", (one,)
            )
    assert found(desk, borrower="fenwick") == ["r-0003", "r-0001"]
    assert desk.find({"run": "r-0002"}).runs[0].borrower == "erased"
    assert index_path(desk).read_bytes().count(b"breach") == 0


def test_names_are_compared_without_case_and_spaces() -> None:
    """As people type them."""
    assert key_of("  Ｆenwick\tTIMBER  Company ") == "fenwick timber company"
    assert Index.__doc__


def test_a_run_and_a_record_are_proved_against_the_newest_checkpoint(desk: Search, tmp_path: Path) -> None:
    """The final record by the run's id, any other by the beginning of its hash; and one checkpoint continues another."""
    sizes = []
    with desk._log(create=False) as log:
        publisher = Publisher(log, [SigningKey.make(log.origin, bytes(32))], SignerMemory(tmp_path / "memory"), [])
        sizes = [publisher.publish().checkpoint.size for _ in range(2)]
        other = next(log.records(run="r-0002"))
    proof = Proof.parse(desk.prove("r-0001"))
    assert (proof.holds, proof.checkpoint.size) == (True, sizes[1])
    record = json.loads(proof.body)
    assert (record["run"], record["step"], record["note"]) == ("r-0001", "awaiting_person", "Run ended.")
    assert Proof.parse(desk.prove(other.leaf[:10])).body == other.body
    assert desk.continues(sizes[0], None).startswith(f"old {sizes[0]}\n")


def test_there_must_be_a_checkpoint_and_a_record_to_prove(desk: Search) -> None:
    """Without one that covers the record there is no proof; neither is there one of what is not in the log."""
    with pytest.raises(UsageError, match="no run and no record 'r-0009'"):
        desk.prove("r-0009")
    with pytest.raises(UsageError, match="no checkpoints of 5"):
        desk.continues(5, None)
