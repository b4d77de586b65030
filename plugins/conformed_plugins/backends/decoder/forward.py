"""The forward pass over packed weights.

The rows of a product come in multiples of 4, the columns of prompts in multiples of 16, sums over columns are taken 192 at a time, and
those over a prompt apart from those over the new tokens. Together these make a row's numbers the same, to the bit, whatever batch it rides
in, with the CPU kernels of torch on one thread and on two; the tests of the decoder hold it to that.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn.functional import linear, pad, scaled_dot_product_attention, silu

from conformed_plugins.backends.decoder.cache import ROWS, Cache, View
from conformed_plugins.backends.decoder.packed import Layer, Packed

__all__ = ["prefill", "step"]

_LEAST_TOKENS = 16
_STRETCH = 192
"""Columns added up by one product: above it a kernel may cut the sum in two, elsewhere for another width."""


def prefill(packed: Packed, cache: Cache, tokens: torch.Tensor, places: Sequence[int]) -> torch.Tensor:
    """Runs prompts of one length and keeps their keys and values.

    Args:
        packed: the model.
        cache: where they are kept.
        tokens: [prompts, length], int64.
        places: which prompt of the cache each of them is.

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
        cache.fill(number, places, heads[:prompts, :, packed.heads :])
        query, key, value = heads.transpose(1, 2).split((packed.heads, packed.kv_heads, packed.kv_heads), 1)
        if number == len(packed.layers) - 1:  # nothing comes after it that would need the other tokens
            lasts = hidden.unflatten(0, (-1, length))[:, -1], _last_seen(packed, query[:, :, -1], key, value)
            hidden = _rest(packed, layer, *(pad(one, (0, 0, 0, -len(one) % ROWS)) for one in lasts))
        else:
            seen = scaled_dot_product_attention(
                query, key, value, is_causal=length > 1, scale=packed.scale, enable_gqa=group > 1
            ).transpose(1, 2)
            hidden = _rest(packed, layer, hidden, seen.reshape(len(hidden), -1))
    return _logits(packed, hidden)[:prompts]


def _last_seen(packed: Packed, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """What the last token of each prompt sees, [prompts, heads x head_dim].

    Args:
        packed: the model.
        query: [prompts, heads, head_dim].
        key: [prompts, kv_heads, length, head_dim].
        value: the same.
    """
    group = packed.heads // packed.kv_heads
    asked = (query * packed.scale).unflatten(1, (packed.kv_heads, group))
    asked = pad(asked, (0, 0, 0, -group % ROWS)).flatten(0, 1)
    scores = torch.bmm(asked, key.flatten(0, 1).transpose(1, 2))
    weights = _exact(scores).softmax(-1).to(scores.dtype)
    found = _added_up(weights, value.flatten(0, 1))
    return found.unflatten(0, (-1, packed.kv_heads))[:, :, :group].flatten(1)


def step(packed: Packed, cache: Cache, tokens: torch.Tensor) -> torch.Tensor:
    """Runs one token of each row.

    Args:
        packed: the model.
        cache: keys and values so far; those of the tokens are added.
        tokens: [rows, rounded up to a multiple of 4], int64; what stands beyond the rows of the cache counts for nothing.

    Returns:
        Logits, [rows, vocabulary].
    """
    used, rows, width = len(tokens), cache.rows, packed.head_dim
    kv_heads, group = packed.kv_heads, packed.heads // packed.kv_heads
    places = cache.starts + cache.steps
    angles = cache.angles[places] if cache.even else cache.angles[places, None]
    hidden = packed.embedding.index_select(0, tokens)
    # Queries that share a head of keys are the rows of one product, filled up with zeros.
    queries = hidden.new_zeros(kv_heads, rows, -(-group // ROWS) * ROWS, width)
    query = queries[:, :, :group]
    seen = hidden.new_zeros(used, packed.heads * width)
    place = seen[:rows].view(rows, kv_heads, group, width).transpose(0, 1)
    for layer, view in zip(packed.layers, cache.views(), strict=True):
        asked, key, value = _project(packed, layer, hidden, angles)[:rows].split((packed.heads, kv_heads, kv_heads), 1)
        view.key_place.copy_(key.transpose(0, 1))
        view.value_place.copy_(value.transpose(0, 1))
        torch.mul(asked.view(rows, kv_heads, group, width).transpose(0, 1), packed.scale, out=query)
        place.copy_(_attended(cache, view, queries)[:, :, :group])
        hidden = _rest(packed, layer, hidden, seen)
    cache.added()
    return _logits(packed, hidden)[:rows]


def _attended(cache: Cache, view: View, queries: torch.Tensor) -> torch.Tensor:
    """What queries see of a layer: [kv_heads, rows, queries, head_dim], as they are themselves."""
    scores, columns = torch.bmm(queries.flatten(0, 1), view.keys), (cache.width, view.values.shape[1])
    if cache.shared:
        asked = _in_grid(cache, queries).view(len(view.prompt_keys), -1, queries.shape[-1])
        of_prompts = _by_row(cache, torch.bmm(asked, view.prompt_keys), queries.shape)
        scores = torch.cat((of_prompts.view(len(scores), -1, columns[0]), scores[..., : columns[1]]), -1)
    if cache.mask is not None:
        scores.view(*queries.shape[:3], -1)[..., : columns[0]].add_(cache.mask)
    before, after = _exact(scores).softmax(-1).to(scores.dtype).split(columns, -1)
    if cache.shared:
        before = _in_grid(cache, before.view(*queries.shape[:3], -1)).view(len(view.prompt_keys), -1, columns[0])
        found = _by_row(cache, _added_up(before, view.prompt_values), queries.shape).flatten(0, 1)
    else:
        found = _added_up(before, view.prompt_values)
    return _added_up(after, view.values, found).view(queries.shape)


def _in_grid(cache: Cache, rows: torch.Tensor) -> torch.Tensor:
    """Rows, [kv_heads, rows, ...], in the grid of prompts times slots, whose empty places are zero: [kv_heads, places, ...]."""
    if cache.grid is None:
        return rows
    return rows.new_zeros(rows.shape[0], cache.places, *rows.shape[2:]).index_copy_(1, cache.grid, rows)


def _by_row(cache: Cache, found: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """The way back from the grid: [kv_heads, rows, queries, ...]."""
    found = found.view(shape[0], -1, shape[2], found.shape[-1])
    return found if cache.grid is None else found.index_select(1, cache.grid)


def _added_up(weights: torch.Tensor, values: torch.Tensor, found: torch.Tensor | None = None) -> torch.Tensor:
    """Adds values, weighed, to what was found before: [heads, queries, columns] and [heads, columns, head_dim]."""
    columns = weights.shape[-1]
    if columns <= _STRETCH:
        return torch.bmm(weights, values) if found is None else found.baddbmm_(weights, values)
    for some in zip(weights.split(_STRETCH, -1), values.split(_STRETCH, 1), strict=True):
        found = torch.bmm(*some) if found is None else found.baddbmm_(*some)
    assert found is not None
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
