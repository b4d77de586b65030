"""What a run leaves in the log."""

from __future__ import annotations

import json
from pathlib import Path

import engine_toy as toy
import pytest
from engine_toy import Bakery

from conformed.engine.canonical import canonical_bytes
from conformed.engine.history import fold
from conformed.engine.journal import Journal
from conformed.engine.log import case_of, find_unfinished
from conformed.engine.machine import Machine
from conformed.engine.next_steps import next_steps
from conformed.engine.workflow import Limits
from conformed.errors import JournalError, ReplayError
from conformed.model.codes import CODES
from conformed.model.decision import Reason, Result
from conformed_audit import Actor, AuditLog, Kind, Record, RecordDraft, verify


class Spoken(toy.Plain):
    """A model with a dict."""

    words: dict[str, int]


def test_every_output_is_a_blob_that_its_record_names(log: AuditLog, bakery: Bakery) -> None:
    """Outputs are read back from the log by the name that their outcome gives, and inputs are the same names."""
    toy.bake(log, bakery.workflow())
    given = {record.step: record.output[0].commit for record in log.records(kind="step.outcome")}
    asked = {record.step: {item.name: item.commit for item in record.input} for record in log.records(kind="step.intent")}
    assert json.loads(log.get_blob(given["weigh"] or "")) == {"grams": 1600}
    assert asked["bake"] == {"dough": given["weigh"]}


def test_keys_are_of_case_run_step_attempt_and_inputs(log: AuditLog, bakery: Bakery) -> None:
    """Each attempt has a key of its own, shared by its intent and its outcome, and no two runs share one."""
    toy.bake(log, bakery.workflow())
    toy.bake(log, bakery.workflow(), run="run-2")
    intents = {(record.run, record.step): record.idem for record in log.records(kind="step.intent")}
    outcomes = {(record.run, record.step): record.idem for record in log.records(kind="step.outcome")}
    assert intents == outcomes
    assert len(set(intents.values())) == 8


def test_an_observer_hears_of_records_once_they_are_written(log: AuditLog, bakery: Bakery) -> None:
    """An observer sees what is on the disk already, all of it, in order."""
    heard: list[Record] = []
    journal = Journal(log, toy.identity(), written=lambda records: heard.extend(records))
    Machine(bakery.workflow(), journal).begin(toy.Wish(loaves=2), toy.REGISTRATIONS)
    assert [record.leaf for record in heard] == [record.leaf for record in log.records()]


def test_spent_time_is_in_the_log_and_not_in_the_record(log: AuditLog, bakery: Bakery) -> None:
    """Time worked adds up over the steps; two runs of other speeds give the same record."""
    slow = iter(range(0, 10_000, 7))
    ended = toy.bake(log, bakery.workflow(limits=Limits(wall_ms=10**9)), monotonic=lambda: float(next(slow)))
    spent = [record.output[-1].inline["spent"]["wall_ms"] for record in log.records(kind="step.outcome")]  # type: ignore[index,call-overload]
    assert spent == [7000, 14000, 21000, 28000]
    quick = toy.bake(log, bakery.workflow(), run="run-2")
    assert canonical_bytes(ended.record).replace(b"run-1", b"run-2") == canonical_bytes(quick.record)


def test_a_log_that_does_not_follow_is_not_resumed(log: AuditLog, bakery: Bakery, tmp_path: Path) -> None:
    """An outcome that nobody began is refused: the log is verified first."""
    toy.bake(log, bakery.workflow())
    records = list(log.records(run="run-1"))
    without = [record for record in records if (record.kind, record.step) != ("step.intent", "bake")]
    with pytest.raises(ReplayError, match="outcome of step bake, attempt 1, that it did not begin"):
        fold(without, "run-1")
    with pytest.raises(ReplayError, match="does not begin it"):
        fold(records[1:], "run-1")
    assert fold(records, "run-1").finished


def test_a_run_of_another_workflow_is_not_resumed(log: AuditLog, bakery: Bakery) -> None:
    """Steps in another order than the log's are named."""

    def stop(step: str, when: str) -> None:
        if (step, when) == ("weigh", "before"):
            raise KeyboardInterrupt

    bakery.hook = stop
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow())
    with pytest.raises(ReplayError, match="has step order where the contract has first"):
        toy.resume(log, bakery.workflow(order={"name": "first"}))


def test_a_changed_blob_is_noticed_on_resuming(log: AuditLog, bakery: Bakery, tmp_path: Path) -> None:
    """An output that is not what its record commits to is never used."""
    import sqlite3
    from contextlib import closing

    ended = toy.bake(log, bakery.workflow())
    with closing(sqlite3.connect(tmp_path / "log.db")) as attacker:
        for (name,) in attacker.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            attacker.execute(f"DROP TRIGGER {name}")
        attacker.execute('UPDATE blob SET ciphertext = ? WHERE "commit" = ?', (b'{"run":"run-1","baked":true}', ended.commit))
        attacker.commit()
    with pytest.raises(JournalError, match=r"could not be read: .* was changed"):
        toy.resume(log, bakery.workflow())
    assert not verify(tmp_path / "log.db").ok


def test_records_of_others_between_are_passed_over(log: AuditLog, bakery: Bakery) -> None:
    """An approval after a run is no part of its steps, and several runs of a log are told apart."""
    toy.bake(log, bakery.workflow())
    log.append([RecordDraft(case="bread-1", kind=Kind.APPROVAL_REQUESTED, actor=Actor("p1", "person"), run="run-1")])
    bakery.hook = lambda step, when: (_ for _ in ()).throw(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow(), run="run-2")
    assert [one.run for one in find_unfinished(log)] == ["run-2"]
    assert find_unfinished(log, run="run-1") == ()
    assert find_unfinished(log, case="other") == ()


def test_bytes_do_not_depend_on_how_a_dict_was_filled() -> None:
    """Two equal models have the same bytes, keys sorted, and the bytes give the model back."""
    one, other = (Spoken(words=dict(pairs)) for pairs in ((("b", 1), ("a", 2)), (("a", 2), ("b", 1))))
    assert canonical_bytes(one) == canonical_bytes(other) == b'{"words":{"a":2,"b":1}}'
    assert Spoken.model_validate_json(canonical_bytes(one)) == one


def test_case_ids_are_plain_and_stable() -> None:
    """The same pack gives the same case for ever; another digest, or another name that looks alike, another one."""
    assert case_of("Méadow Mills (2025)", "c" * 64) == "meadow-mills-2025-a40255d6bcf4d54f"
    assert case_of("../..", "c" * 64).startswith("pack-")
    names = {case_of(name, digest) for name in ("meadow", "Meadow", "_meadow") for digest in ("a", "b")}
    assert len(names) == 6


def test_every_code_that_asks_for_a_person_says_what_to_do() -> None:
    """No review code is left with a sentence that only repeats it."""
    for code in (code for code in CODES if code.startswith("review_")):
        said = next_steps(Result.REVIEW, (Reason(code=code, sentence="S.", subject="{odd} name"),), ())
        assert len(said) == 3, code
        assert not said[0].startswith("Settle by hand"), code
