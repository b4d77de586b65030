"""The cache of keys and values: allocated once, never moved, a row's token number i in column i whatever the other rows' lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from conformed_plugins.backends.decoder.packed import Packed

__all__ = ["COLUMNS", "ROWS", "Cache"]

COLUMNS = 16
"""Columns are looked at in multiples of this: a vector of the widest CPU, so that empty columns change no sum."""
ROWS = 4
"""Rows of a product come in multiples of this: fewer than 4, on one thread or on each of two, go to kernels that round otherwise."""


class Cache:
    """Keys and values of some rows.

    Args:
        packed: the model.
        rows: rows; rounded up to a multiple of 4.
        columns: most tokens of a row, prompt and answer; rounded up to a multiple of 16.
    """

    def __init__(self, packed: Packed, rows: int, columns: int) -> None:
        rows, columns = -(-rows // ROWS) * ROWS, -(-columns // COLUMNS) * COLUMNS
        layers, kv_heads, width = len(packed.layers), packed.kv_heads, packed.head_dim
        room = packed.embedding.new_zeros
        self.keys = room(layers, rows, kv_heads, width, columns)
        """[layers, rows, kv_heads, head_dim, columns]: as the product with queries wants them."""
        self.values = room(layers, rows, kv_heads, columns, width)
        """[layers, rows, kv_heads, columns, head_dim]."""
        self.mask = torch.full((rows, 1, columns), -math.inf, dtype=packed.dtype, device=packed.device)
        """[rows, 1, columns]: 0 where there is a token, minus infinity elsewhere. Not kept up while all rows are equally long."""
        self.lengths = torch.zeros(rows, dtype=torch.int64, device=packed.device)
        """Tokens of each row."""
        self.angles = packed.angles(columns)
        """Rotations by position."""
        self._layers = list(zip(self.keys.unbind(), self.values.unbind(), strict=True))
        self._seen: tuple[int, int, list[tuple[torch.Tensor, torch.Tensor]]] = (0, 0, [])
        self.longest = 0
        """Tokens of the longest row."""
        self.even = True
        """Whether all rows are equally long."""

    @property
    def bytes(self) -> int:
        """Bytes of keys and values."""
        return int((self.keys.numel() + self.values.numel()) * self.keys.element_size())

    def fill(self, layer: int, rows: Sequence[int], keys_values: torch.Tensor) -> None:
        """Writes the keys and values of prompts.

        Args:
            layer: which layer.
            rows: a row for each prompt.
            keys_values: [prompts, length, 2 x kv_heads, head_dim].
        """
        length, kv_heads = keys_values.shape[1], self.keys.shape[2]
        where = _span(rows)
        self.keys[layer, where, :, :, :length] = keys_values[:, :, :kv_heads].permute(0, 2, 3, 1)
        self.values[layer, where, :, :length] = keys_values[:, :, kv_heads:].transpose(1, 2)

    def filled(self, rows: Sequence[int], length: int) -> None:
        """Says that rows hold ``length`` tokens, in all layers."""
        self.lengths[rows] = length
        self.mask[rows, :, :length] = 0
        self.even = self.even and self.longest in (0, length)
        self.longest = max(self.longest, length)

    def copy(self, source: int, targets: Sequence[int], length: int) -> None:
        """Copies a row's first ``length`` tokens to other rows."""
        where = _span(targets)
        self.keys[:, where, :, :, :length] = self.keys[:, source, None, :, :, :length]
        self.values[:, where, :, :length] = self.values[:, source, None, :, :length]
        self.filled(targets, length)

    def add(self, layer: int, rows: int, keys_values: torch.Tensor) -> None:
        """Writes the next token of each of the first rows; ``keys_values`` is [rows, 2 x kv_heads, head_dim]."""
        keys, values = keys_values.chunk(2, 1)
        if self.even:
            self._layers[layer][0].select(3, self.longest)[:rows].copy_(keys)
            self._layers[layer][1].select(2, self.longest)[:rows].copy_(values)
        else:
            place = self.lengths[:rows, None, None, None].expand(-1, *keys.shape[1:], -1)
            self.keys[layer, :rows].scatter_(3, place, keys[..., None])
            self.values[layer, :rows].scatter_(2, place.transpose(2, 3), values[:, :, None])

    def seen(self, rows: int, columns: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Each layer's keys, [rows x kv_heads, head_dim, columns], and values, [rows x kv_heads, columns, head_dim]: views."""
        if self._seen[:2] != (rows, columns):
            keys, values = self.keys[:, :rows, :, :, :columns].flatten(1, 2), self.values[:, :rows, :, :columns].flatten(1, 2)
            self._seen = (rows, columns, list(zip(keys.unbind(), values.unbind(), strict=True)))
        return self._seen[2]

    def added(self, rows: int) -> None:
        """Says that the first rows hold one token more, in all layers."""
        self.lengths[:rows] += 1
        self.longest += 1

    def move(self, source: int, target: int) -> None:
        """Puts a row in the place of another."""
        length = int(self.lengths[source])
        self.keys[:, target, :, :, :length] = self.keys[:, source, :, :, :length]
        self.values[:, target, :, :length] = self.values[:, source, :, :length]
        self.mask[target] = self.mask[source]
        self.lengths[target] = length

    def shorten(self, rows: int) -> None:
        """Says that only the first rows are still in use."""
        self.longest = int(self.lengths[:rows].max())


def _span(rows: Sequence[int]) -> Sequence[int] | slice:
    """Rows as a slice where they follow one another: several times quicker to write to than a list."""
    span = range(rows[0], rows[0] + len(rows))
    return slice(span.start, span.stop) if list(rows) == list(span) else rows
