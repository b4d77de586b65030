"""Explains a contract in words: region, rung, who decides, how much compute is allowed, and the build check's six answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformed.errors import PolicyError
from conformed.model.answer import AnswerVerdict, Outcome
from conformed.model.base import Frozen
from conformed.model.claim import Verdict
from conformed.policy.guard import settle, settle_answer
from conformed.policy.schema import Application, Consequence, TaskContract

__all__ = ["OF_ANSWERS", "OF_SENTENCES", "BuildAnswer", "Explanation", "explain"]

_RUNGS = {
    "recall": "recall: an answer is remembered",
    "local_transformation": "local transformation: one passage is turned into another form",
    "composition": "composition: several facts are put together by known rules",
    "search": "search: an answer is sought among many",
    "grounded_action": "grounded action: something is done in the world and its effect observed",
}


class BuildAnswer(Frozen):
    """One of the six answers of the build check."""

    question: str
    """What is asked."""
    answer: str
    """The answer; never empty."""


class Explanation(Frozen):
    """What a contract means."""

    contract: str
    """Name and version."""
    region: str
    """Cheap or dear to check, low or high consequence."""
    rung: str
    """Rung of the ladder."""
    decides: str
    """Who decides."""
    compute: str
    """How much compute is allowed."""
    build_check: tuple[BuildAnswer, ...]
    """The six answers."""

    def lines(self) -> tuple[str, ...]:
        """The explanation, line by line, for a screen."""
        head = (
            self.contract,
            f"  region       {self.region}",
            f"  rung         {self.rung}",
            f"  who decides  {self.decides}",
            f"  compute      {self.compute}",
            "  build check",
        )
        return head + tuple(f"    {number}. {one.question} {one.answer}" for number, one in enumerate(self.build_check, start=1))


def explain(contract: TaskContract) -> Explanation:
    """Explains a contract.

    Raises:
        PolicyError: when an injected failure of the verifier does not fail closed (which the schema rules out).
    """
    high = contract.consequence is not Consequence.LOW
    cheap = contract.task.checkability == "cheap"
    return Explanation(
        contract=f"{contract.name} {contract.version}: {contract.title}",
        region=f"{'cheap' if cheap else 'dear'} to check, {'high' if high else 'low'} consequence ({contract.consequence})",
        rung=_RUNGS[contract.task.rung],
        decides=_decides(contract),
        compute=_compute(contract, cheap=cheap, high=high),
        build_check=_build_check(contract),
    )


def _decides(contract: TaskContract) -> str:
    roles = ", ".join(role.replace("_", " ") for role in contract.approval.roles)
    many = "two people" if contract.approval.two_people else "one person"
    apart = " of different roles" if contract.approval.different_roles else ""
    if contract.consequence is Consequence.HIGH:
        return f"A person, always: the machine prepares the file and never concludes. Approval: {many}{apart} ({roles})."
    return f"A verifier settles clean cases; a person settles the rest. Approval of an action: {many}{apart} ({roles})."


def _compute(contract: TaskContract, *, cheap: bool, high: bool) -> str:
    limits = contract.limits
    if limits.generated_tokens == 0:
        return f"No model may generate: rules alone, at most {limits.wall_seconds} s of wall time."
    spent = f"At most {limits.generated_tokens} generated tokens and {limits.cost_units} cost units"
    advice = {
        (True, True): "samples can be verified, so compute buys accuracy, up to the person's desk",
        (True, False): "samples can be verified, so compute buys accuracy",
        (False, True): "nothing verifies a sample cheaply, so compute cannot replace the person",
        (False, False): "nothing verifies a sample cheaply, so spend little",
    }[cheap, high]
    return f"{spent}, {limits.wall_seconds} s of wall time; {advice}."


def _build_check(contract: TaskContract) -> tuple[BuildAnswer, ...]:
    results = ", ".join(contract.answer.results)
    codes = "any review code" if "review_*" in contract.abstain_when else f"{len(contract.abstain_when)} review codes"
    kept = ", ".join(one.value.replace("_", " ") for one in contract.retention.keep)
    outcomes = (
        f"Results: {results}. accept: every check passes. reject: a check refuses, with its code. review: {codes},"
        f" an unparsed answer ({contract.on_unparsed}), or a failed verifier ({contract.on_verifier_error})."
    )
    pairs = (
        ("The object graded?", contract.task.graded),
        (
            "Which outcomes are accept, reject, review?",
            outcomes,
        ),
        ("Does the verifier fail closed?", _fails_closed(contract)),
        ("The direct baseline?", contract.task.baseline),
        ("The records kept per item?", f"{kept}, for {contract.retention.years} years."),
        ("The action under human authority?", contract.task.human_action),
    )
    return tuple(BuildAnswer(question=question, answer=" ".join(answer.split())) for question, answer in pairs)


def _fails_closed(contract: TaskContract) -> str:
    """Shows it by injecting failures into the very functions that the steps of the contract's application call."""
    seen = _sentences(contract) if contract.application is Application.COVENANT else _answers(contract)
    for failure, outcome in seen.items():
        if outcome in ("accept", "correct"):
            raise PolicyError(f"a verifier that {failure} is taken as {outcome}.", "Set on_verifier_error to review.")
    outcomes = " or ".join(sorted(set(seen.values())))
    return f"Yes, shown just now: {len(seen)} injected failures gave {outcomes} (a verifier that {', '.join(seen)})."


def _raises() -> object:
    raise RuntimeError("injected")


def _hangs() -> object:
    raise TimeoutError("injected")


_COMMON: Mapping[str, Callable[[], object]] = {
    "raises": _raises,
    "times out": _hangs,
    "returns nothing": lambda: None,
    "returns a mapping": lambda: {"outcome": "accept"},
}
OF_SENTENCES: Mapping[str, Callable[[], object]] = {
    **_COMMON,
    "returns an unknown outcome": lambda: Verdict(outcome="approved"),
    "rejects without a reason": lambda: Verdict(outcome="reject"),
}
"""Failures that are injected into the check of a sentence, by what the verifier does."""
OF_ANSWERS: Mapping[str, Callable[[], object]] = {
    **_COMMON,
    "returns an unknown outcome": lambda: AnswerVerdict.model_construct(outcome="approved", code="equal"),  # type: ignore[arg-type]
    "finds it right without a reason": lambda: AnswerVerdict(outcome=Outcome.CORRECT, code=""),
    "says that it failed": lambda: AnswerVerdict(outcome=Outcome.ERROR, code="sandbox_unavailable"),
}
"""The same for the check of an answer."""


def _sentences(contract: TaskContract) -> dict[str, str]:
    return {
        name: settle(contract.on_verifier_error, check, verifier=contract.verifier).outcome
        for name, check in OF_SENTENCES.items()
    }


def _answers(contract: TaskContract) -> dict[str, str]:
    return {
        name: settle_answer(contract.on_verifier_error, check, verifier=contract.verifier).outcome.value
        for name, check in OF_ANSWERS.items()
    }
