"""The symbolic verifier: reads both answers, compares them, and ends every doubt with a person."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.options import SymbolicOptions
from conformed_plugins.verifiers.symbolic.answers import read
from conformed_plugins.verifiers.symbolic.shapes import Shapes, unfolded
from conformed_plugins.verifiers.symbolic.tree import Node, RefusedError
from conformed_plugins.verifiers.symbolic.values import DIFFERENT, EQUAL, Values
from conformed_plugins.verifiers.worker import Worker, WorkerError, WorkerLimitError

__all__ = ["ASSUMPTIONS", "SymbolicVerifier", "verify_symbolic"]

VERSION = "1.0.0"
ASSUMPTIONS = ("real", "positive", "negative", "nonnegative", "nonzero", "integer", "rational", "complex")
"""What an item may state of a letter; ``real`` where it states nothing."""

_SOURCE = (
    "import sys; sys.path.append(sys.argv[3]); from child.main import main; sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))"
)


class _Time:
    """What one check may still take; the start of a worker is not the check's.

    Args:
        worker: whom to ask.
        seconds: wall time of the check.
    """

    def __init__(self, worker: Worker, seconds: float) -> None:
        self._worker, self._end = worker, time.monotonic() + seconds

    def look(self) -> None:
        """Ends a check that has taken too long without asking the worker."""
        if time.monotonic() > self._end:
            raise WorkerLimitError("time_limit")

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request within what is left."""
        begun = time.monotonic()
        self._worker.ready()
        self._end += time.monotonic() - begun
        return self._worker.ask(request, self._end - time.monotonic())


class SymbolicVerifier:
    """Equality of answers under stated assumptions. The worker is started when it is first needed, and replaced when it is killed.

    Threads take turns, so that the time of a check does not depend on how many others there are.
    """

    def __init__(self, options: SymbolicOptions | None = None) -> None:
        self._options = options or SymbolicOptions()
        self._renew()

    def _renew(self) -> None:
        """A worker and a turn for this process; after a fork those of the other process are no longer ours."""
        self._owner, self._turn = os.getpid(), threading.Lock()
        options, here = self._options, str(Path(__file__).parent)
        self._worker = Worker(_SOURCE, (here,), megabytes=options.megabytes, seconds=options.milliseconds / 1000)

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """Correct where equality is proved, incorrect where a difference is, else review with the reason.

        ``request.facts["assumptions"]`` may state of letters what they stand for: ``{"x": "positive"}``. A letter that is
        named there is a letter, even ``e`` or ``i``. Facts that are malformed are an error.
        """
        outcome, code = self._checked(request.candidate, request.reference, request.facts.get("assumptions", {}))
        return AnswerVerdict(outcome=outcome, code=code, verifier="symbolic", version=VERSION)

    def close(self) -> None:
        """Ends the worker."""
        self._worker.close()

    def _checked(self, candidate: str, reference: str, assumed: object) -> tuple[Outcome, str]:
        if not isinstance(assumed, Mapping) or not all(
            isinstance(name, str) and value in ASSUMPTIONS for name, value in assumed.items()
        ):
            return Outcome.ERROR, "assumptions_malformed"
        letters, nodes = frozenset(assumed), []
        for side, text in (("candidate", candidate), ("reference", reference)):
            try:
                nodes.append(unfolded(read(text, letters)))
            except RefusedError as problem:
                return Outcome.REVIEW, f"refused:{side}:{problem.code}"
        if self._owner != os.getpid():
            self._renew()
        with self._turn:
            return self._compared(nodes[0], nodes[1], assumed)

    def _compared(self, one: Node, other: Node, assumed: Mapping[str, str]) -> tuple[Outcome, str]:
        left = _Time(self._worker, self._options.milliseconds / 1000)
        try:
            found = Shapes(Values(left.ask, left.look, assumed)).compare(one, other)
        except RefusedError as problem:
            return Outcome.REVIEW, f"refused:{problem.code}"
        except WorkerLimitError as problem:
            return Outcome.REVIEW, problem.code
        except WorkerError:
            return Outcome.ERROR, "worker_unavailable"
        outcome = {EQUAL: Outcome.CORRECT, DIFFERENT: Outcome.INCORRECT}.get(found.status, Outcome.REVIEW)
        return outcome, found.code


_shared: list[SymbolicVerifier] = []


def verify_symbolic(candidate: str, reference: str) -> tuple[Outcome, str]:
    """Compares two answers, letters standing for real numbers, with one worker for the whole process.

    Args:
        candidate: the answer, in LaTeX or plain text.
        reference: the right answer.

    Returns:
        ``correct``, ``incorrect``, ``review`` or ``error``, and a code.

    Raises:
        TypeError: when either is no text.
    """
    for text in (candidate, reference):
        if not isinstance(text, str):
            raise TypeError(f"An answer of type {type(text).__name__} is no text. Give a str.")
    if not _shared:
        _shared.append(SymbolicVerifier())
    verdict = _shared[0].check(AnswerCheck(candidate=candidate, reference=reference, facts={}))
    return verdict.outcome, verdict.code
