"""The worker: killed and replaced when it goes past its bounds, and never able to hold its caller."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from conformed_plugins.verifiers.worker import Worker, WorkerError, WorkerLimitError

SOURCE = """
import json, os, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "sleep":
        time.sleep(60)
    if asked["do"] == "spin":
        while True:
            pass
    if asked["do"] == "die":
        os._exit(3)
    if asked["do"] == "noise":
        print("no json", flush=True)
        continue
    if asked["do"] == "list":
        print("[1]", flush=True)
        continue
    if asked["do"] == "flood":
        sys.stdout.write("x" * 5_000_000)
    if asked["do"] == "memory":
        try:
            bytearray(1 << 40)
        except MemoryError:
            print(json.dumps({"stop": "memory_limit"}), flush=True)
            continue
    print(json.dumps({"pid": os.getpid(), "said": asked.get("say")}), flush=True)
"""


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker whose child does what it is told."""
    made = Worker(SOURCE, (), megabytes=512, seconds=5.0)
    yield made
    made.close()


def alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_child_answers_many_requests(worker: Worker) -> None:
    """The child is kept, so that its start is paid once."""
    first, second = (worker.ask({"do": "say", "say": word}) for word in ("a", "b"))
    assert (first["said"], second["said"]) == ("a", "b")
    assert first["pid"] == second["pid"] != os.getpid()


@pytest.mark.parametrize("how", ["sleep", "spin"])
def test_a_child_that_does_not_answer_is_killed_and_replaced(worker: Worker, how: str) -> None:
    """The caller is free again when the time is up, the child is dead, and the next request has another."""
    before = worker.ask({"do": "say"})["pid"]
    start = time.monotonic()
    with pytest.raises(WorkerLimitError) as caught:
        worker.ask({"do": how}, 0.3)
    assert caught.value.code == "time_limit"
    assert time.monotonic() - start < 2.0
    assert not alive(before)
    assert worker.ask({"do": "say", "say": "again"})["said"] == "again"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("die", "worker_died"),
        ("noise", "worker_died"),
        ("list", "worker_died"),
        ("flood", "worker_died"),
        ("memory", "memory_limit"),
    ],
)
def test_whatever_ends_a_child_ends_one_request_only(worker: Worker, how: str, code: str) -> None:
    """A crash, noise in place of an answer, an endless answer and a refused allocation each have a code, and then all is well."""
    before = worker.ask({"do": "say"})["pid"]
    with pytest.raises(WorkerLimitError) as caught:
        worker.ask({"do": how})
    assert caught.value.code == code
    assert worker.ask({"do": "say"})["pid"] != before


def test_a_child_that_died_in_between_is_replaced(worker: Worker) -> None:
    """A worker that somebody else killed costs no answer."""
    os.kill(worker.ask({"do": "say"})["pid"], signal.SIGKILL)
    time.sleep(0.1)
    assert worker.ask({"do": "say", "say": "x"})["said"] == "x"


def test_a_child_that_does_not_read_cannot_hold_its_caller(worker: Worker) -> None:
    """A request larger than the pipe, to a child that stands still, ends when the time is up."""
    os.kill(worker.ask({"do": "say"})["pid"], signal.SIGSTOP)
    start = time.monotonic()
    with pytest.raises(WorkerLimitError) as caught:
        worker.ask({"do": "say", "say": "x" * 1_000_000}, 0.3)
    assert caught.value.code == "time_limit"
    assert time.monotonic() - start < 2.0
    assert worker.ask({"do": "say", "say": "y" * 500_000})["said"] == "y" * 500_000


def test_a_worker_that_cannot_start_says_so() -> None:
    """A child that ends or says something else at its start is an error, not a wait."""
    for source in ("raise SystemExit(1)", "print('hello', flush=True)"):
        with pytest.raises(WorkerError):
            Worker(source, (), megabytes=512, seconds=1.0).ask({"do": "say"})


def test_threads_take_turns(worker: Worker) -> None:
    """Each thread receives the answer to its own question."""
    found: dict[int, object] = {}

    def ask(number: int) -> None:
        found[number] = worker.ask({"do": "say", "say": number})["said"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number for number in range(12)}


def test_a_worker_that_nobody_holds_ends_its_child() -> None:
    """No child outlives the object that started it."""
    worker = Worker(SOURCE, (), megabytes=512, seconds=5.0)
    pid = worker.ask({"do": "say"})["pid"]
    del worker
    gc.collect()
    assert not alive(pid)


def test_a_forked_process_has_a_child_of_its_own(worker: Worker) -> None:
    """After a fork the new process starts its own child and leaves the other one alone, also when it ends."""
    mine = worker.ask({"do": "say"})["pid"]
    forked = os.fork()
    if not forked:
        try:
            theirs = worker.ask({"do": "say"})["pid"]
            worker.close()
            os._exit(0 if theirs != mine else 1)
        except BaseException:  # noqa: BLE001 - a forked test must never return into the test run
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 0
    assert worker.ask({"do": "say"})["pid"] == mine
