"""Held-out items answered greedily by the policy that trains, for the same evaluation as the in-house trainer's."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import GenerationConfig
from trl.models import unwrap_model_for_generation

from conformed_plugins.backends.decoder import Decoded, Settings
from conformed_plugins.training.trl_trainer.guarded import GuardedTrainer

__all__ = ["Answering"]


class Answering:
    """Answers on TRL's own model; draws nothing, so that the next update is the same whether it was asked or not.

    Args:
        trainer: the trainer.
        rows: prompts of one pass.
    """

    def __init__(self, trainer: GuardedTrainer, *, rows: int) -> None:
        self._trainer, self._rows = trainer, rows

    def decode(
        self, input_ids: Sequence[Sequence[int]], settings: Settings, keys: Sequence[str] | None = None
    ) -> list[list[Decoded]]:
        """One greedy answer a prompt, without log-probabilities. Every process answers all: weights may be spread over them.

        Args:
            input_ids: the prompts.
            settings: of which the cap on tokens and the tokens that end are read.
            keys: not needed where nothing is drawn.
        """
        trainer = self._trainer
        pad, ends = int(trainer.processing_class.pad_token_id), sorted(settings.stop_ids)
        how = {"max_new_tokens": settings.max_new_tokens, "do_sample": False, "pad_token_id": pad, "eos_token_id": ends}
        found: list[list[Decoded]] = []
        training = trainer.model.training
        trainer.model.eval()
        with (
            torch.no_grad(),
            unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator, generation_kwargs=how) as model,
        ):
            for start in range(0, len(input_ids), self._rows):
                some = input_ids[start : start + self._rows]
                width = max(map(len, some))
                ids = torch.tensor([[pad] * (width - len(one)) + list(one) for one in some], device=trainer.accelerator.device)
                mask = torch.tensor([[0] * (width - len(one)) + [1] * len(one) for one in some], device=ids.device)
                said = model.generate(input_ids=ids, attention_mask=mask, generation_config=GenerationConfig(**how))
                found += [[_ended(row, settings.stop_ids)] for row in said[:, width:].tolist()]
        trainer.model.train(training)
        return found


def _ended(row: Sequence[int], ends: frozenset[int]) -> Decoded:
    """A row up to the first token that ends it; what follows is padding."""
    at = next((at for at, one in enumerate(row) if one in ends), None)
    tokens = tuple(row if at is None else row[: at + 1])
    return Decoded(tokens, (), (), "length" if at is None else "eos")
