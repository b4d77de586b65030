"""The code verifier: a candidate program, its tests, a sandbox each, a verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.code.canary import why_unavailable
from conformed_plugins.verifiers.code.given import CallTest, CodeTests, StdinTest, read_tests
from conformed_plugins.verifiers.code.judge import PASSED, SANDBOX_FAILED, Judged, judge
from conformed_plugins.verifiers.code.limits import CodeOptions

__all__ = ["CodeVerifier", "Judgement", "PublicFailure"]

VERSION = "1.0.0"
_MOST_FED_BACK = 3
_NOT_FINISHED = "tests_not_finished"
_STOPS = (SANDBOX_FAILED, "syntax_error", _NOT_FINISHED)
"""After these no further test is run."""


@dataclass(frozen=True, slots=True)
class PublicFailure:
    """A public test that failed, for whoever writes the next program. Of hidden tests there is never one."""

    number: int
    """Place in the list of public tests, from 1."""
    code: str
    """How it failed."""
    given: str
    """Input, or the call."""
    expected: str
    """Right output or result."""
    shown: str
    """What came out, shortened. Untrusted text."""
    said: str
    """The error, shortened. Untrusted text."""

    def words(self) -> str:
        """The failure in one text."""
        error = f" It said: {self.said}" if self.said else ""
        return f"Public test {self.number} failed ({self.code}). Given {self.given}, expected {self.expected}, got {self.shown}.{error}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and what may be told about it."""

    verdict: AnswerVerdict
    """As ``check`` gives it."""
    sentence: str
    """The verdict in plain words."""
    feedback: tuple[PublicFailure, ...] = ()
    """Failed public tests, the first three."""


class CodeVerifier:
    """Judges programs by running them in a sandbox. Without one it runs nothing and says so.

    Args:
        options: limits.
    """

    def __init__(self, options: CodeOptions | None = None) -> None:
        self._options = options or CodeOptions()
        self._holds = False  # only that the sandbox holds is remembered: a failure is looked into again

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct: every test passed; incorrect: one failed; error: no sandbox or no tests; review: out of time in all."""
        found = self.judge(request)
        told = tuple(one.words() for one in found.feedback)
        return found.verdict.model_copy(update={"sentence": found.sentence, "feedback": told})

    def judge(self, request: AnswerCheck) -> Judgement:
        """The verdict with the public feedback. Hidden tests are run only after every public one has passed."""
        tests = read_tests(request.facts, self._options.tests)
        if isinstance(tests, str):
            return _judgement(Outcome.ERROR, tests, "The item's tests cannot be used, so the program was not run.")
        try:
            program = request.candidate.encode("utf-8")
        except UnicodeEncodeError:
            return _judgement(Outcome.INCORRECT, "syntax_error", "The program holds characters that no file can hold.")
        if len(program) > self._options.program_kib * 1024:
            return _judgement(Outcome.REVIEW, "program_too_long", "The program is longer than the limit, so it was not run.")
        lacking = "" if self._holds else why_unavailable(self._options)
        self._holds = not lacking
        if lacking:
            said = f"This machine cannot hold a program in a sandbox ({lacking}), so nothing was run. Install bubblewrap (bwrap)."
            return _judgement(Outcome.ERROR, f"sandbox_unavailable:{lacking}", said)
        try:
            return self._run(program, tests, time.monotonic() + self._options.total_s)
        except OSError:
            return _judgement(Outcome.ERROR, SANDBOX_FAILED, "The sandbox could not be started.")

    def _run(self, program: bytes, tests: CodeTests, until: float) -> Judgement:
        failures: list[PublicFailure] = []
        for number, test in enumerate(tests.public, 1):
            judged = self._one(program, test, until)
            if judged.code in _STOPS and not failures:
                return _stopped(judged)
            if judged.code in _STOPS:
                break
            if judged.code != PASSED:
                failures.append(_failure(number, test, judged))
            if len(failures) == _MOST_FED_BACK:
                break
        if failures:
            code = f"test_failed:public:{failures[0].code}"
            return _judgement(Outcome.INCORRECT, code, f"Public test {failures[0].number} failed.", tuple(failures))
        for test in tests.hidden:
            judged = self._one(program, test, until)
            if judged.code in _STOPS:
                return _stopped(judged)
            if judged.code != PASSED:
                return _judgement(Outcome.INCORRECT, f"test_failed:hidden:{judged.code}", "A hidden test failed.")
        return _judgement(Outcome.CORRECT, "all_tests_passed", "Every test passed.")

    def _one(self, program: bytes, test: StdinTest | CallTest, until: float) -> Judged:
        left = until - time.monotonic()
        if left <= 0:
            return Judged(_NOT_FINISHED)
        judged = judge(program, test, self._options, min(left, self._options.wall_s))
        cut_short = judged.code in ("timeout", SANDBOX_FAILED) and time.monotonic() >= until
        return Judged(_NOT_FINISHED) if cut_short else judged


def _stopped(judged: Judged) -> Judgement:
    if judged.code == "syntax_error":
        return _judgement(Outcome.INCORRECT, "syntax_error", f"The program does not compile: {judged.said}")
    if judged.code == _NOT_FINISHED:
        return _judgement(Outcome.REVIEW, judged.code, "The tests took longer in all than a check may.")
    return _judgement(Outcome.ERROR, SANDBOX_FAILED, f"The sandbox failed before the program's turn came: {judged.said}")


def _failure(number: int, test: StdinTest | CallTest, judged: Judged) -> PublicFailure:
    given = test.input if isinstance(test, StdinTest) else f"{test.function}(*{test.call()})"
    return PublicFailure(number, judged.code, given, test.expected().decode("utf-8"), judged.shown, judged.said)


def _judgement(outcome: Outcome, code: str, sentence: str, feedback: tuple[PublicFailure, ...] = ()) -> Judgement:
    return Judgement(AnswerVerdict(outcome=outcome, code=code, verifier="code", version=VERSION), sentence, feedback)
