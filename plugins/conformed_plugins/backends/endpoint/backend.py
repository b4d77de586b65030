"""The backend: asks for each sample, in order, and hands on nothing that the server did not say."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformed.errors import PluginError
from conformed.ports import Completion
from conformed_plugins.backends.endpoint.at_a_time import in_order
from conformed_plugins.backends.endpoint.options import EndpointOptions
from conformed_plugins.backends.endpoint.protocol import body_of, completions_of, model_ids, seed_of
from conformed_plugins.backends.endpoint.transport import Transport

__all__ = ["EndpointBackend"]


class EndpointBackend:
    """Generates text by asking an OpenAI-compatible server (vLLM, llama.cpp and the like).

    Before the first request the server must list the model that the options name; every answer must be signed with its name.
    Where the server gives no token ids, a completion's tokens are as many -1 as it counts.

    Args:
        options: the endpoint.
        environment: where the key is; the process's own by default.
        clock: seconds that only grow.

    Raises:
        PluginError: when the key or the file of certificates is not there.
    """

    def __init__(
        self, options: EndpointOptions, environment: Mapping[str, str] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.repeatable = options.repeatable
        self._options = options
        self._transport = Transport(options, environment, clock)
        self._listed = not options.lists_models

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt; each sample has a seed of its own, made of the seed, its prompt's place and its own.

        Raises:
            PluginError: when one of them did not come. What came before it is lost with it.
        """
        if type(samples) is not int or samples < 1:
            raise PluginError(f"The endpoint was asked for {samples} samples.", "Ask for one or more.")
        bodies = [self._bodies(prompt, row, samples, seed, options) for row, prompt in enumerate(prompts)]
        self._check_model()
        answers = iter(in_order(self._answer, [body for row in bodies for body in row], self._options.at_a_time))
        return tuple(tuple(one for _body in row for one in next(answers)) for row in bodies)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def _bodies(self, prompt: str, row: int, samples: int, seed: int, given: dict[str, Any]) -> list[dict[str, Any]]:
        if self._options.at_once:
            return [body_of(prompt, samples, seed_of(seed, row, 0), given, self._options)]
        return [body_of(prompt, 1, seed_of(seed, row, sample), given, self._options) for sample in range(samples)]

    def _answer(self, body: dict[str, Any]) -> tuple[Completion, ...]:
        return completions_of(self._transport.ask("POST", "/chat/completions", body), body, self._options)

    def _check_model(self) -> None:
        if self._listed:
            return
        who = f"The endpoint {self._options.url}"
        if self._options.model not in model_ids(self._transport.ask("GET", "/models"), who):
            raise PluginError(
                f"{who} does not list the model {self._options.model}.", "Name one that it serves, or ask who runs it."
            )
        self._listed = True
