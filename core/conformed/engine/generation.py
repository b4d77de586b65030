"""A backend as a step sees it: its calls are bounded by the contract's budgets before they are made, counted, and checked.

Nothing of a completion is believed but its text, and that is a proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformed.engine.context import Meter
from conformed.engine.workflow import Kind, RefusedError
from conformed.errors import StepError
from conformed.ports import Backend, Completion

__all__ = ["MOST_CHARACTERS", "MOST_PRODUCER", "Bounded", "checked_completions", "kind_with"]

MOST_CHARACTERS = 1_000_000
"""Longest completion that is kept; a longer one is refused as malformed."""
MOST_PRODUCER = 200
"""Longest name of what produced a completion."""
_MOST_TOKENS = "max_tokens"


def kind_with(backend: Backend | None) -> Kind:
    """What a resumed run may do with a step that asks a backend: only what is repeatable is run again as if nothing had been."""
    return Kind.PURE if backend is None or backend.repeatable is True else Kind.READ


class Bounded:
    """A backend under the budgets of one run (`conformed.ports.Backend`).

    Args:
        inner: the backend.
        plugin: its name and version.
        meter: budgets of the run.
    """

    def __init__(self, inner: Backend, plugin: str, meter: Meter) -> None:
        self.inner, self.plugin, self.meter = inner, plugin, meter
        self.repeatable = inner.repeatable is True
        self._producers: set[str] = set()

    def asked(self, producer: str) -> str:
        """Who produced something: the plugins, and the backend with the digest of each model and condition that it answered with.

        Args:
            producer: names and versions of the plugins.
        """
        return f"{producer}, asking {self.plugin} ({', '.join(sorted(self._producers))})" if self._producers else producer

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt; never more tokens than the budget has left.

        Raises:
            StepError: review_budget_exceeded when nothing is left, or more was generated than allowed;
                review_step_malformed for anything that is not what was asked for.
        """
        rows = len(prompts) * samples
        left = self.meter.left("generated_tokens") // rows if rows else 0
        if rows and left < 1:
            raise StepError(self.meter.sentence("generated_tokens"), code="review_budget_exceeded")
        asked = options.get(_MOST_TOKENS)
        most = left if type(asked) is not int or asked > left else asked
        given = self.inner.generate(tuple(prompts), samples=samples, seed=seed, options={**options, _MOST_TOKENS: most})
        found = checked_completions(given, len(prompts), samples, self.plugin)
        self._producers.update(one.producer for row in found for one in row)
        self.meter.spend(
            input_tokens=sum(one.prompt_tokens for row in found for one in row[:1]),
            generated_tokens=sum(len(one.tokens) for row in found for one in row),
        )
        return found


def checked_completions(given: object, prompts: int, samples: int, plugin: str) -> tuple[tuple[Completion, ...], ...]:
    """Completions that are as many as were asked for, each of the right shape.

    Raises:
        RefusedError: review_step_malformed.
    """
    if not isinstance(given, tuple) or len(given) != prompts:
        raise RefusedError(f"The backend {plugin} gave something else than {prompts} tuples.", code="review_step_malformed")
    for row in given:
        if not isinstance(row, tuple) or len(row) != samples:
            raise RefusedError(
                f"The backend {plugin} gave something else than {samples} completions.", code="review_step_malformed"
            )
        if not all(_sound(one) for one in row):
            raise RefusedError(f"The backend {plugin} gave a malformed completion.", code="review_step_malformed")
    return given


def _sound(one: object) -> bool:
    return (
        isinstance(one, Completion)
        and type(one.text) is str
        and len(one.text) <= MOST_CHARACTERS
        and type(one.stop) is str
        and type(one.producer) is str
        and len(one.producer) <= MOST_PRODUCER
        and one.producer.isprintable()
        and isinstance(one.tokens, tuple)
        and type(one.prompt_tokens) is int
        and one.prompt_tokens >= 0
    )
