"""One run for a short answer: the contract's steps bound to the code and the plugins that do them."""

from __future__ import annotations

from dataclasses import dataclass

from conformed.app.answering.forms import normal_form
from conformed.app.binding import Bound, need_application
from conformed.app.evaluating.binding import judges_of
from conformed.engine.answering.assemble import assemble_answer
from conformed.engine.answering.generate import generate_step
from conformed.engine.answering.route import route_step
from conformed.engine.answering.select import select_step
from conformed.engine.answering.slots import AnswerRequest
from conformed.engine.answering.take import answer_step
from conformed.engine.answering.verify import verify_step
from conformed.engine.contract import workflow_of
from conformed.engine.workflow import Workflow
from conformed.errors import PolicyError
from conformed.evaluation.answers import extract_final
from conformed.model.answered import AnswerRecord, Task
from conformed.policy.schema import Application

__all__ = ["AnswerCourse"]


@dataclass(frozen=True, slots=True)
class AnswerCourse:
    """What a run needs besides the log."""

    bound: Bound
    """The contract with its plugins."""
    task: Task
    """What is asked."""

    def __post_init__(self) -> None:
        """Refuses a contract of another application.

        Raises:
            UsageError: naming what it is for.
        """
        need_application(self.bound.contract.contract, Application.SHORT_ANSWER)

    def request(self) -> AnswerRequest:
        """What is asked, as the first record of the run names it."""
        bound = self.bound.contract
        return AnswerRequest(
            task=self.task, contract=f"{bound.contract.name} {bound.contract.version}", contract_digest=bound.digest
        )

    def workflow(self) -> Workflow:
        """The steps of the run.

        Raises:
            PolicyError: when the contract names more than one backend, or a verifier that checks no answers.
            PluginError: when a plugin cannot be made.
        """
        bound = self.bound.contract
        contract = bound.contract
        assert contract.sampling is not None  # a contract for short answers has it
        backends = self.bound.made("generate")
        if len(backends) != 1:
            raise PolicyError(f"The contract {contract.name} names {len(backends)} backends.", "Name one under generate.")
        plugin, backend = backends[0]
        steps = (
            route_step(contract.consequence, contract.sampling),
            generate_step(backend, plugin=plugin, sampling=contract.sampling),
            answer_step(extract_final, normal_form, form=contract.verifier),
            verify_step(judges_of(bound).by_form, default=contract.verifier, on_error=contract.on_verifier_error),
            select_step(),
        )
        return workflow_of(contract, bound.digest, steps, assemble_answer, AnswerRecord)
