"""The rows of one batch: what each has said, with which probabilities, and why it ended. No model is known here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch

from conformed_plugins.backends.decoder.settings import Decoded, Settings, Stop
from conformed_plugins.backends.sampling import choose, uniforms

__all__ = ["Rows"]


class Rows:
    """Rows that are decoded together.

    Args:
        prompts: token ids of each row's prompt.
        keys: for each row the key of its prompt and the number of its sample.
        settings: how to decode.
        context: most tokens of prompt and answer together.
    """

    def __init__(
        self, prompts: Sequence[tuple[int, ...]], keys: Sequence[tuple[str, int]], settings: Settings, context: int
    ) -> None:
        self.prompts = tuple(prompts)
        self._settings = settings
        count = len(prompts)
        self.room = [max(0, min(settings.max_new_tokens, context - len(prompt))) for prompt in prompts]
        """Most tokens that each row may say: the cap on new tokens, or what the context leaves beside its prompt."""
        most = max(self.room)
        self._drawn = None if settings.temperature is None else torch.from_numpy(uniforms(settings.seed, keys, most).T.copy())
        self._matchers = settings.schema.matchers(count) if settings.schema else None
        self._said: list[tuple[list[int], list[float], list[float]]] = [([], [], []) for _ in range(count)]
        self.finished: list[Stop | None] = [None if room else "context" for room in self.room]
        """Why each row ended; None where it has not."""

    def open(self) -> list[int]:
        """Rows that have not ended."""
        return [row for row, stop in enumerate(self.finished) if stop is None]

    def choose(self, logits: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
        """Chooses the next token of rows that have said equally many, and ends those that it ends.

        Args:
            logits: [rows, vocabulary].
            rows: which rows.

        Returns:
            The tokens, int64, [rows], where the logits are.
        """
        settings = self._settings
        uniform = None
        if self._drawn is not None:
            uniform = self._drawn[len(self._said[rows[0]][0])]
            uniform = (uniform if len(rows) == len(uniform) else uniform[rows]).to(logits.device)
        allowed = self._matchers.allowed(rows).to(logits.device) if self._matchers else None
        chosen = choose(logits, uniform, temperature=settings.temperature, top_p=settings.top_p, allowed=allowed)
        for row, token, behaviour, model in zip(rows, *(one.tolist() for one in chosen), strict=True):
            tokens, behaviours, models = self._said[row]
            tokens.append(token)
            behaviours.append(behaviour)
            models.append(model)
            if token in settings.stop_ids or (settings.until is not None and settings.until(tokens)):
                self.finished[row] = "eos"
            elif len(tokens) == self.room[row]:
                self.finished[row] = "length" if len(tokens) == settings.max_new_tokens else "context"
            elif self._matchers:
                self._matchers.said(row, token)
        return chosen.tokens

    def decoded(self) -> list[Decoded]:
        """What each row said."""
        return [
            Decoded(tuple(tokens), tuple(behaviour), tuple(model), cast("Stop", stop))
            for (tokens, behaviour, model), stop in zip(self._said, self.finished, strict=True)
        ]
