"""A run of twelve governed steps with our engine and log. Use: ours_step.py FOLDER RUNS. Prints microseconds of CPU a step.

The real path, nothing left out: state machine, time limit, budget, reading back of the output, journal, log with its chain and
tree, and the operational log. Runs in the product's environment.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from work import STEPS, Figure, calculate, first, governed, report

from conformed.app.keeping.operational import watching
from conformed.engine.context import Conclusion, Inputs, StepContext
from conformed.engine.journal import Journal
from conformed.engine.log import Identity
from conformed.engine.machine import Machine
from conformed.engine.workflow import Slot, StepSpec, Workflow
from conformed_audit import AuditLog
from conformed_audit.clock import utc_now

DIGEST = "sha256:" + "ab" * 32
SLOTS = tuple(Slot(f"figure_{number}", Figure) for number in range(STEPS))
WORK = governed(calculate)


def spec(number: int) -> StepSpec:
    """A step that takes what the one before it gave."""
    needs = SLOTS[number - 1 : number] if number else ()

    def work(inputs: Inputs, context: StepContext) -> Figure:
        made: Figure = WORK(inputs[needs[0]] if needs else context.request)
        return made

    return StepSpec(f"step_{number}", SLOTS[number], work, needs=needs, plugins=("bench 1.0.0",))


def conclude(known: Conclusion) -> Figure:
    """The last figure is the record."""
    found = known.get(SLOTS[-1])
    assert found is not None
    assert found.number == STEPS
    return found


def main(folder: Path, runs: int) -> None:
    """Measures, every step written before the next one begins."""
    os.environ["CONFORMED_LOG"] = "info"
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the operational log's lines go there until the end
    workflow = Workflow("bench", "1.0.0", DIGEST, tuple(spec(number) for number in range(STEPS)), conclude, Figure)
    with AuditLog.open(folder / "log.sqlite", origin="bench.example", clock=utc_now, monotonic_ns=time.monotonic_ns) as log:

        def run(number: int) -> None:
            name, case = f"run-{number}", f"case-{number}"
            identity = Identity(case=case, run=name, engine="bench", contract=DIGEST, plugins=DIGEST)
            Machine(workflow, Journal(log, identity), progress=watching(lambda *_: None, name, case)).begin(first(), {})

        report(run, runs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
