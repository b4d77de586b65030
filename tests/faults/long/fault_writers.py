"""Sixteen processes that append at once, on either database; and a server that is restarted under them."""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from fault_clerk import ENGINE, KEY, ORIGIN, REFUSALS, open_log, publisher
from fault_postgres import Server
from fault_told import Told

from conformed_audit import AuditLog, Kind, RecordDraft, Trust, utc_now, verify

__all__ = ["WRITERS", "writers"]

WRITERS = 16
_TRIES = 400


def writers(folder: Path, each: int, seed: int, server: Server | None = None, restarts: int = 0) -> Told:
    """Each process appends to a case of its own and to one of all; one of them publishes now and then.

    Args:
        folder: an empty folder.
        each: appends of a process.
        seed: of when the server is restarted.
        server: the server; None for a file.
        restarts: how often it is restarted meanwhile.
    """
    where = "" if server is None else server.new_log()
    name = f"{WRITERS} processes at once on {'SQLite' if server is None else 'PostgreSQL'}"
    told = Told(f"{name}, the server restarted in mid-run" if restarts else name)
    told.injected = restarts or WRITERS * each
    children = [_child(folder, where, number, each) for number in range(WRITERS)]
    chance = random.Random(seed)
    for number in range(restarts):
        _wait(folder, children, WRITERS * each * (number + 1) // (restarts + 1))
        time.sleep(chance.random() * 0.2)
        assert server is not None
        server.restart()
    for child in children:
        if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            told.bad("alarms", f"seed {seed}: a writer ended with {code}")
    _judge(folder, where, told, f"seed {seed}")
    return told


def _child(folder: Path, where: str, number: int, each: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        _write(folder, where, number, each)
        code = 0
    except BaseException as problem:  # noqa: BLE001 - told by the exit code and a line
        sys.stderr.write(f"writer {number}: {type(problem).__name__}: {problem}\n")
    finally:
        sys.stderr.flush()
        os._exit(code)


def _write(folder: Path, where: str, number: int, each: int) -> None:
    log = _opened(folder, where)
    with (folder / f"told-{number:02}").open("w") as told:
        for count in range(each):
            key = f"w{number:02}-{count}"
            cases = ("shared", f"case-{number:02}")[:: 1 if count % 2 else -1]
            drafts = [RecordDraft(case=case, kind=Kind.STEP_INTENT, actor=ENGINE, idem=key, step="s") for case in cases]
            for _ in range(_TRIES):
                try:
                    if log.find("shared", key, Kind.STEP_INTENT) is None:  # an answer that was lost is looked for
                        log.append(drafts)
                    break
                except REFUSALS:
                    log.close()
                    log = _opened(folder, where)
            else:
                raise SystemExit("never came through")
            told.write(f"{key}\n")
            told.flush()
            if number == 0 and count % 5 == 4:
                with suppress(*REFUSALS):
                    publisher(log, folder).publish()
    log.close()


def _opened(folder: Path, where: str) -> AuditLog:
    for _ in range(_TRIES):
        try:
            return AuditLog.open(where or folder / "log.db", origin=ORIGIN, clock=utc_now, wait_s=30.0)
        except REFUSALS:
            time.sleep(0.05)
    raise SystemExit("the log never came back")


def _wait(folder: Path, children: list[int], count: int) -> None:
    """Until so many appends were acknowledged."""
    while sum(len(file.read_text().split()) for file in folder.glob("told-*")) < count:
        if all(_ended(child) for child in children):
            return
        time.sleep(0.01)


def _ended(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _judge(folder: Path, where: str, told: Told, about: str) -> None:
    keys = [line for file in sorted(folder.glob("told-*")) for line in file.read_text().split()]
    with open_log(folder, where) as log:
        records = [record for record in log.records() if record.kind == Kind.STEP_INTENT]
        publisher(log, folder).publish()
    there = Counter(record.idem for record in records)
    for key in keys:
        if there[key] != 2:
            told.bad("lost", f"{about}: {key} stands {there[key]} times")
    if extra := set(there) - set(keys):
        told.bad("lost", f"{about}: written and not acknowledged: {sorted(map(str, extra))[:3]}")
    if len({(record.case, record.prev) for record in records}) != len(records):
        told.bad("forks", f"{about}: two records follow one")
    notes = [path.read_text() for path in sorted((folder / "checkpoints").glob("*.note"))]
    found = verify(where or folder / "log.db", trust=Trust.of([KEY.key]), given=notes)
    if not found.ok:
        told.bad("alarms", f"{about}: {found.classification}: {found.first_bad}")
