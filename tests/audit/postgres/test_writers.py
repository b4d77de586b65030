"""Many writers at once, a server that is killed, and sequencers that are: no fork, nothing acknowledged is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import AuditLog, BusyError, CommitError, Kind, RecordDraft, StoreError, verify
from conformed_audit.errors import ConflictError
from conformed_audit.log_store import UNPLACED
from conformed_audit.merkle import root

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]

WRITERS = """
import os, sys, time
from datetime import UTC, datetime
from conformed_audit import Actor, AuditLog, AuditError, Kind, RecordDraft
import conformed_audit.postgres.store
url, how, writers, count, notes = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]

def cases(name, number):
    if how == "one":
        return ["shared"]
    if how == "own":
        return [name]
    both = ["first", "second"]
    return both if number % 2 else both[::-1]

def fresh():
    for wait in range(200):
        try:
            return AuditLog.open(url, origin="bank.example/test", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), wait_s=20.0)
        except AuditError:
            time.sleep(0.05)
    raise SystemExit("never came back")

def work(name):
    log, lost = fresh(), 0
    with open(f"{notes}/{name}", "w") as told:
        for number in range(count):
            key = f"{name}-{number}"
            drafts = [RecordDraft(case=case, kind=Kind.STEP_INTENT, actor=Actor(name, "engine"), idem=key, step="s")
                      for case in cases(name, number)]
            while True:
                try:
                    if all(log.find(draft.case, key, Kind.STEP_INTENT) is None for draft in drafts) or not lost:
                        log.append(drafts)
                    break
                except AuditError as problem:
                    lost += 1
                    log.close()
                    log = fresh()
            print(key, file=told, flush=True)
    with open(f"{notes}/{name}.end", "w") as told:
        print(log.conflicts, lost, file=told)
    log.close()

children = []
for writer in range(writers):
    child = os.fork()
    if not child:
        code = 1
        try:
            work(f"w{writer:02}")
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    children.append(child)
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


def begin(url: str, how: str, writers: int, count: int, notes: Path) -> subprocess.Popen[bytes]:
    """Starts processes that append, each telling in a file what was acknowledged to it."""
    notes.mkdir()
    line = [sys.executable, "-W", "error", "-c", WRITERS, url, how, str(writers), str(count), str(notes)]
    return subprocess.Popen(line, stderr=subprocess.PIPE)


def end(process: subprocess.Popen[bytes], notes: Path) -> tuple[Counter[str], int, int]:
    """Waits for them: what was acknowledged, how many conflicts there were, and how many connections were lost."""
    _, trouble = process.communicate(timeout=120)
    assert (process.returncode, trouble) == (0, b"")
    told = Counter(line for file in sorted(notes.glob("w??")) for line in file.read_text().split())
    ends = [tuple(map(int, file.read_text().split())) for file in notes.glob("*.end")]
    return told, sum(one for one, _ in ends), sum(two for _, two in ends)


@pytest.mark.parametrize(("how", "each"), [("own", 12), ("one", 6), ("crossing", 6)])
def test_sixteen_writers_never_fork(how: str, each: int, new_url: str, open_log: OpenLog, tmp_path: Path) -> None:
    """16 processes on 16 cases, on one case, and on two cases in either order: nothing lost, doubled, forked or deadlocked."""
    told, conflicts, lost = end(begin(new_url, how, 16, each, tmp_path / "notes"), tmp_path / "notes")
    assert (sum(told.values()), set(told.values()), lost) == (16 * each, {1}, 0)
    assert conflicts == 0, "heads are locked in one order, so nobody is ever quicker"
    log = open_log(new_url)
    records = list(log.records())
    assert Counter(record.idem for record in records) == Counter(dict.fromkeys(told, 2 if how == "crossing" else 1))
    assert [record.idx for record in records] == list(range(len(records)))
    result = verify(new_url)
    assert (result.ok, result.size) == (True, len(records))
    assert len(log.cases()) == {"own": 16, "one": 1, "crossing": 2}[how]


def test_a_server_killed_in_mid_run_loses_nothing(server: Any, new_url: str, open_log: OpenLog, tmp_path: Path) -> None:
    """Killed and started again while six processes append: each acknowledged record is there, once, and they go on."""
    process = begin(new_url, "own", 6, 80, tmp_path / "notes")
    while sum(len(file.read_text().split()) for file in (tmp_path / "notes").glob("w??")) < 60:
        assert process.poll() is None
        time.sleep(0.02)
    server.kill()
    time.sleep(0.1)
    server.start()
    told, _, lost = end(process, tmp_path / "notes")
    assert lost > 0, "the kill came while they were at it"
    assert (len(told), set(told.values())) == (480, {1})
    records = list(open_log(new_url).records())
    assert Counter(record.idem for record in records) == told
    assert verify(new_url).ok


def test_a_log_that_was_open_says_that_it_was_lost(server: Any, new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """After the server went away an append is an error of ours; opened again, the tail is checked and the log goes on."""
    log = open_log(new_url)
    first = log.append([draft()])
    server.kill()
    server.start()
    with pytest.raises(StoreError):
        log.append([draft()])
    again = open_log(new_url)
    assert [record.leaf for record in again.records()] == [record.leaf for record in first]
    again.append([draft()])
    assert (verify(new_url).ok, verify(new_url).checked) == (True, 2)


def test_a_commit_whose_answer_is_lost_is_not_known(new_url: str, open_log: OpenLog, draft: Draft, server: Any) -> None:
    """The connection goes while it commits: CommitError, the log is closed, and reopening tells which it was."""
    log = open_log(new_url)
    log.append([draft()])
    connection = log._store._live()  # type: ignore[attr-defined]
    pid = connection.info.backend_pid
    writing = log._store.write([("case-a", None, "step.intent")])
    writing.__enter__()
    server.run(f"SELECT pg_terminate_backend({pid})")
    time.sleep(0.05)
    with pytest.raises(CommitError, match="lost in a commit"):
        writing.__exit__(None, None, None)
    with pytest.raises(StoreError, match="closed"):
        log.append([draft()])
    assert len(list(open_log(new_url).records())) == 1


def test_a_sequencer_killed_between_batches(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """It ends in the middle of its work: whole batches are there, and the next one goes on where it stopped."""
    log = open_log(new_url)
    log.append([draft(f"case-{number % 5}") for number in range(700)])
    code = (
        "import os, sys\nfrom conformed_audit.postgres import sequencer\nfrom conformed_audit.postgres.connect import connect\n"
        "connection, batches = connect(sys.argv[1], wait_s=5), iter(range(2))\n"
        "whole = sequencer._complete\n"
        "def complete(*values):\n    whole(*values)\n    next(batches, None) is None and os.kill(os.getpid(), 9)\n"
        "sequencer._complete = complete\nsequencer.place(connection, wait=True, batch=150)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, new_url], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr
    half = verify(new_url)
    assert (half.ok, half.size, half.checked) == (True, 300, 700)
    assert log.place() == 400
    whole = verify(new_url)
    assert (whole.ok, whole.size) == (True, 700)
    order = [(record.case, record.cseq) for record in log.records()]
    assert order == sorted(order), "by case and number, since all were there when the first batch began"


def test_two_sequencers_place_nothing_twice(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """One waits or leaves it to the other; every record has one place, and tiles are those of the leaves."""
    logs = [open_log(new_url) for _ in range(4)]
    logs[0].append([draft(f"case-{number % 7}") for number in range(1100)])
    placed: list[int] = []
    threads = [threading.Thread(target=lambda log=log: placed.append(log.place())) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(placed) == 1100
    leaves = [bytes.fromhex(record.leaf) for record in logs[0].records()]
    assert verify(new_url).root == root(leaves).hex()
    assert logs[0].store.tiles.tile(0, 3) == b"".join(leaves[768:1024])


def test_heads_and_places_are_of_one_moment(new_url: str, open_log: OpenLog, tmp_path: Path) -> None:
    """While 4 processes append, each record of heads agrees with the records placed before it, which verification recomputes."""
    process = begin(new_url, "own", 4, 60, tmp_path / "notes")
    log, made = open_log(new_url, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)), 0
    while process.poll() is None:
        heads, _ = log.append_heads()
        made += 1
        assert heads.idx != UNPLACED
    end(process, tmp_path / "notes")
    result = verify(new_url)
    assert (result.ok, result.heads) == (True, made)
    assert made > 3


def test_who_waits_too_long_is_told(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """Another writer of the case, or another sequencer, held for too long: BusyError, and nothing was written."""
    holder, waiter = open_log(new_url), open_log(new_url, wait_s=0.05)
    holder.append([draft()])
    with holder._store.write([("case-a", None, "step.intent")]), pytest.raises(BusyError, match="Another writer"):
        waiter.append([draft()])
    with holder._store.write(ordered=True):
        with pytest.raises(BusyError):
            waiter.append_heads()
        waiter.append([draft("case-b")])
        assert waiter.place() == 0, "left to the one that is at it"
    assert verify(new_url).checked == 2


def test_a_lost_race_is_tried_again(new_url: str, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the lock ever wrong, the guard refuses the fork, and the loser reads again; it gives up after a few times.

    The first attempt counts on the remembered end, which is a guess and no conflict; the lock comes with the second.
    """
    from conformed_audit.postgres import transaction

    log, other = open_log(new_url), open_log(new_url)
    log.append([draft()])
    monkeypatch.setattr(transaction, "_LOCK", transaction._LOCK.replace("FOR UPDATE", ""))
    twice = iter([True, True])
    clock = log._clock.now

    def now() -> datetime:
        if next(twice, False):
            other.append([draft()])
        return clock()

    log._clock.now = now
    log.append([draft()])
    assert (log.conflicts, [record.cseq for record in log.records("case-a")]) == (1, [0, 1, 2, 3])
    log._clock.now = lambda: (other.append([draft()]), clock())[1]
    with pytest.raises(ConflictError, match="quicker"):
        log.append([draft()])
    assert verify(new_url).ok


def test_a_forked_process_does_not_use_its_parent_s_connection(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """A child that inherits an open log is refused, and closing it there leaves the parent's connection alone."""
    log = open_log(new_url)
    child = os.fork()
    if not child:
        code = 1
        try:
            log.append([draft()])
        except StoreError as problem:
            code = 0 if "another process" in str(problem) else 2
        finally:
            log.close()
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    log.append([draft(kind=Kind.STEP_INTENT)])
    assert verify(new_url).checked == 1
