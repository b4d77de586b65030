"""Stage 1: a generation is sampled, judged and scored under the reference. No gradient, the model in evaluation mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch

from conformed.errors import GivenValueError
from conformed_plugins.backends.decoder import Decoded, Decoder, Settings
from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.grpo.order import drawn
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.shared.forward import plain, score_groups
from conformed_plugins.training.grpo.shared.layout import Group
from conformed_plugins.training.grpo.shared.threads import on_threads
from conformed_plugins.training.grpo.steps import StepCheck, step_rewards
from conformed_plugins.training.grpo.window import Asked, Response, Window
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.reward import judged

__all__ = ["TRUNCATED", "InProcess", "Sampler", "roll"]

TRUNCATED = "truncated"
"""Code of a response that was cut, where those are excluded."""


class Sampler(Protocol):
    """What samples: ``Decoder`` in this process, or ``RolloutWorkers``."""

    def decode(
        self, input_ids: Sequence[Sequence[int]], settings: Settings, keys: Sequence[str] | None = None
    ) -> list[list[Decoded]]:
        """Samples of each prompt."""
        ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """Samples in this process. A ``Decoder`` packs the weights as they are when it is made, so each call makes one."""

    model: Any
    """The model."""

    def decode(
        self, input_ids: Sequence[Sequence[int]], settings: Settings, keys: Sequence[str] | None = None
    ) -> list[list[Decoded]]:
        """Samples of each prompt."""
        return Decoder(self.model).decode(input_ids, settings, keys)


def roll(
    sampler: Sampler,
    reference: Any | None,
    items: Sequence[TrainingItem],
    check: Check,
    codec: Codec,
    settings: GrpoSettings,
    *,
    generation: int,
    place: int,
    update: int,
    old: str,
    steps: StepCheck | None = None,
) -> Window:
    """Samples a generation.

    Args:
        sampler: with the current policy, which from now on is the old one.
        reference: the policy before training; None where nothing asks for it.
        items: all of them.
        check: judges a response.
        codec: text to tokens and back.
        settings: the run's.
        generation: its number.
        place: the first place in the order of prompts.
        update: updates so far.
        old: digest of the policy's weights.
        steps: judges the steps of a response, under process supervision.

    Raises:
        GivenValueError: for a prompt that leaves no room for a response.
    """
    count = settings.prompts * settings.steps_per_generation
    chosen = [items[number] for number in drawn(settings.seed, len(items), place, count)]
    prompts = [codec.prompt(item.prompt) for item in chosen]
    keys = [f"{generation}/{place + number}/{item.id}" for number, item in enumerate(chosen)]
    how = Settings(
        max_new_tokens=settings.max_new_tokens,
        stop_ids=codec.stop_ids,
        samples=settings.group,
        seed=settings.seed,
        temperature=1.0,
        max_rows=len(chosen) * settings.group,
    )
    asked = []
    for number, (item, prompt, samples) in enumerate(zip(chosen, prompts, sampler.decode(prompts, how, keys), strict=True)):
        responses = tuple(_judged(check, steps, item, codec, one, settings) for one in samples)
        asked.append(Asked(place + number, item.id, prompt, responses))
    scored = asked if reference is None else _under_reference(reference, asked, settings)
    return Window(generation, update, old, tuple(scored))


def _judged(
    check: Check, steps: StepCheck | None, item: TrainingItem, codec: Codec, said: Decoded, settings: GrpoSettings
) -> Response:
    if not said.tokens:
        raise GivenValueError(f"The prompt of {item.id} fills the context.", "Leave it out, or take a model that reads more.")
    found = judged(check, item, codec.text(said.tokens))
    if settings.truncated == "excluded" and said.stop != "eos":
        found = replace(found, checked=replace(found.checked, code=TRUNCATED), reward=None)
    rewards = None
    if steps is not None and found.reward is not None:
        rewards, code = step_rewards(steps, item, said.tokens, codec)
        if rewards is None:
            found = replace(found, checked=replace(found.checked, code=code), reward=None)
    return Response(said.tokens, said.model_logprobs, None, said.stop, found, rewards)


def _under_reference(reference: Any, asked: Sequence[Asked], settings: GrpoSettings) -> list[Asked]:
    """The reference's log-probabilities, in microbatches as the update has them."""
    size, share = settings.microbatch_prompts, not plain(reference)
    parts = [asked[start : start + size] for start in range(0, len(asked), size)]

    def score(part: Sequence[Asked]) -> list[Asked]:
        groups = [Group(one.prompt, tuple(response.tokens for response in one.responses)) for one in part]
        with torch.no_grad():
            rows = iter(score_groups(reference, groups, share=share).logprobs.tolist())
        return [
            replace(
                one, responses=tuple(replace(each, reference=tuple(next(rows)[: len(each.tokens)])) for each in one.responses)
            )
            for one in part
        ]

    return [one for part in on_threads(score, parts, settings.update_threads if share else 1) for one in part]
