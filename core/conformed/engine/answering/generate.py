"""The step generate: asks a backend for responses. What comes back is text, and nothing else of it is believed."""

from __future__ import annotations

from conformed.engine.answering.route import asked
from conformed.engine.answering.slots import RESPONSES, ROUTE
from conformed.engine.context import Inputs, StepContext
from conformed.engine.generation import Bounded, kind_with
from conformed.engine.workflow import StepSpec
from conformed.model.answered import Response, Responses
from conformed.policy.sampling import PLACE, Sampling
from conformed.ports import Backend, Completion

__all__ = ["generate_step"]


def generate_step(backend: Backend, *, plugin: str, sampling: Sampling) -> StepSpec:
    """Binds generation.

    Args:
        backend: what answers.
        plugin: its name and version.
        sampling: prompt and seed.
    """

    def run(inputs: Inputs, context: StepContext) -> Responses:
        prompt = sampling.prompt.replace(PLACE, asked(context).prompt)
        bounded = Bounded(backend, plugin, context.meter)
        (given,) = bounded.generate((prompt,), samples=inputs[ROUTE].samples, seed=sampling.seed, options={})
        return Responses(responses=tuple(_response(one) for one in given))

    return StepSpec(
        name="generate",
        gives=RESPONSES,
        run=run,
        needs=(ROUTE,),
        kind=kind_with(backend),
        plugins=(plugin,),
    )


def _response(one: Completion) -> Response:
    return Response(text=one.text, tokens=len(one.tokens), stop=one.stop, producer=one.producer)
