"""Rollouts as tensors, for training: tokens, masks and log-probabilities, and the replay that must give them again.

Masks come from lengths and never from token ids, so a padding token that is also a stop token hides nothing and ends nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed_plugins.backends.decoder.settings import Decoded, Stop

__all__ = ["REPLAY_TOLERANCE", "Rollout", "check_replay", "replay_logprobs", "rollout_of"]

REPLAY_TOLERANCE = 1e-5
"""Largest difference between a log-probability of the rollout and of its replay, natural logarithm."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """Rows of prompts and sampled answers; the samples of a prompt stand together. Prompts are padded on the left, answers on the right."""

    tokens: torch.Tensor
    """[rows, prompt + answer], int64."""
    attention_mask: torch.Tensor
    """[rows, prompt + answer], int64: 1 where there is a token."""
    positions: torch.Tensor
    """[rows, prompt + answer], int64: a row's first token is 0, whatever stands before it."""
    response_mask: torch.Tensor
    """[rows, answer], bool: True where a token was sampled, a stop token among them."""
    behaviour_logprobs: torch.Tensor
    """[rows, answer], float32: under the distribution that was drawn from; 0 outside the mask."""
    model_logprobs: torch.Tensor
    """[rows, answer], float32: under the plain softmax; 0 outside the mask."""
    stops: tuple[Stop, ...]
    """Why each row ended."""

    @property
    def prompt_width(self) -> int:
        """Columns of the prompts."""
        return int(self.tokens.shape[1] - self.response_mask.shape[1])


def rollout_of(prompts: Sequence[Sequence[int]], decoded: Sequence[Sequence[Decoded]], *, pad_id: int) -> Rollout:
    """Puts samples into tensors.

    Args:
        prompts: token ids of each prompt.
        decoded: the samples of each, as the decoder gives them.
        pad_id: any token id; it may be a stop token.

    Raises:
        ValueError: for another number of prompts than of lists of samples, and for nothing at all.
    """
    if len(prompts) != len(decoded):
        raise GivenValueError(f"{len(prompts)} prompts have {len(decoded)} lists of samples.", "Give one list a prompt.")
    rows = [(prompt, sample) for prompt, samples in zip(prompts, decoded, strict=True) for sample in samples]
    if not rows:
        raise GivenValueError("There is no sample.", "Give at least one.")
    before = max(len(prompt) for prompt, _ in rows)
    after = max(1, *(len(sample.tokens) for _, sample in rows))
    tokens = torch.full((len(rows), before + after), pad_id, dtype=torch.int64)
    mask = torch.zeros_like(tokens)
    response = torch.zeros((len(rows), after), dtype=torch.bool)
    behaviour, model = torch.zeros(len(rows), after), torch.zeros(len(rows), after)
    for row, (prompt, sample) in enumerate(rows):
        start, said = before - len(prompt), len(sample.tokens)
        tokens[row, start : before + said] = torch.tensor([*prompt, *sample.tokens])
        mask[row, start : before + said] = 1
        response[row, :said] = True
        behaviour[row, :said] = torch.tensor(sample.behaviour_logprobs)
        model[row, :said] = torch.tensor(sample.model_logprobs)
    positions = (mask.cumsum(-1) - 1).clamp_(min=0)
    return Rollout(tokens, mask, positions, response, behaviour, model, tuple(sample.stop for _, sample in rows))


def replay_logprobs(model: Any, rollout: Rollout) -> torch.Tensor:
    """Log-probabilities of the sampled tokens under the plain softmax, by the model's own forward pass; gradients flow.

    Returns:
        [rows, answer], float32; 0 outside the mask.
    """
    width = rollout.response_mask.shape[1]
    device = model.device
    logits = model(
        rollout.tokens.to(device),
        attention_mask=rollout.attention_mask.to(device),
        position_ids=rollout.positions.to(device),
        use_cache=False,
        logits_to_keep=width + 1,
    ).logits[:, :-1]
    said = rollout.tokens[:, -width:].to(device)
    logprobs = logits.float().log_softmax(-1).gather(-1, said[..., None])[..., 0]
    return logprobs.masked_fill(~rollout.response_mask.to(device), 0.0)


def check_replay(rollout: Rollout, replayed: torch.Tensor, tolerance: float = REPLAY_TOLERANCE) -> float:
    """Holds a replay against the log-probabilities of the rollout.

    Args:
        rollout: with ``model_logprobs``.
        replayed: as ``replay_logprobs`` gives it for unchanged weights.
        tolerance: largest difference.

    Returns:
        The largest difference there is.

    Raises:
        ValueError: when it is above the tolerance, or not a number: the policy sampled is not the policy scored.
    """
    differences = (replayed.detach().cpu() - rollout.model_logprobs).abs()[rollout.response_mask]
    drift = float(differences.max()) if len(differences) else 0.0
    if not drift <= tolerance:
        raise GivenValueError(
            f"Replayed log-probabilities differ from the rollout's by {drift:.3g}, and at most {tolerance:.3g} is expected.",
            "Sample and score with the same weights, in evaluation mode, in the same type.",
        )
    return drift
