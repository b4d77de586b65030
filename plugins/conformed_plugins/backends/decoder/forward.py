"""The forward pass over packed weights.

The rows of a product come in multiples of 4, the columns of the cache in multiples of 16, and sums over the cache are taken 192 columns
at a time. Together these make a row's numbers the same, to the bit, whatever batch it rides in, with the CPU kernels of torch on one thread
and on two; the tests of the decoder hold it to that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch.nn.functional import linear, pad, scaled_dot_product_attention, silu

from conformed_plugins.backends.decoder.cache import COLUMNS, ROWS, Cache
from conformed_plugins.backends.decoder.packed import Layer, Packed

__all__ = ["prefill", "step"]

_LEAST_TOKENS = 16
_STRETCH = 192
"""Columns added up by one product: above it a kernel may cut the sum in two, elsewhere for another width."""


def prefill(packed: Packed, cache: Cache, tokens: torch.Tensor, rows: Sequence[int]) -> torch.Tensor:
    """Runs prompts of one length and keeps their keys and values.

    Args:
        packed: the model.
        cache: where they are kept.
        tokens: [prompts, length], int64.
        rows: a row of the cache for each prompt.

    Returns:
        Logits after the last token, [prompts, vocabulary].
    """
    prompts, length = tokens.shape
    copies = -(-_LEAST_TOKENS // tokens.numel())  # of very short prompts: longer ones need no filling up to a multiple of 4
    hidden = packed.embedding[tokens.repeat(copies, 1).flatten()]
    angles = cache.angles[:length].repeat(copies * prompts, 1)[:, None]
    group = packed.heads // packed.kv_heads
    for number, layer in enumerate(packed.layers):
        heads = _project(packed, layer, hidden, angles).unflatten(0, (-1, length))
        cache.fill(number, rows, heads[:prompts, :, packed.heads :])
        query, key, value = heads.transpose(1, 2).split((packed.heads, packed.kv_heads, packed.kv_heads), 1)
        seen = scaled_dot_product_attention(
            query, key, value, is_causal=length > 1, scale=packed.scale, enable_gqa=group > 1
        ).transpose(1, 2)
        if number < len(packed.layers) - 1:
            hidden = _rest(packed, layer, hidden, seen.reshape(len(hidden), -1))
        else:  # nothing comes after it that would need the other tokens
            lasts = hidden.unflatten(0, (-1, length))[:, -1], seen[:, -1].flatten(1)
            hidden = _rest(packed, layer, *(pad(one, (0, 0, 0, -len(one) % ROWS)) for one in lasts))
    cache.filled(rows, length)
    return _logits(packed, hidden)[:prompts]


def step(packed: Packed, cache: Cache, tokens: torch.Tensor, rows: int) -> torch.Tensor:
    """Runs one token of each of the first rows.

    Args:
        packed: the model.
        cache: keys and values so far; those of the tokens are added.
        tokens: [rows, rounded up to a multiple of 4], int64; what stands beyond ``rows`` counts for nothing.
        rows: rows in use, from the first.

    Returns:
        Logits, [rows, vocabulary].
    """
    used, length, width = len(tokens), cache.longest, packed.head_dim
    kv_heads, group = packed.kv_heads, packed.heads // packed.kv_heads
    columns = (length // COLUMNS + 1) * COLUMNS
    if not cache.even:
        cache.mask[:used, 0].scatter_(1, cache.lengths[:used, None], 0)
        mask = cache.mask[:rows, :, :columns]
    angles = cache.angles[length] if cache.even else cache.angles[cache.lengths[:used], None]
    hidden = packed.embedding[tokens]
    # Queries that share a head of keys are the rows of one product, filled up with zeros.
    queries = hidden.new_zeros(rows, kv_heads, -(-group // ROWS) * ROWS, width)
    query, product = queries[:, :, :group], queries.flatten(0, 1)
    seen = hidden.new_zeros(used, packed.heads * width)
    place = seen[:rows].view(rows, kv_heads, group, width)
    for number, (layer, (keys, values)) in enumerate(zip(packed.layers, cache.seen(rows, columns), strict=True)):
        asked, kept = _project(packed, layer, hidden, angles).tensor_split((packed.heads,), 1)
        cache.add(number, used, kept)
        torch.mul(asked[:rows].view(query.shape), packed.scale, out=query)
        scores = torch.bmm(product, keys)
        if not cache.even:
            scores.view(rows, -1, columns).add_(mask)
        elif length + 1 < columns:
            scores.narrow(2, length + 1, columns - length - 1).fill_(-math.inf)
        place.copy_(_weighed(scores, values).view(queries.shape)[:, :, :group])
        hidden = _rest(packed, layer, hidden, seen)
    cache.added(rows)
    return _logits(packed, hidden)[:rows]


def _weighed(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Values weighed by the softmax of scores: [heads, queries, columns] and [heads, columns, head_dim]."""
    weights = _exact(scores).softmax(-1).to(scores.dtype)
    columns = weights.shape[-1]
    if columns <= _STRETCH:
        return torch.bmm(weights, values)
    found = torch.bmm(weights[..., :_STRETCH], values[:, :_STRETCH])
    for start in range(_STRETCH, columns, _STRETCH):
        found.baddbmm_(weights[..., start : start + _STRETCH], values[:, start : start + _STRETCH])
    return found


def _project(packed: Packed, layer: Layer, hidden: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Queries, keys and values of tokens, normed and turned: [tokens, heads + 2 x kv_heads, head_dim]."""
    normed = _normed(packed, hidden, layer.norms[0] if layer.norms else None)
    heads = linear(normed, layer.qkv).view(len(hidden), -1, packed.head_dim)
    turned = heads[:, : packed.heads + packed.kv_heads]
    work = _exact(turned)
    if layer.head_norm is not None:
        work.div_(_length(work, packed.head_floor)).mul_(layer.head_norm)
    work.view(packed.pair).mul_(angles)
    if work is not turned:
        turned.copy_(work)
    return heads


def _rest(packed: Packed, layer: Layer, hidden: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """The rest of a layer after its attention."""
    hidden = torch.addmm(hidden, seen, layer.o)
    normed = _normed(packed, hidden, layer.norms[1] if layer.norms else None)
    gate, up = linear(normed, layer.gate_up).chunk(2, -1)
    return torch.addmm(hidden, silu(gate, inplace=True).mul_(up), layer.down)


def _logits(packed: Packed, hidden: torch.Tensor) -> torch.Tensor:
    return linear(_normed(packed, hidden, packed.norm), packed.head)


def _normed(packed: Packed, hidden: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    work = _exact(hidden)
    normed = work / _length(work, packed.floor)
    if weight is not None:
        normed.mul_(weight)
    return normed if work is hidden else normed.to(hidden.dtype)


def _length(vectors: torch.Tensor, floor: torch.Tensor) -> torch.Tensor:
    """Length of vectors with the norm's epsilon in it: root mean square times the root of the size."""
    return torch.linalg.vector_norm(vectors, dim=-1, keepdim=True).hypot_(floor)


def _exact(values: torch.Tensor) -> torch.Tensor:
    """Values in float32 where their type is shorter; else as they are, the same memory."""
    return values.float() if values.element_size() < 4 else values
