"""The cache of keys and values: allocated once. Samples of one prompt share its keys and values; a row's own come after them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from conformed_plugins.backends.decoder.packed import Packed

__all__ = ["COLUMNS", "ROWS", "Cache", "Pair", "View"]

COLUMNS = 16
"""The columns of prompts come in multiples of this: a vector of the widest CPU, so that empty columns change no sum."""
ROWS = 4
"""Rows of a product come in multiples of this: fewer than 4, on one thread or on each of two, go to kernels that round otherwise."""


class View(NamedTuple):
    """One layer's part of the cache at one step."""

    key_place: torch.Tensor
    """[kv_heads, rows, head_dim]: where the keys of the new tokens go."""
    value_place: torch.Tensor
    """The same for their values."""
    keys: torch.Tensor
    """[kv_heads x rows, head_dim, columns] of the rows themselves, a prompt's among them where no prompt is shared. Keys that stand apart
    from their prompt's have columns in a multiple of 16, of which the last may be empty."""
    values: torch.Tensor
    """[kv_heads x rows, new tokens, head_dim]."""
    prompt_keys: torch.Tensor
    """[kv_heads x prompts, head_dim, columns of prompts]."""
    prompt_values: torch.Tensor
    """[kv_heads x prompts, columns of prompts, head_dim]."""


class Pair(NamedTuple):
    """Keys and values of some rows, each laid out as its product wants it."""

    keys: torch.Tensor
    """[layers, kv_heads, rows, head_dim, columns]."""
    values: torch.Tensor
    """[layers, kv_heads, rows, columns, head_dim]."""

    def of(self, rows: Sequence[int]) -> Pair:
        """Those of some rows alone."""
        kept = torch.tensor(rows, device=self.keys.device)
        return Pair(self.keys.index_select(2, kept), self.values.index_select(2, kept))


class Cache:
    """Keys and values of some rows. Columns of prompts come first; the new tokens of all rows stand in the same columns after them.

    Where a prompt has one row only, its columns lie in the row's own memory, so that one product reads all of them.

    Args:
        packed: the model.
        lengths: tokens of each prompt.
        members: for each row its prompt; the rows of a prompt stand together, in the order of the prompts.
        columns: most new tokens of a row.
    """

    def __init__(self, packed: Packed, lengths: Sequence[int], members: Sequence[int], columns: int) -> None:
        room, layers, width, kv_heads = packed.embedding.new_zeros, len(packed.layers), packed.head_dim, packed.kv_heads
        self.width = -(-max(lengths) // COLUMNS) * COLUMNS
        """Columns of prompts."""
        self.shared = len(members) > len(lengths)
        """Whether a prompt has several rows."""
        before = 0 if self.shared else self.width
        columns = before + -(-columns // COLUMNS) * COLUMNS
        self._own = Pair(
            room(layers, kv_heads, len(members), width, columns), room(layers, kv_heads, len(members), columns, width)
        )
        self._of_prompts = self._own
        """Of prompts; the rows' own where nothing is shared."""
        if self.shared:
            self._of_prompts = Pair(
                room(layers, kv_heads, len(lengths), width, self.width), room(layers, kv_heads, len(lengths), self.width, width)
            )
        self.angles = packed.angles(max(lengths) + columns - before)
        """Rotations by position."""
        self._before = before
        self._lengths, self._members = list(lengths), list(members)
        self.steps = 0
        """New tokens so far of every row."""
        self._look()

    @property
    def rows(self) -> int:
        """Rows in use."""
        return len(self._members)

    @property
    def bytes(self) -> int:
        """Bytes of keys and values."""
        pairs = (self._own, self._of_prompts) if self.shared else (self._own,)
        return sum(int(one.numel() * one.element_size()) for pair in pairs for one in pair)

    def fill(self, layer: int, prompts: Sequence[int], keys_values: torch.Tensor) -> None:
        """Writes the keys and values of prompts.

        Args:
            layer: which layer.
            prompts: which prompts.
            keys_values: [prompts, length, 2 x kv_heads, head_dim].
        """
        length, kv_heads, where = keys_values.shape[1], keys_values.shape[2] // 2, _span(prompts)
        self._of_prompts.keys[layer, :, where, :, :length] = keys_values[:, :, :kv_heads].permute(2, 0, 3, 1)
        self._of_prompts.values[layer, :, where, :length] = keys_values[:, :, kv_heads:].permute(2, 0, 1, 3)

    def views(self) -> Iterator[View]:
        """Each layer's part of the cache, as the next step needs it."""
        place = self._before + self.steps
        # A product of very few columns would round otherwise; beside a prompt there are never few.
        columns = -(-(place + 1) // COLUMNS) * COLUMNS if self.shared else place + 1
        return map(
            View,
            self._own.keys.select(4, place).unbind(),
            self._own.values.select(3, place).unbind(),
            self._keys.narrow(3, 0, columns).unbind(),
            self._values.narrow(2, self._before, self.steps + 1).unbind(),
            self._prompt_keys,
            self._prompt_values,
        )

    def added(self) -> None:
        """Says that each row holds one token more, in all layers."""
        self.steps += 1

    def keep(self, rows: Sequence[int]) -> None:
        """Lets all other rows go, and the prompts that no row is left of.

        Args:
            rows: rows to keep, in rising order.
        """
        members = [self._members[row] for row in rows]
        prompts = sorted(set(members))
        self._own = self._own.of(rows)
        if not self.shared:
            self._of_prompts = self._own
        elif len(prompts) < len(self._lengths):
            self._of_prompts = self._of_prompts.of(prompts)
        self._lengths = [self._lengths[prompt] for prompt in prompts]
        places = {prompt: place for place, prompt in enumerate(prompts)}
        self._members = [places[member] for member in members]
        self._look()

    def _look(self) -> None:
        """Works out what follows from which rows there are."""
        self._keys, self._values = (one.flatten(1, 2) for one in self._own)
        keys, values = self._of_prompts.keys[..., : self.width], self._of_prompts.values[:, :, :, : self.width]
        self._prompt_keys, self._prompt_values = keys.flatten(1, 2).unbind(), values.flatten(1, 2).unbind()
        counts = [self._members.count(prompt) for prompt in range(len(self._lengths))]
        device = self._own.keys.device
        self.slots = max(counts)
        """Most rows of a prompt."""
        self.places = self.slots * len(counts)
        """Places of the grid of prompts times slots."""
        slots = [row - sum(counts[:member]) + member * self.slots for row, member in enumerate(self._members)]
        self.grid = None if min(counts) == self.slots else torch.tensor(slots, device=device)
        """For each row its place in a grid of prompts times slots; None where it is filled in order."""
        lengths = [self._lengths[member] for member in self._members]
        self.even = len(set(lengths)) == 1
        """Whether all prompts are equally long."""
        padded = lengths + [lengths[0]] * (-len(lengths) % ROWS)
        self.starts = lengths[0] if self.even else torch.tensor(padded, device=device)
        """Position of the first new token of each row, rounded up to a multiple of 4 rows; one number where all are equal."""
        self.mask: torch.Tensor | None = None
        """[rows, 1, columns of prompts]: 0 where there is a token, minus infinity elsewhere; None where each column has one."""
        if min(lengths) < self.width:
            beyond = torch.arange(self.width, device=device) >= torch.tensor(lengths, device=device)[:, None]
            self.mask = torch.zeros(beyond.shape, dtype=self._own.keys.dtype, device=device).masked_fill_(beyond, -math.inf)[
                :, None
            ]


def _span(rows: Sequence[int]) -> Sequence[int] | slice:
    """Rows as a slice where they follow one another: several times quicker to write to than a list."""
    span = range(rows[0], rows[0] + len(rows))
    return slice(span.start, span.stop) if list(rows) == list(span) else rows
