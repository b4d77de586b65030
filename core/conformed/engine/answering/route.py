"""The step route: who answers, by the router's rule, before anything is generated."""

from __future__ import annotations

from conformed.engine.answering.slots import ROUTE, AnswerRequest
from conformed.engine.context import Inputs, StepContext
from conformed.engine.router import Routed as RouterSays
from conformed.engine.router import RouteFeatures, route_or_review
from conformed.engine.workflow import ACCEPT, REVIEW, RefusedError, StepSpec
from conformed.model.answered import Route, Routed, Task
from conformed.policy.schema import Consequence, Sampling

__all__ = ["asked", "route_step", "routed_task"]


def asked(context: StepContext) -> Task:
    """The task of a run.

    Raises:
        RefusedError: when the run was asked something else (a program's fault).
    """
    if not isinstance(context.request, AnswerRequest):
        raise RefusedError("The request of the run is no AnswerRequest.", code="review_step_malformed")
    return context.request.task


def route_step(consequence: Consequence, sampling: Sampling) -> StepSpec:
    """Binds routing.

    Args:
        consequence: the contract's.
        sampling: thresholds and numbers of samples.
    """

    def run(_inputs: Inputs, context: StepContext) -> Routed:
        routed = routed_task(asked(context), consequence, sampling)
        route = Route(routed.route)
        samples = {Route.DIRECT: 1, Route.SAMPLE_AND_VERIFY: sampling.samples, Route.HUMAN_REVIEW: 0}[route]
        return Routed(route=route, samples=samples, code=routed.code, reason=routed.sentence)

    return StepSpec(
        name="route", gives=ROUTE, run=run, outcome=lambda given: REVIEW if given.route is Route.HUMAN_REVIEW else ACCEPT
    )


def routed_task(task: Task, consequence: Consequence, sampling: Sampling) -> RouterSays:
    """Where a task goes. What the router refuses is never answered by the machine alone."""
    features = RouteFeatures(
        consequence=consequence.value,
        deterministic_verifier=task.checkable,
        input_complete=bool(task.prompt.strip()),
        estimated_difficulty=sampling.assumed_difficulty if task.difficulty is None else task.difficulty,
    )
    return route_or_review(features, sampling.difficulty_threshold)
