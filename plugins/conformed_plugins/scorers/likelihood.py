"""Log-probability of responses from a model's logits, without a second copy of them.

The logit at position t - 1 scores the token at t. What comes out is how likely the model was to say this, and no confidence
that it is right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from conformed.errors import GivenValueError

__all__ = ["SequenceLogprobs", "length_penalised", "sequence_logprobs", "terminal_logprobs", "token_logprobs"]

_CELLS = {"cpu": 1 << 22}
_CELLS_ELSEWHERE = 1 << 26
"""Logits worked on at a time, so that the float32 work space stays small beside the logits themselves."""


class SequenceLogprobs(NamedTuple):
    """Scores of a batch, one a row. Natural logarithms."""

    sum_logprob: torch.Tensor
    """Sum over the scored tokens, float32 (float64 for float64 logits), shape [batch]. Falls with length."""
    mean_logprob: torch.Tensor
    """The sum divided by the number of tokens."""
    token_count: torch.Tensor
    """Scored tokens, int64."""


def sequence_logprobs(logits: torch.Tensor, input_ids: torch.Tensor, response_mask: torch.Tensor) -> SequenceLogprobs:
    """Sum and mean log-probability of each row's response.

    Values at positions that score nothing (prompt, padding) change nothing, be they NaN, forward or backward. The gradient
    flows into ``logits``; it is not differentiable twice.

    Args:
        logits: [batch, sequence, vocabulary], floating; read in place.
        input_ids: [batch, sequence], integers. Ids outside the mask may be anything.
        response_mask: [batch, sequence], True or 1 where the token belongs to the response.

    Raises:
        ValueError: for shapes or types that do not fit, a sequence shorter than 2, a response token at position 0, a row
            without one, a scored id outside the vocabulary, or a scored logit that is not finite.
    """
    mask = _mask("response_mask", response_mask)
    _check(logits, input_ids, mask)
    return _reduced(_token_logprobs(logits, input_ids, mask), mask)


def token_logprobs(logits: torch.Tensor, input_ids: torch.Tensor, response_mask: torch.Tensor) -> torch.Tensor:
    """Log-probability of every response token, [batch, sequence - 1]: place t - 1 is of token t, 0 outside the response.

    Args:
        logits: as in ``sequence_logprobs``.
        input_ids: as in ``sequence_logprobs``.
        response_mask: as in ``sequence_logprobs``.

    Raises:
        ValueError: as in ``sequence_logprobs``.
    """
    mask = _mask("response_mask", response_mask)
    _check(logits, input_ids, mask)
    return _token_logprobs(logits, input_ids, mask)


def terminal_logprobs(
    logits: torch.Tensor, input_ids: torch.Tensor, response_mask: torch.Tensor, terminal_mask: torch.Tensor
) -> SequenceLogprobs:
    """The same for the final field alone: the tokens of the answer, without the working before it.

    Args:
        logits: as in ``sequence_logprobs``.
        input_ids: as in ``sequence_logprobs``.
        response_mask: as in ``sequence_logprobs``.
        terminal_mask: [batch, sequence], True or 1 for the tokens of the final field; part of the response.

    Raises:
        ValueError: as in ``sequence_logprobs``, or when the field has a token outside the response.
    """
    response, terminal = _mask("response_mask", response_mask), _mask("terminal_mask", terminal_mask)
    _check(logits, input_ids, response)
    if terminal.shape != response.shape or bool((terminal & ~response).any()):
        raise GivenValueError("The final field has tokens outside the response.", "Mark tokens of the response.")
    _check(logits, input_ids, terminal)
    return _reduced(_token_logprobs(logits, input_ids, terminal), terminal)


def length_penalised(scores: SequenceLogprobs, alpha: float) -> torch.Tensor:
    """Sum divided by ((5 + tokens) / 6) ** alpha: Y. Wu et al., "Google's Neural Machine Translation System" (2016), eq. 14.

    Args:
        scores: of ``sequence_logprobs``; report its ``token_count`` beside the result.
        alpha: from 0, which is the plain sum, to 1.

    Raises:
        ValueError: when alpha is outside 0 to 1.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 <= alpha <= 1:
        raise GivenValueError(f"alpha is {alpha!r}.", "Give a number from 0 to 1.")
    return scores.sum_logprob / ((5 + scores.token_count) / 6) ** alpha


def _mask(name: str, given: Any) -> torch.Tensor:
    if not isinstance(given, torch.Tensor) or given.dim() != 2:
        raise GivenValueError(f"{name} is no tensor of [batch, sequence].", "Give one value a token.")
    if given.dtype == torch.bool:
        return given
    if not bool(((given == 0) | (given == 1)).all()):
        raise GivenValueError(f"{name} holds something other than 0 and 1.", "Give True or 1 for the tokens that count.")
    return given == 1


def _check(logits: Any, input_ids: Any, mask: torch.Tensor) -> None:
    if not (isinstance(logits, torch.Tensor) and logits.dim() == 3 and logits.is_floating_point()):
        raise GivenValueError("logits is no floating tensor of [batch, sequence, vocabulary].", "Give the model's logits.")
    integers = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
    if not (isinstance(input_ids, torch.Tensor) and input_ids.dim() == 2 and input_ids.dtype in integers):
        raise GivenValueError("input_ids is no integer tensor of [batch, sequence].", "Give the token ids.")
    if not logits.shape[:2] == input_ids.shape == mask.shape:
        shapes = ", ".join(str(tuple(one.shape)) for one in (logits, input_ids, mask))
        raise GivenValueError(f"The shapes do not fit each other: {shapes}.", "Give the same batch and sequence to all three.")
    if input_ids.shape[1] < 2:
        raise GivenValueError("The sequence has fewer than 2 positions.", "The first token has nothing that scores it.")
    if bool(mask[:, 0].any()):
        raise GivenValueError("A response token stands at position 0.", "Nothing before it scores it: begin with a prompt.")
    if not bool(mask.any(dim=1).all()):
        raise GivenValueError("A row has no response token.", "Leave the row out.")
    scored = input_ids[mask]
    if bool(((scored < 0) | (scored >= logits.shape[2])).any()):
        raise GivenValueError(f"A scored id lies outside the vocabulary of {logits.shape[2]}.", "Use the model's own tokenizer.")


def _reduced(tokens: torch.Tensor, mask: torch.Tensor) -> SequenceLogprobs:
    count = mask.sum(dim=1)
    total = tokens.sum(dim=1)
    return SequenceLogprobs(total, total / count, count)


def _token_logprobs(logits: torch.Tensor, input_ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    rows, places = mask[:, 1:].nonzero(as_tuple=True)
    values = _Picked.apply(logits, rows, places, input_ids[rows, places + 1].long())
    # Written into zeros, not multiplied by the mask: nothing that is not scored can reach the sum.
    return values.new_zeros(mask.shape[0], mask.shape[1] - 1).index_put((rows, places), values)


class _Picked(torch.autograd.Function):  # type: ignore[misc]
    """log softmax at the scored positions, a few at a time; of the logits it keeps a reference, no copy."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        kind = torch.float64 if logits.dtype == torch.float64 else torch.float32
        normal = torch.empty(len(rows), dtype=kind, device=logits.device)
        values = torch.empty_like(normal)
        finite = torch.ones((), dtype=torch.bool, device=logits.device)
        for part in _parts(logits, len(rows)):
            piece = logits[rows[part], places[part]].to(kind)
            finite &= piece.isfinite().all()
            normal[part] = piece.logsumexp(dim=1)
            values[part] = piece.gather(1, ids[part].unsqueeze(1)).squeeze(1) - normal[part]
        if not bool(finite):
            raise GivenValueError("A scored logit is not finite.", "Find where the model overflowed: such a score means nothing.")
        ctx.save_for_backward(logits, rows, places, ids, normal)
        return values

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *given: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        logits, rows, places, ids, normal = ctx.saved_tensors
        (above,) = given
        grown = torch.zeros_like(logits)
        for part in _parts(logits, len(rows)):
            weight = above[part].unsqueeze(1)
            piece = logits[rows[part], places[part]].to(normal.dtype).sub_(normal[part].unsqueeze(1)).exp_().mul_(-weight)
            piece.scatter_add_(1, ids[part].unsqueeze(1), weight)
            grown[rows[part], places[part]] = piece.to(logits.dtype)
        return grown, None, None, None


def _parts(logits: torch.Tensor, scored: int) -> list[slice]:
    step = max(1, _CELLS.get(logits.device.type, _CELLS_ELSEWHERE) // logits.shape[2])
    return [slice(first, first + step) for first in range(0, scored, step)]
