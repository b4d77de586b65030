"""One attempt of one step, from its call to its move. Whatever goes wrong becomes a reason code."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from conformed.engine.canonical import canonical_bytes
from conformed.engine.context import Inputs, StepContext
from conformed.engine.deadline import DeadlineError, within
from conformed.engine.workflow import ACCEPT, ERROR, Failure, RefusedError, StepSpec
from conformed.errors import StepError
from conformed.model.codes import CODES, sentence_of

__all__ = ["Attempt", "Result"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an attempt: an output or a failure."""

    label: str
    """Outcome."""
    took_ms: int
    """Time worked, in milliseconds, rounded up."""
    output: BaseModel | None = None
    """The output, read back from its own bytes, so that a resumed run works with the very same."""
    data: bytes = b""
    """Canonical bytes of the output."""
    failure: Failure | None = None
    """Why there is no output."""
    stop: Exception | None = None
    """Bad input of which the step says that it stops the run."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt.

    The run's own time may be shorter than the step's: which of the two ran out decides the code.
    """

    step: StepSpec
    """The step."""
    inputs: Inputs
    """What it is given."""
    context: StepContext
    """What it may know."""
    left_ms: int
    """What is left of the run's time, in milliseconds."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that only go up."""

    def make(self, run: Callable[[Inputs, StepContext], BaseModel]) -> Result:
        """Calls the step. Raises nothing but a person's interrupt."""
        began = self.monotonic()
        limit_ms = min(self.step.limit_ms, self.left_ms)
        stop: Exception | None = None
        try:
            output, data, label = within(limit_ms / 1000, lambda: self._produce(run))
            # A step that swallowed the refusal of a budget has still passed it.
            if over := self.context.meter.over():
                raise RefusedError(self.context.meter.sentence(over), code="review_budget_exceeded")  # noqa: TRY301
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # noqa: BLE001 - every way to fail, sys.exit included, becomes a reason code
            if isinstance(problem, self.step.stops) and isinstance(problem, Exception):
                stop = problem
            return Result(ERROR, self._took(began), failure=self._failure(problem), stop=stop)
        return Result(label, self._took(began), output=output, data=data)

    def _took(self, began: float) -> int:
        return max(0, int((self.monotonic() - began) * 1000 + 0.999))

    def _produce(self, run: Callable[[Inputs, StepContext], BaseModel]) -> tuple[BaseModel, bytes, str]:
        given, kind = run(self.inputs, self.context), self.step.gives.type
        if not isinstance(given, kind):
            raise _malformed(self.step, f"gave a {type(given).__name__} where a {kind.__name__} is due")
        try:
            # Read back from its own bytes: this finds fields of the wrong type that were put there without validation.
            data = canonical_bytes(given)
            output = kind.model_validate_json(data)
        except (ValidationError, ValueError, TypeError, RecursionError):
            raise _malformed(self.step, f"gave a {kind.__name__} whose fields are not what its type says") from None
        if self.step.verify is not None:
            self.step.verify(output, self.inputs)
        label = self.step.outcome(output) if self.step.outcome is not None else ACCEPT
        return output, data, label

    def _failure(self, problem: BaseException) -> Failure:
        """Names a failure in our own words: an exception's text may hold the document's."""
        name, step = self.step.name, self.step
        meter = self.context.meter
        run_out = self.left_ms <= step.limit_ms
        if over := meter.over():
            code, sentence = "review_budget_exceeded", meter.sentence(over)
        elif isinstance(problem, RefusedError):
            code, sentence = problem.code, f"Step {name}: {problem.found}"
        elif isinstance(problem, DeadlineError) and run_out:
            code, sentence = "review_budget_exceeded", f"The run's time was used up in step {name}."
        elif isinstance(problem, DeadlineError):
            code, sentence = "review_step_timeout", f"The step {name} gave no answer within {step.limit_ms} ms."
        else:
            told = problem.code if isinstance(problem, StepError) else ""
            code = told if told in CODES and told.startswith("review_") else "review_step_failed"
            sentence = f"Step {name}: {sentence_of(code)}"
        return Failure(step=name, code=code, sentence=sentence, error=_class_name(problem), attempt=self.context.attempt)


def _class_name(problem: BaseException) -> str:
    """A class name may be made at run time out of anything, so only plain ones are shown."""
    name = type(problem).__name__
    return name if name.isascii() and name.isidentifier() and len(name) <= 80 else "Exception"


def _malformed(step: StepSpec, what: str) -> RefusedError:
    return RefusedError(f"It {what}.", f"Look at what does the step {step.name}.", code="review_step_malformed")
