"""Runs many packs at once, one process a pack, each with its own time limit. A pack that breaks, hangs or dies is one row."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from conformed.app.options import Progress, RunOptions, silent
from conformed.app.portfolios.portfolio_row import PortfolioRow, failed_row, row_of
from conformed.app.workspace import LOG_VARIABLE, Workspace
from conformed.errors import ConformedError, UsageError
from conformed.model.base import Frozen

__all__ = ["PackTask", "packs_in", "run_portfolio", "run_task"]

_NO_PAPERS = {".yaml", ".yml", ".py", ".json"}
_GRACE = 5.0
"""Seconds that a process has to end after it has answered."""


class PackTask(Frozen):
    """What a process needs to run one pack."""

    name: str
    """Name of the row."""
    path: str
    """Where the pack lies."""
    root: str
    """Folder under which log and cache are kept."""
    policies: str
    """Folder of the task contracts."""
    options: RunOptions = RunOptions()
    """What is asked of every pack."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A process at work."""

    place: int
    """Place of its task."""
    process: SpawnProcess
    """The process."""
    deadline: float
    """When its time is over."""


def packs_in(folder: Path) -> tuple[Path, ...]:
    """The packs of a portfolio: every sub-folder and every zip, by name.

    Names that begin with a dot or ``_`` are passed over, and so is a folder that holds data or programs alone (rule cases,
    for instance). A folder with nothing in it counts: its row says that it is empty.

    Raises:
        UsageError: when the folder holds none.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.", "Name a folder that holds a folder or a zip for each pack.")
    found = [
        child
        for child in folder.iterdir()
        if not child.name.startswith((".", "_"))
        and (_may_hold_papers(child) if child.is_dir() else child.suffix.lower() == ".zip")
    ]
    if not found:
        raise UsageError(f"{folder} holds no pack.", "Put a folder or a zip for each pack into it.")
    return tuple(sorted(found, key=lambda child: child.name))


def _may_hold_papers(folder: Path) -> bool:
    names = [name for _, _, files in os.walk(folder) for name in files if not name.startswith(".")]
    return not names or any(name == "pack.yaml" or Path(name).suffix.lower() not in _NO_PAPERS for name in names)


def run_task(task: PackTask) -> PortfolioRow:
    """Runs one pack. Whatever goes wrong is a row; nothing is raised but what must end the process.

    Args:
        task: pack and options.
    """
    from conformed.app.service import Service

    try:
        service = Service(
            Workspace(root=Path(task.root), policies=Path(task.policies), origin="flag", log_url=os.environ.get(LOG_VARIABLE, ""))
        )
        return row_of(task.name, service.run(Path(task.path), task.options, silent))
    except ConformedError as problem:
        return failed_row(task.name, str(problem))
    except MemoryError:
        return failed_row(task.name, "There is not enough memory. Run fewer packs at a time with --jobs.")
    except Exception as problem:  # noqa: BLE001 - one broken pack must not stop the others
        kind = type(problem).__name__
        return failed_row(task.name, f"A fault of the program stopped this pack ({kind}). Run it alone: conformed run PACK.")


def run_portfolio(
    tasks: Sequence[PackTask],
    *,
    jobs: int,
    timeout: float,
    progress: Progress = silent,
    work: Callable[[PackTask], PortfolioRow] = run_task,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[PortfolioRow, ...]:
    """Runs packs in processes of their own, and gives their rows in the order of the tasks, whichever ends first.

    Args:
        tasks: the packs.
        jobs: how many processes at a time, at least 1.
        timeout: seconds that one pack may take.
        progress: told of each pack that ends.
        work: runs one task; a function that a new process can import.
        clock: seconds that only go forward.
    """
    rows: dict[int, PortfolioRow] = {}
    running: dict[Connection, _Running] = {}
    waiting = list(enumerate(tasks))
    try:
        while waiting or running:
            while waiting and len(running) < max(1, jobs):
                place, task = waiting.pop(0)
                connection, process = _start(task, work)
                running[connection] = _Running(place, process, clock() + timeout)
            patience = max(0.0, min(one.deadline for one in running.values()) - clock())
            ready = wait(list(running), timeout=patience)
            answered = {one for one in running if one in ready}
            late = {one for one, at in running.items() if one not in answered and at.deadline <= clock()}
            for connection in sorted(answered | late, key=lambda one: running[one].place):
                at = running.pop(connection)
                name = tasks[at.place].name
                rows[at.place] = (
                    failed_row(name, f"The run did not end within {timeout:g} seconds. Give it more with --timeout.")
                    if connection in late
                    else _answer(connection, at.process, name)
                )
                _end(at.process, connection, at_once=connection in late)
                progress(f"{name}: {rows[at.place].result}", len(rows), len(tasks))
    finally:
        for connection, at in running.items():
            _end(at.process, connection, at_once=True)
    return tuple(rows[place] for place in range(len(tasks)))


def _start(task: PackTask, work: Callable[[PackTask], PortfolioRow]) -> tuple[Connection, SpawnProcess]:
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, task.model_dump_json(), work), name=f"pack {task.name}")
    process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    return ours, process


def _child(answer: Connection, task: str, work: Callable[[PackTask], PortfolioRow]) -> None:
    """Runs in the new process: a group of its own, so that what it starts ends with it, and nothing on our standard output."""
    if hasattr(os, "setsid"):
        os.setsid()
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    answer.send_bytes(work(PackTask.model_validate_json(task)).model_dump_json().encode())
    answer.close()


def _answer(connection: Connection, process: SpawnProcess, name: str) -> PortfolioRow:
    """The row that a process sent, or why there is none."""
    try:
        row = PortfolioRow.model_validate_json(connection.recv_bytes())
    except (EOFError, OSError):
        process.join(_GRACE)
        return failed_row(name, f"The process of this pack ended without an answer (exit code {process.exitcode}).")
    except ValueError:
        return failed_row(name, "The process of this pack gave an answer that cannot be read.")
    return row if row.pack == name else failed_row(name, "The process of this pack answered for another.")


def _end(process: SpawnProcess, connection: Connection, *, at_once: bool) -> None:
    """Ends a process and everything that it started."""
    connection.close()
    if not at_once:
        process.join(_GRACE)
    if not process.is_alive():
        return
    if process.pid is not None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # it had not begun its group yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
