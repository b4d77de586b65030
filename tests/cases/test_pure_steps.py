"""The shipped plugins and rules in their steps: none of them looks at clock, environment, chance, network or disk."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conformed.app.binding import bound_contract
from conformed.app.options import RunOptions, silent
from conformed.app.reading import open_pack, question_of
from conformed.app.running import Course
from conformed.engine.context import Inputs, Meter, StepContext
from conformed.engine.purity import looks_at_the_world
from conformed.engine.workflow import Kind
from conformed.hooks import load_registry

BEGAN = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)


def test_no_pure_step_looks_at_the_world(fenwick: Path, bank: Path) -> None:
    """Retriever, extractors, precedence, calculation, claims and drafter, each watched while it does a whole step."""
    registry = load_registry(env={})
    bound = bound_contract(bank / "policies" / "covenant.yaml", registry)
    pack = open_pack(fenwick)
    question = question_of(RunOptions(), pack.manifest, BEGAN.date())
    course = Course(bound, registry, pack, fenwick, silent, lambda _document: None)
    workflow, request, held = course.workflow(question), course.request(question), dict[str, BaseModel]()
    watched: dict[str, tuple[str, ...]] = {}
    for step in workflow.steps:
        inputs = Inputs(held, (*step.needs, *step.uses))

        def work(step: Any = step, inputs: Inputs = inputs) -> BaseModel:
            context = StepContext("case", "r-1", step.name, 1, "", BEGAN, request, (), Meter(workflow.limits.counters))
            given: BaseModel = step.run(inputs, context)
            return given

        held[step.gives.name] = work()  # once before, so that nothing is left to import
        if step.kind is Kind.PURE:
            again, watched[step.name] = looks_at_the_world(work)
            assert again == held[step.gives.name], step.name
    assert list(watched) == ["retrieve", "extract", "precedence", "calculate", "claim_check", "draft"]
    assert {name: seen for name, seen in watched.items() if seen} == {}


SCRIPT = """
import datetime, itertools, json, sys
from pathlib import Path
from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
bank, pack = Path(sys.argv[1]), Path(sys.argv[2])
clock = itertools.count()
noon = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
service = Service(Workspace(root=bank, policies=Path(sys.argv[3]), origin="flag"), ids=lambda: "r-1", environment={},
                  clock=lambda: noon + datetime.timedelta(seconds=next(clock)))
service.run(pack, RunOptions(), silent)
with service._log(create=False) as log:
    given = [(r.step, i.name, i.bytes, log.get_blob(i.commit).hex()) for r in log.records(run="r-1")
             for i in r.output if i.name != "move" and r.kind in ("step.outcome", "state.changed")]
print(json.dumps(given))
"""


def test_neither_hash_seed_nor_company_changes_a_byte(fenwick: Path, bank: Path, tmp_path: Path) -> None:
    """Three processes at once under three hash seeds record the same inputs and outputs, to the byte."""

    def run(seed: str) -> str:
        home = tmp_path / f"bank-{seed}"
        home.mkdir()
        command = [sys.executable, "-c", SCRIPT, str(home), str(fenwick), str(bank / "policies")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(run, ("0", "1", "4242")))
    assert [name for _step, name, _bytes, _data in json.loads(said[0])][-1] == "record"
    assert len(json.loads(said[0])) == 8
    assert len({hashlib.sha256(one.encode()).hexdigest() for one in said}) == 1
