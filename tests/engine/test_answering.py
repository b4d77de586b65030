"""The second application: a short answer through the same machine and log. What cannot be shown to be right goes to a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import engine_toy
import pytest

from conformed.engine.answering.assemble import assemble_answer
from conformed.engine.answering.generate import generate_step
from conformed.engine.answering.route import route_step
from conformed.engine.answering.select import select_step
from conformed.engine.answering.slots import AnswerRequest
from conformed.engine.answering.take import answer_step
from conformed.engine.answering.verify import verify_step
from conformed.engine.context import Inputs, Meter, StepContext
from conformed.engine.journal import Journal
from conformed.engine.machine import Machine
from conformed.engine.workflow import ACCEPT, CONCLUDE, ERROR, REVIEW, Limits, StepSpec, Workflow
from conformed.errors import JournalError
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed.model.answered import Answer, AnswerRecord, Answers, Checked, Task
from conformed.model.base import Missing
from conformed.policy import explain
from conformed.policy.guard import settle_answer
from conformed.policy.sampling import Sampling
from conformed.policy.schema import Consequence
from conformed.ports import Completion
from conformed_audit import AuditLog

SAMPLING = Sampling(
    prompt="Q: {prompt}", samples=4, minimum_valid=1, difficulty_threshold="7/20", assumed_difficulty="1/2", seed=3
)
CHECKED = Task(id="t", prompt="6 x 7?", form="numeric", check="42", facts={})
UNCHECKED = Task(id="t", prompt="Which colour?", form="numeric", facts={})


class Says:
    """A backend with fixed words."""

    repeatable = True

    def __init__(self, *texts: str) -> None:
        self.texts, self.prompts = texts, list[str]()

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """The words."""
        self.prompts += prompts
        return tuple(
            tuple(Completion(self.texts[n % len(self.texts)], (1, 2), (0.0, 0.0), (0.0, 0.0), "eos", "p") for n in range(samples))
            for _ in prompts
        )


class Equal:
    """A verifier by equality."""

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """Equal or not."""
        right = request.candidate == request.reference
        return AnswerVerdict(outcome=Outcome.CORRECT if right else Outcome.INCORRECT, code="equal" if right else "different")


class Does:
    """A verifier that does as it is told."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def check(self, request: AnswerCheck) -> Any:
        """Returns or raises."""
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


def steps(backend: Any, verifier: Any, consequence: str, on_error: str) -> tuple[StepSpec, ...]:
    """The five steps."""
    return (
        route_step(Consequence(consequence), SAMPLING),
        generate_step(backend, plugin="says 1.0.0", sampling=SAMPLING),
        answer_step(
            lambda text: (text, "ok") if text else (None, "missing_final"), lambda a, form: (a.strip(), form), form="numeric"
        ),
        verify_step({"numeric": ("numeric 1.0.0", verifier)}, default="numeric", on_error=on_error),
        select_step(),
    )


def workflow(backend: Any, verifier: Any, *, consequence: str = "low", on_error: str = "review") -> Workflow:
    """The five steps in a row; what is routed to a person ends there."""
    bound = steps(backend, verifier, consequence, on_error)
    names = [step.name for step in bound[1:]] + [CONCLUDE]
    ways = [{ACCEPT: following, REVIEW: following, ERROR: CONCLUDE} for following in names]
    ways[0][REVIEW] = CONCLUDE
    return Workflow(
        name="short", version="1", digest=engine_toy.DIGEST,
        steps=tuple(replace(step, leads=way) for step, way in zip(bound, ways, strict=True)),
        conclude=assemble_answer, record=AnswerRecord, limits=Limits(counters={"generated_tokens": 100}),
    )  # fmt: skip


def run(log: AuditLog, task: Task, backend: Any, verifier: Any = None, **changes: str) -> AnswerRecord:
    """One run through the machine."""
    asks = AnswerRequest(task=task, contract="short 1", contract_digest=engine_toy.DIGEST)
    machine = Machine(workflow(backend, verifier or Equal(), **changes), Journal(log, engine_toy.identity()))
    record = machine.begin(asks, engine_toy.REGISTRATIONS).record
    assert isinstance(record, AnswerRecord)
    return record


def test_a_verified_answer_is_given(log: AuditLog) -> None:
    """Of four samples two are right: their answer, with two votes, on the ground that it was verified; the log verifies."""
    backend = Says("42", "41", "42", "")
    record = run(log, CHECKED, backend)
    assert (record.result, record.answer, record.basis, record.route) == ("answered", "42", "verified", "sample_and_verify")
    assert (record.votes, record.valid, record.total) == (2, 3, 4)
    assert record.codes == ("different", "equal", "missing_final", "ok")
    assert backend.prompts == ["Q: 6 x 7?"]


def test_a_majority_never_outvotes_the_check(log: AuditLog) -> None:
    """Three samples agree on what the check finds wrong: the one that is right is given."""
    record = run(log, CHECKED, Says("41", "41", "41", "42"))
    assert (record.answer, record.votes) == ("42", 1)


def test_nothing_right_is_for_a_person(log: AuditLog) -> None:
    """Where a check is possible and no answer passes, no answer is given, however many agree."""
    record = run(log, CHECKED, Says("41"))
    assert record.result == "review"
    assert isinstance(record.answer, Missing)
    assert record.answer.code == "no_answer_verified"


def test_what_cannot_be_checked_is_asked_once(log: AuditLog) -> None:
    """Without anything to hold an answer against the route is direct: one sample, and the record says that nothing checked it."""
    record = run(log, UNCHECKED, Says("blue", "red"))
    assert (record.answer, record.basis, record.total, record.route) == ("blue", "single", 1, "direct")


def test_an_easy_task_is_asked_once_and_still_checked(log: AuditLog) -> None:
    """Below the threshold one sample is taken; a wrong one is no answer."""
    easy = CHECKED.model_copy(update={"difficulty": Fraction(1, 10)})
    assert run(log, easy, Says("41")).result == "review"


@pytest.mark.parametrize("consequence", ["high"])
def test_a_high_consequence_is_never_answered_by_the_machine(log: AuditLog, consequence: str) -> None:
    """The router sends it to a person before anything is generated."""
    backend = Says("42")
    record = run(log, CHECKED, backend, consequence=consequence)
    assert (record.result, record.route, backend.prompts) == ("review", "human_review", [])


@pytest.mark.parametrize(
    "given",
    [
        RuntimeError("x"),
        RecursionError(),
        None,
        "correct",
        {"outcome": "correct", "code": "x"},
        AnswerVerdict(outcome=Outcome.ERROR, code="sandbox_unavailable"),
        AnswerVerdict(outcome=Outcome.REVIEW, code="timeout"),
        AnswerVerdict(outcome=Outcome.INCORRECT, code="no"),
        AnswerVerdict(outcome=Outcome.CORRECT, code=""),
        AnswerVerdict.model_construct(outcome="correct", code="x"),  # type: ignore[arg-type]
        TimeoutError(),
        SystemExit(),
        type("Mine", (AnswerVerdict,), {})(outcome="correct", code="x"),
    ],
)
@pytest.mark.parametrize("on_error", ["review", "reject"])
def test_a_verifier_that_does_anything_else_finds_nothing_right(log: AuditLog, given: Any, on_error: str) -> None:
    """Whatever is not a clean verdict of correct ends without an answer, as the contract says for a failed check."""
    record = run(log, CHECKED, Says("42"), Does(given), on_error=on_error)
    assert record.result == "review"
    assert isinstance(record.answer, Missing)


@pytest.mark.parametrize(
    "given",
    [
        None,
        (),
        ((),),
        [()],
        (("42",) * 4,),
        ((Completion("42", (1,), (), (), "eos", "p"),) * 3,),
        ((Completion(42, (1,), (), (), "eos", "p"),) * 4,),  # type: ignore[arg-type]
        ((Completion("4" * 1_000_001, (1,), (), (), "eos", "p"),) * 4,),
        ((Completion("42", (1,) * 30, (), (), "eos", "p"),) * 4,),
        ((Completion("<42>\ud800", (1,), (), (), "eos", "p"),) * 4,),
    ],
    ids=["none", "empty", "no_samples", "list", "texts", "too_few", "no_text", "too_long", "over_budget", "surrogate"],
)
def test_a_backend_that_does_anything_else_gives_no_answer(log: AuditLog, given: Any) -> None:
    """Malformed completions, and more tokens than the contract allows, end in review and never in an answer."""
    backend = Says("42")
    backend.generate = lambda *a, **k: given  # type: ignore[method-assign]
    record = run(log, CHECKED, backend)
    assert record.result == "review"
    assert record.sentences


def test_a_verified_answer_in_two_spellings_is_given_in_the_one_most_gave(log: AuditLog) -> None:
    """Both are right; neither is a tie for a person."""

    class Always:
        def check(self, request: AnswerCheck) -> AnswerVerdict:
            return AnswerVerdict(outcome=Outcome.CORRECT, code="equal")

    record = run(log, CHECKED, Says("x+1", "1+x", "1+x", "x+1"), Always())
    assert (record.answer, record.votes) == ("x+1", 2)


def test_a_resumed_run_gives_the_same_record(log: AuditLog) -> None:
    """A run that ends when its log cannot be written goes on from there, and generates nothing twice."""

    class Cut:
        """A log that fails at its fourth write."""

        def __init__(self, inner: AuditLog) -> None:
            self.inner, self.left = inner, 3

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def append(self, *given: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise JournalError("cut", "")
            return self.inner.append(*given, **named)

    backend = Says("42")
    with pytest.raises(JournalError):
        run(Cut(log), CHECKED, backend)  # type: ignore[arg-type]
    assert len(backend.prompts) == 1
    ended = Machine(workflow(backend, Equal()), Journal(log, engine_toy.identity())).resume(AnswerRequest)
    assert isinstance(ended.record, AnswerRecord)
    assert (ended.record.answer, len(backend.prompts)) == ("42", 1)


@pytest.mark.parametrize(
    ("on_error", "outcome"), [("review", Outcome.REVIEW), ("reject", Outcome.INCORRECT), ("accept", Outcome.REVIEW)]
)
@pytest.mark.parametrize("failure", sorted(explain.OF_ANSWERS))
def test_the_real_step_takes_the_injected_failures_as_the_build_check_says(failure: str, on_error: str, outcome: Outcome) -> None:
    """Each failure that `policy explain` injects, given to the step that a run calls: the same outcome, and never correct."""

    class Injected:
        def check(self, request: AnswerCheck) -> Any:
            return explain.OF_ANSWERS[failure]()

    step = verify_step({"numeric": ("numeric 1.0.0", Injected())}, default="numeric", on_error=on_error)
    asks = AnswerRequest(task=CHECKED, contract="short 1", contract_digest=engine_toy.DIGEST)
    context = StepContext("c", "r", "verify", 1, "", datetime.now(UTC), asks, (), Meter({}))
    held = Inputs({"answers": Answers(answers=(Answer(sample=0, answer="42", normal="42", code="ok"),))}, step.needs)
    found = step.run(held, context)
    assert isinstance(found, Checked)
    verdict = found.answers[0].verdict
    assert isinstance(verdict, AnswerVerdict)
    assert verdict.outcome is outcome
    assert (verdict.verifier, verdict.version) == ("numeric", "1.0.0")
    assert verdict == settle_answer(on_error, explain.OF_ANSWERS[failure], verifier="numeric 1.0.0")
