"""The plain loop: one row, the whole of it through the model again for each token. Slow, and right by inspection: the oracle."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

import torch

from conformed_plugins.backends.sampling import nucleus_probabilities, uniforms


def plain_row(
    model: Any,
    prompt: Sequence[int],
    *,
    sample: int,
    seed: int,
    temperature: float | None,
    top_p: float,
    most: int,
    context: int,
    stop_ids: Collection[int],
) -> tuple[list[int], list[float], list[float], str]:
    """Tokens, behaviour and model log-probabilities, and why it stopped."""
    ids, behaviour, plain = list(prompt), [], []
    key = hashlib.sha256(" ".join(map(str, prompt)).encode()).hexdigest()
    drawn = uniforms(seed, [(key, sample)], most)[0]
    for place in range(most):
        if len(ids) == context:
            return ids[len(prompt) :], behaviour, plain, "context"
        with torch.inference_mode():
            logits = model(torch.tensor([ids]), use_cache=False).logits[:, -1].float()
        if temperature is None:
            token, said = int(logits.argmax()), 0.0
        else:
            probabilities = nucleus_probabilities(logits, temperature, top_p)[0].double()
            token = int((probabilities.cumsum(0) <= float(drawn[place]) * float(probabilities.sum())).sum())
            said = float(probabilities[token].log())
        behaviour.append(said)
        plain.append(float(logits.log_softmax(-1)[0, token]))
        ids.append(token)
        if token in stop_ids:
            return ids[len(prompt) :], behaviour, plain, "eos"
    return ids[len(prompt) :], behaviour, plain, "context" if len(ids) == context and most > context - len(prompt) else "length"
