"""A Qwen3's or Llama's log-probabilities of responses, from its own parameters, differentiable, each prompt run once.

Hidden states are kept only where a token is scored, from the last layer's attention on: what a prompt's other tokens would become there is
asked for by nobody. The gradient is that of the model's own forward pass on every row by itself; the tests hold it to 1e-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn.functional import embedding, linear, scaled_dot_product_attention

from conformed_plugins.backends.decoder.packed import why_not
from conformed_plugins.training.grpo.shared.functions import gated, normed, token_logprobs, turned
from conformed_plugins.training.grpo.shared.layout import Group, Layout, layout_of

__all__ = ["Scored", "plain", "score_groups"]


class Scored(NamedTuple):
    """Scored tokens of ``R`` responses, group after group."""

    logprobs: torch.Tensor
    """[R, longest response]: natural logarithm under the plain softmax; 0 outside the mask."""
    entropy: torch.Tensor
    """[R, longest response]: of each distribution, in nats, without gradient; 0 outside the mask. Empty where no gradient is asked for."""
    mask: torch.Tensor
    """[R, longest response], bool: True where there is a token."""


def plain(model: Any) -> str:
    """Why a model is run by its own forward pass, each row with its prompt; empty where the prompt is shared."""
    if model.dtype not in (torch.float32, torch.float64):
        return f"its type is {model.dtype}"
    return why_not(model)


def score_groups(model: Any, groups: Sequence[Group], *, share: bool | None = None) -> Scored:
    """Scores the responses of groups.

    Args:
        model: a causal language model of transformers, in evaluation mode.
        groups: prompts with their responses.
        share: whether the prompts are shared, which needs a model of which ``plain`` is empty; None asks it.

    Raises:
        ValueError: as ``layout_of``.
    """
    layout = layout_of(groups, model.dtype)
    logprobs, entropy = (
        _shared(model, layout) if (not plain(model) if share is None else share) else _plain(model, groups, layout)
    )
    table = logprobs.new_zeros(layout.response_mask.numel())
    entropies = entropy.new_zeros(len(table)).index_copy(0, layout.places, entropy) if len(entropy) else entropy
    shape = layout.response_mask.shape
    scored = table.index_copy(0, layout.places, logprobs).view(shape)
    return Scored(scored, entropies.view(shape) if len(entropy) else entropies, layout.response_mask)


def _shared(model: Any, layout: Layout) -> tuple[torch.Tensor, torch.Tensor]:
    body, config = model.model, model.config
    epsilon = config.rms_norm_eps
    hidden = embedding(layout.tokens, body.embed_tokens.weight)
    angles = _angles(model, layout)
    for number, layer in enumerate(body.layers):
        seen = _attention(layer, layout, hidden, angles, epsilon)
        if number == len(body.layers) - 1:
            hidden, seen = hidden[layout.scoring], seen[layout.scoring]
        hidden = torch.addmm(hidden, seen, layer.self_attn.o_proj.weight.t())
        # The weight of a norm is multiplied into the product that follows it: weights are fewer than activations.
        gate_up = torch.cat((layer.mlp.gate_proj.weight, layer.mlp.up_proj.weight)) * layer.post_attention_layernorm.weight
        inner = gated(linear(normed(hidden, epsilon), gate_up))
        hidden = torch.addmm(hidden, inner, layer.mlp.down_proj.weight.t())
    return token_logprobs(normed(hidden, epsilon) * body.norm.weight, model.lm_head.weight, layout.targets)


def _attention(layer: Any, layout: Layout, hidden: torch.Tensor, angles: torch.Tensor, epsilon: float) -> torch.Tensor:
    """What each token sees, [T, heads x head_dim], before the product with the output weight."""
    own = layer.self_attn
    width = own.head_dim
    query, key = (_interleaved(one.weight, width) for one in (own.q_proj, own.k_proj))
    heads, kv_heads = len(query) // width, len(key) // width
    weight = torch.cat((query, key, own.v_proj.weight)) * layer.input_layernorm.weight
    found = linear(normed(hidden, epsilon), weight).view(len(hidden), -1, width)
    norms = None
    if hasattr(own, "q_norm"):
        of_query, of_key = (_interleaved(one.weight[:, None], width).flatten() for one in (own.q_norm, own.k_norm))
        norms = torch.cat((of_query.expand(heads, -1), of_key.expand(kv_heads, -1)))
    looking = turned(found[:, : heads + kv_heads], norms, angles, epsilon)
    parts = (looking[:, :heads], looking[:, heads:], found[:, heads + kv_heads :])
    gqa = heads != kv_heads
    # Prompts look at themselves: [P, heads, longest, head_dim]. Padding stands on the right, where nothing looks at it.
    query, key, value = (_rows(layout, one, of_prompts=True) for one in parts)
    seen = scaled_dot_product_attention(query, key, value, is_causal=True, scale=own.scaling, enable_gqa=gqa)
    seen = seen.transpose(1, 2).reshape(-1, heads * width)
    if layout.responses.numel():
        # Responses look at their prompt and themselves: [R, heads, longest - 1, head_dim].
        asked, *rest = (_rows(layout, one, of_prompts=False) for one in parts)
        keys, values = (
            torch.cat((of_prompt[layout.prompt_of], of_own), 2) for of_prompt, of_own in zip((key, value), rest, strict=True)
        )
        answered = scaled_dot_product_attention(asked, keys, values, attn_mask=layout.mask, scale=own.scaling, enable_gqa=gqa)
        seen = torch.cat((seen, answered.transpose(1, 2).reshape(-1, heads * width)))
    return seen if layout.even else seen[layout.unpadded]


def _rows(layout: Layout, heads: torch.Tensor, *, of_prompts: bool) -> torch.Tensor:
    """Heads of the flat row as rows, padded on the right: [rows, heads, longest, head_dim]."""
    places = layout.prompts if of_prompts else layout.responses
    if not layout.even:
        return heads[places].transpose(1, 2)
    cut = layout.prompts.numel()
    part = heads[:cut] if of_prompts else heads[cut:]
    return part.unflatten(0, places.shape).transpose(1, 2)


def _interleaved(weight: torch.Tensor, width: int) -> torch.Tensor:
    """Rows of a weight with the halves of each head interleaved: no dot product of a query with a key changes by it."""
    return weight.view(-1, 2, width // 2, weight.shape[-1]).transpose(1, 2).reshape(weight.shape)


def _angles(model: Any, layout: Layout) -> torch.Tensor:
    """Rotations of tokens by their positions, complex, [T, 1, head_dim / 2]."""
    cosine, sine = model.model.rotary_emb(torch.zeros(1, dtype=model.dtype), layout.positions[None])
    half = cosine.shape[-1] // 2
    return torch.complex(cosine[0, :, :half], sine[0, :, :half])[:, None]


def _plain(model: Any, groups: Sequence[Group], layout: Layout) -> tuple[torch.Tensor, torch.Tensor]:
    """The model's own forward pass over rows of prompt and response, padded on the right."""
    rows = [(*one.prompt, *response) for one in groups for response in one.responses]
    before = [len(one.prompt) for one in groups for _ in one.responses]
    long = max(map(len, rows))
    tokens = torch.zeros(len(rows), long, dtype=torch.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = torch.tensor(row)
    lengths = torch.tensor([len(row) for row in rows])[:, None]
    there, columns = torch.arange(long)[None] < lengths, torch.arange(long)[None].expand(len(rows), -1)
    device = model.device
    hidden = model.base_model(
        tokens.to(device), attention_mask=there.long().to(device), position_ids=columns.to(device), use_cache=False
    ).last_hidden_state
    scored = torch.cat(
        [
            torch.arange(len(row) - start) + number * long + start - 1
            for number, (row, start) in enumerate(zip(rows, before, strict=True))
        ]
    )
    chosen = hidden.flatten(0, 1)[scored.to(device)]
    logits = model.get_output_embeddings()(chosen)
    logprobs = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    entropy = logprobs.new_empty(0)
    if torch.is_grad_enabled():
        with torch.no_grad():
            entropy = torch.linalg.vecdot(logprobs.exp(), logprobs).neg_()
    return logprobs.gather(-1, layout.targets.to(device)[:, None])[:, 0], entropy
