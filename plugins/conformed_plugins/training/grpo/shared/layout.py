"""How the tokens of some groups lie in one flat row: each prompt once, then the responses, nothing padded but for attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from conformed.errors import GivenValueError

__all__ = ["Group", "Layout", "layout_of"]


@dataclass(frozen=True, slots=True)
class Group:
    """A prompt and the responses to it that are scored."""

    prompt: tuple[int, ...]
    """Token ids."""
    responses: tuple[tuple[int, ...], ...]
    """Token ids of each, without the prompt's."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is. ``T`` tokens run through the model, ``S`` tokens are scored, of ``R`` responses to ``P`` prompts."""

    tokens: torch.Tensor
    """[T], int64. The last token of a response predicts nothing, and is not run."""
    positions: torch.Tensor
    """[T], int64: a prompt's first token is 0, a response goes on after its prompt."""
    prompts: torch.Tensor
    """[P, longest prompt], int64: places in ``tokens``; padded on the right with place 0."""
    responses: torch.Tensor
    """[R, longest response - 1], int64: places in ``tokens``, padded likewise."""
    prompt_of: torch.Tensor
    """[R], int64: the prompt of each response."""
    mask: torch.Tensor
    """[R or 1, 1, longest response - 1, longest prompt + longest response - 1]: 0 where a token may look, minus infinity elsewhere."""
    even: bool
    """Whether nothing is padded, so that rows are views."""
    unpadded: torch.Tensor
    """[T], int64: the place of each token among the padded prompts followed by the padded responses."""
    scoring: torch.Tensor
    """[S], int64: the place in ``tokens`` whose hidden state predicts each scored token."""
    targets: torch.Tensor
    """[S], int64: the scored tokens."""
    places: torch.Tensor
    """[S], int64: where each belongs in the table of responses and tokens, flattened."""
    response_mask: torch.Tensor
    """[R, longest response], bool: that table's cells that are scored."""


def layout_of(groups: Sequence[Group], dtype: torch.dtype = torch.float32) -> Layout:
    """Lays groups out.

    Args:
        groups: at least one; prompts and responses have at least one token.
        dtype: of the model, for the mask.

    Raises:
        ValueError: for no group, an empty prompt or response, or a group without responses.
    """
    if not groups or any(not one.prompt or not one.responses or not all(one.responses) for one in groups):
        raise GivenValueError("A group has no prompt, no response, or an empty one.", "Give each at least one token.")
    rows = [(number, response) for number, one in enumerate(groups) for response in one.responses]
    before, after = [len(one.prompt) for one in groups], [len(response) for _, response in rows]
    long, wide = max(before), max(after)
    even = min(before) == long and min(after) == wide
    starts, run = _starts(before, 0)
    inputs, run = _starts([length - 1 for length in after], run)
    tokens = [token for one in groups for token in one.prompt] + [token for _, response in rows for token in response[:-1]]
    positions = [place for length in before for place in range(length)]
    scoring: list[int] = []
    places: list[int] = []
    for row, ((number, _), length) in enumerate(zip(rows, after, strict=True)):
        positions += range(before[number], before[number] + length - 1)
        scoring += [starts[number] + before[number] - 1, *range(inputs[row], inputs[row] + length - 1)]
        places += range(row * wide, row * wide + length)
    unpadded = [number * long + place for number, length in enumerate(before) for place in range(length)]
    unpadded += [len(before) * long + row * (wide - 1) + place for row, length in enumerate(after) for place in range(length - 1)]
    prompt_of = torch.tensor([number for number, _ in rows])
    lengths = torch.tensor(before)[prompt_of[:1] if even else prompt_of]
    return Layout(
        tokens=torch.tensor(tokens),
        positions=torch.tensor(positions),
        prompts=_padded(starts, before, long),
        responses=_padded(inputs, [length - 1 for length in after], wide - 1),
        prompt_of=prompt_of,
        mask=_mask(lengths, long, wide - 1, dtype),
        even=even,
        unpadded=torch.tensor(unpadded),
        scoring=torch.tensor(scoring),
        targets=torch.tensor([token for _, response in rows for token in response]),
        places=torch.tensor(places),
        response_mask=torch.arange(wide)[None] < torch.tensor(after)[:, None],
    )


def _starts(lengths: Sequence[int], first: int) -> tuple[list[int], int]:
    found = []
    for length in lengths:
        found.append(first)
        first += length
    return found, first


def _padded(starts: Sequence[int], lengths: Sequence[int], width: int) -> torch.Tensor:
    columns = torch.arange(width)[None]
    there = columns < torch.tensor(lengths)[:, None]
    return (torch.tensor(starts)[:, None] + columns).masked_fill(~there, 0)


def _mask(lengths: torch.Tensor, long: int, wide: int, dtype: torch.dtype) -> torch.Tensor:
    """A response looks at the whole of its prompt and at its own tokens so far."""
    prompt = (torch.arange(long)[None] < lengths[:, None])[:, None, None].expand(-1, 1, wide, -1)
    own = torch.ones(wide, wide, dtype=torch.bool).tril().expand(len(lengths), 1, -1, -1)
    return torch.zeros(len(lengths), 1, wide, long + wide, dtype=dtype).masked_fill_(~torch.cat((prompt, own), -1), -math.inf)
