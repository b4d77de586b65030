"""G8: which of the eight divergence classes a replay notices, and what it costs to serve and compare a recorded event.

Each class is planted in a run of its own on a small pack, and is noticed only if the replay names that class. The cost is CPU time
of L3 (read the run's records from the log, check their hashes, fold them, serve them to the state machine, compare) a record,
beside a floor measured in the same process: SHA-256 and json.loads of the same bytes.

    python benchmarks/replay.py [--quick]
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from table_row import Row

from conformed.app import running
from conformed.app.applications.known import profile_of
from conformed.app.binding import Bound
from conformed.app.options import RunOptions, silent
from conformed.app.replay.replay_course import contract_of, read_request
from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace
from conformed.engine.history import fold
from conformed.engine.journal import Journal
from conformed.engine.log import Identity
from conformed.engine.precedence import precedence_step
from conformed.engine.replay import DivergenceClass
from conformed.engine.replay_serve import serve
from conformed.hooks import load_registry
from conformed.policy.bind import bind
from conformed_audit import Actor, Item, Kind, RecordDraft

ROOT = Path(__file__).parents[1]
GOAL_MS = 0.1
ROUNDS = 200


def rows(*, quick: bool = False) -> list[Row]:
    """The rows of this file: one for the classes, one for the cost.

    Args:
        quick: fewer rounds of serving.
    """
    noticed = classes()
    missed = "; not noticed: " + ", ".join(kind.value for kind, seen in noticed.items() if not seen)
    of, all_of = f"{sum(noticed.values())} of {len(DivergenceClass)}", f"{len(DivergenceClass)} of {len(DivergenceClass)}"
    with tempfile.TemporaryDirectory() as folder:
        served, floor, events = cost(Bench(Path(folder)), 20 if quick else ROUNDS)
    said = f"{served:.4f} ms, {served / floor:.1f}x SHA-256 and json.loads of the same bytes ({events} records)"
    return [
        Row(
            "G8",
            "replay: divergence classes noticed, each planted",
            of + ("" if all(noticed.values()) else missed),
            all_of,
            of == all_of,
        ),
        Row("G8", "replay: CPU of serving and comparing a recorded event", said, f"<= {GOAL_MS} ms", served <= GOAL_MS),
    ]


def classes() -> dict[DivergenceClass, bool]:
    """Whether each class, planted in a run of its own, is noticed."""
    noticed = {}
    with patch.dict(os.environ, {"CONFORMED_LOG": "off"}):
        for kind, plant in PLANTS.items():
            with tempfile.TemporaryDirectory() as folder:
                bench = Bench(Path(folder))
                run = plant(bench)
                noticed[kind] = kind in {one.kind for one in bench.desk().replay(run).divergences}
    return noticed


def main() -> None:
    """Prints the rows."""
    for row in rows(quick="--quick" in sys.argv[1:]):
        print(f"{row.row}  {row.metric}\n    {row.measured} (goal {row.goal})")


class Bench:
    """A small pack and a workspace in a folder.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        spec = importlib.util.spec_from_file_location("small_pack", ROOT / "tests" / "conftest.py")
        assert spec is not None
        assert spec.loader is not None
        words = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(words)
        self.bank, self.pack = folder / "bank", folder / "fenwick"
        shutil.copytree(ROOT / "policies", self.bank / "policies")
        self.pack.mkdir()
        texts = {"agreement.txt": words.AGREEMENT, "certificate.txt": words.CERTIFICATE, "pack.yaml": words.MANIFEST}
        for name, text in texts.items():
            (self.pack / name).write_text(text, encoding="utf-8")
        os.environ["CONFORMED_STATE"] = str(folder / "state")

    def desk(self) -> Replays:
        """A process on the workspace."""
        return Replays(Workspace(root=self.bank, policies=self.bank / "policies", origin="flag"), environment={})

    def log(self) -> Any:
        """The log, open for writing."""
        return self.desk()._log(create=False)  # noqa: SLF001 - as the commands open it

    def run(self) -> str:
        """Runs the pack."""
        return self.desk().run(self.pack, RunOptions(), silent).run

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """The log's file, without its guards."""
        with closing(sqlite3.connect(self.bank / ".conformed" / "log.sqlite", isolation_level=None)) as base:
            yield base

    def edit(self, old: str, new: str) -> None:
        """Edits today's contract."""
        path = self.bank / "policies" / "covenant.yaml"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def altered(bench: Bench) -> str:
    """A record with other bytes."""
    run = bench.run()
    with bench.database() as base:
        for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{name}"')
        base.execute("UPDATE audit_event SET body = CAST(replace(body, 'accept', 'review') AS BLOB) WHERE cseq = 6")
    return run


def erased(bench: Bench) -> str:
    """A request that was erased, with its record."""
    run = bench.run()
    with bench.log() as log:
        begun = next(record for record in log.records(run=run) if record.input)
        commit = next(one.commit for one in begun.input if one.name == "request")
        gone = (Item("payload", commit, 0, "application/json"),)
        log.append([RecordDraft(case=begun.case, kind=Kind.PAYLOAD_ERASED, actor=Actor("p-1", "person"), input=gone)])
    with bench.database() as base:
        base.execute(
            'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?', ("x", commit)
        )
    return run


def blind(bench: Bench) -> str:
    """A step that was not handed all its inputs."""

    def made(decide: Any) -> Any:
        step = precedence_step(decide)
        return dataclasses.replace(step, needs=step.needs[::2])

    with patch.object(running, "precedence_step", made):
        return bench.run()


def otherwise(bench: Bench) -> str:
    """A calculation that came out otherwise."""
    calculated = running.calculated

    def made(*given: Any) -> Any:
        found = calculated(*given)
        return found.model_copy(update={"calculation": found.calculation.model_copy(update={"currency": "EUR"})})

    with patch.object(running, "calculated", made):
        return bench.run()


def renamed(bench: Bench) -> str:
    """A step under another name."""
    draft = Journal._draft  # noqa: SLF001 - the plant stands where nothing else can

    def made(self: Journal, kind: Any, **fields: Any) -> RecordDraft:
        step = fields.get("step")
        return draft(self, kind, **{**fields, "step": "compute" if step == "calculate" else step})

    with patch.object(Journal, "_draft", made):
        return bench.run()


def repinned(bench: Bench) -> str:
    """Another engine."""
    with patch.object(running, "version", lambda _name: "0.0.1"):
        return bench.run()


def repoliced(bench: Bench) -> str:
    """Another limit in today's contract."""
    run = bench.run()
    bench.edit("headroom_alert: 1/4", "headroom_alert: 1/2")
    return run


def reapproved(bench: Bench) -> str:
    """Another approval rule in today's contract."""
    run = bench.run()
    bench.edit("different_roles: true", "different_roles: false")
    return run


PLANTS: dict[DivergenceClass, Callable[[Bench], str]] = {
    DivergenceClass.RECORD_ALTERED: altered,
    DivergenceClass.INPUT_ABSENT: erased,
    DivergenceClass.INPUT_DIFFERS: blind,
    DivergenceClass.OUTPUT_DIFFERS: otherwise,
    DivergenceClass.STEPS_DIFFER: renamed,
    DivergenceClass.PIN_DIFFERS: repinned,
    DivergenceClass.POLICY_DIFFERS: repoliced,
    DivergenceClass.APPROVAL_DIFFERS: reapproved,
}


def cost(bench: Bench, rounds: int) -> tuple[float, float, int]:
    """CPU of L3 a record and of the floor, in milliseconds, and the number of records."""
    run, registry = bench.run(), load_registry(env={})
    with bench.log() as log:
        case = next(log.records(run=run)).case
        records = list(log.records(case, run))
        history = fold(records, run)
        profile = profile_of(history)
        request = read_request(log, history, profile.request)
        contract = contract_of(log, history, bench.bank / "policies", request, profile.application)
        workflow = profile.kept(log, history, request, registry).workflow(Bound(bind(contract, registry)))
        pins = history.pins
        identity = Identity(case, run, pins["engine"], pins["contract"], pins["plugins"])
        began = time.process_time()
        for _ in range(rounds):
            some = list(log.records(case, run))
            result, found = serve(workflow, identity, fold(some, run), some)
            assert (result.status, found) == ("same", [])
        served = time.process_time() - began
        bodies = [record.body for record in records]
        began = time.process_time()
        for _ in range(rounds):
            for body in bodies:
                hashlib.sha256(b"\0" + body).digest()
                json.loads(body)
        floor = time.process_time() - began
    events = len(records)
    return served * 1000 / rounds / events, floor * 1000 / rounds / events, events


if __name__ == "__main__":
    main()
