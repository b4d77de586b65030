"""Sampling: the tempered and truncated distribution, one draw from it, and the two log-probabilities of what was drawn.

The *behaviour* distribution is what was drawn from: tempered, truncated to its nucleus, kept to a grammar. The *model*
distribution is the plain softmax. They agree only at temperature 1 and top-p 1 without a grammar, and no function here gives
one for the other. Greedy is a branch of its own, and no limit of a small temperature.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from conformed.errors import GivenTypeError, GivenValueError

__all__ = ["REACHED", "Choice", "check_settings", "choose", "draw", "nucleus_probabilities", "uniforms"]

REACHED = 1e-7
"""Cumulative mass this close below top-p has reached it: three probabilities of 0.5, 0.3 and 0.1 keep two at 0.8, however the
last bit of 0.5 + 0.3 was rounded."""

_BLOCK = 64
_LIKELY = 256


class Choice(NamedTuple):
    """One chosen token a row."""

    tokens: torch.Tensor
    """Token ids, int64, shape [batch]."""
    behaviour_logprobs: torch.Tensor
    """Natural logarithm of its probability under the distribution drawn from, float32, [batch]; 0 where greedy."""
    model_logprobs: torch.Tensor
    """The same under the plain softmax of the model, [batch]."""


def nucleus_probabilities(logits: torch.Tensor, temperature: float = 1.0, top_p: float = 1.0) -> torch.Tensor:
    """The tempered distribution, truncated to the smallest set of most probable tokens whose mass reaches top-p, renormalised.

    The token that crosses top-p belongs to the set. Of tokens that are equally probable the lower id comes first. At top-p 1
    nothing is cut.

    Args:
        logits: [batch, vocabulary], floating.
        temperature: divisor of the logits, above 0.
        top_p: mass to keep, above 0 and at most 1.

    Returns:
        Probabilities, [batch, vocabulary], float32 (float64 for float64 logits); 0 outside the set.

    Raises:
        ValueError: for a temperature or top-p out of range, an empty batch or vocabulary, another shape, and a logit that is not
            finite, before or after scaling.
    """
    check_settings(temperature, top_p)
    _check(logits)
    return _probabilities(logits, float(temperature), float(top_p), None)


def choose(
    logits: torch.Tensor,
    uniform: torch.Tensor | None,
    *,
    temperature: float | None,
    top_p: float = 1.0,
    allowed: torch.Tensor | None = None,
) -> Choice:
    """Chooses one token a row, greedily without a temperature and by inverse CDF with one.

    Args:
        logits: [batch, vocabulary], floating.
        uniform: [batch], float32, each in [0, 1); not looked at where greedy.
        temperature: as in ``nucleus_probabilities``; None is greedy: the most probable token, the lowest id of equal ones.
        top_p: as in ``nucleus_probabilities``.
        allowed: [batch, vocabulary], True where a grammar allows the token; the model's log-probabilities are without it.

    Raises:
        ValueError: as in ``nucleus_probabilities``, and for a row that the grammar leaves no token.
    """
    check_settings(1.0 if temperature is None else temperature, top_p)
    _check(logits)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if allowed is not None and not bool(allowed.any(-1).all()):
        raise GivenValueError("The grammar leaves a row without a token.", "Check the vocabulary that it was made for.")
    if temperature is None:
        tokens = (logits if allowed is None else logits.masked_fill(~allowed, -math.inf)).argmax(-1)
        return Choice(tokens, torch.zeros(len(tokens), device=tokens.device), _of(logits, tokens))
    if uniform is None:
        raise GivenValueError("There is no uniform number to draw with.", "Give one a row.")
    probabilities = _probabilities(logits, float(temperature), float(top_p), allowed)
    tokens = draw(probabilities, uniform)
    behaviour = probabilities.gather(-1, tokens[:, None])[:, 0].log()
    plain = temperature == 1 and top_p == 1 and allowed is None
    return Choice(tokens, behaviour, behaviour if plain else _of(logits, tokens))


def draw(probabilities: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The token at which the cumulative mass, in the order of ids, first passes ``uniform``. A token of mass 0 is never drawn.

    Args:
        probabilities: [batch, vocabulary], each row adding up to about 1.
        uniform: [batch], in [0, 1), of the same dtype.

    Returns:
        Token ids, int64, [batch].
    """
    # Two levels, because a running sum is slow beside a plain one: first the block of tokens, then the token.
    batch, size = probabilities.shape
    padded = torch.nn.functional.pad(probabilities, (0, -size % _BLOCK)) if size % _BLOCK else probabilities
    blocks = padded.view(batch, -1, _BLOCK)
    mass = blocks.sum(-1).cumsum(-1)
    wanted = uniform.to(mass.dtype)[:, None] * mass[:, -1:]  # below the whole mass, also when rounded
    block = torch.searchsorted(mass, wanted, right=True)
    before = torch.nn.functional.pad(mass, (1, 0)).gather(-1, block)
    inside = blocks.gather(1, block[:, :, None].expand(-1, -1, _BLOCK))[:, 0].cumsum(-1)
    token = torch.searchsorted(inside, wanted - before, right=True)
    # Adding in another order may leave the running sum below what is wanted: then the last token with mass.
    last = torch.searchsorted(inside, inside[:, -1:].contiguous())
    return (block * _BLOCK + torch.minimum(token, last))[:, 0]


def uniforms(seed: int, keys: Sequence[tuple[str, int]], count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """One uniform number for each row and position, a function of nothing but seed, row and position.

    Philox with a key hashed from (seed, row key, sample): no generator is shared, so that neither the batch nor the order of
    rows can change what a row draws, and a longer row begins with the numbers of a shorter one.

    Args:
        seed: any integer.
        keys: row key and number of the sample, a row.
        count: positions.

    Returns:
        [rows, count], float32, multiples of 2**-24 in [0, 1).
    """
    drawn = np.empty((len(keys), count), dtype=np.float32)
    for row, (key, sample) in enumerate(keys):
        words = f"conformed draw 1\n{seed}\n{sample}\n{key}".encode()
        philox = np.random.Philox(key=int.from_bytes(hashlib.blake2b(words, digest_size=16).digest(), "big"))
        drawn[row] = (philox.random_raw(count) >> 40) * np.float32(2.0**-24)
    return drawn


def check_settings(temperature: float, top_p: float) -> None:
    """Refuses settings of sampling that mean nothing.

    Raises:
        ValueError: for a temperature that is not a finite number above 0, or a top-p outside (0, 1].
        TypeError: for anything but numbers.
    """
    for name, value in (("temperature", temperature), ("top_p", top_p)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GivenTypeError(f"{name} is {value!r}.", "Give a number.")
    if not (math.isfinite(temperature) and temperature > 0):
        raise GivenValueError(f"temperature is {temperature}.", "Give a finite number above 0; greedy is None.")
    if not 0 < top_p <= 1:
        raise GivenValueError(f"top_p is {top_p}.", "Give a number above 0 and at most 1.")


def _check(logits: torch.Tensor) -> None:
    if logits.dim() != 2 or not logits.numel():
        raise GivenValueError(f"The logits have the shape {list(logits.shape)}.", "Give [batch, vocabulary], neither empty.")
    if not logits.is_floating_point():
        raise GivenValueError(f"The logits are {logits.dtype}.", "Give floating logits.")
    # A sum is several times cheaper than a look at each; it may overflow where no single logit does.
    if not math.isfinite(float(logits.sum())) and not bool(torch.isfinite(logits).all()):
        raise GivenValueError("A logit is not finite.", "Look at the model's weights and its input.")


def _probabilities(logits: torch.Tensor, temperature: float, top_p: float, allowed: torch.Tensor | None) -> torch.Tensor:
    scaled = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if temperature != 1:
        scaled = scaled / temperature
        if not math.isfinite(float(scaled.sum())) and not bool(torch.isfinite(scaled).all()):
            raise GivenValueError(f"A logit divided by the temperature {temperature} is not finite.", "Give a higher one.")
    if allowed is not None:
        scaled = scaled.masked_fill(~allowed, -math.inf)
    probabilities = scaled.softmax(-1)
    if top_p == 1:
        return probabilities
    kept = _kept(probabilities, top_p)
    return kept.div_(kept.sum(-1, keepdim=True))


def _kept(probabilities: torch.Tensor, top_p: float) -> torch.Tensor:
    """The probabilities with those outside the nucleus set to 0."""
    size = probabilities.shape[-1]
    if size > 2 * _LIKELY:
        # The nucleus mostly lies within the likeliest few hundred. Where it does not, or where equals stand at its edge and
        # the lower ids come first, the whole row is sorted.
        likely = probabilities.topk(_LIKELY).values
        last = _inside(likely, top_p).sum(-1, keepdim=True) - 1
        cut = probabilities >= likely.gather(-1, last)
        if bool((last < _LIKELY - 1).all()) and bool((cut.sum(-1, keepdim=True) == last + 1).all()):
            return probabilities * cut
    ordered, order = probabilities.sort(stable=True, dim=-1, descending=True)
    return torch.zeros_like(probabilities).scatter_(-1, order, ordered * _inside(ordered, top_p))


def _inside(ordered: torch.Tensor, top_p: float) -> torch.Tensor:
    """Which tokens are in the nucleus, given their probabilities in falling order. The first always is."""
    before = ordered.cumsum(-1, dtype=torch.float64) - ordered
    inside = before < top_p - REACHED
    inside[:, 0] = True
    return inside


def _of(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return logits.log_softmax(-1).gather(-1, tokens[:, None])[:, 0]
