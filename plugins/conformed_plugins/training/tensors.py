"""Checks of the tensors that training's arithmetic is given: shapes, masks, and numbers that are numbers."""

from __future__ import annotations

from typing import Any

import torch

from conformed.errors import GivenValueError

__all__ = ["all_finite", "floats", "mask_of", "positive"]


def all_finite(what: str, values: torch.Tensor) -> torch.Tensor:
    """Hands tensors back whose every value is finite.

    Raises:
        ValueError: for any other, before a step can be made of it.
    """
    if not bool(values.isfinite().all()):
        raise GivenValueError(
            f"{what} is not finite.", "No step was made: find where the policies came apart, or lower the rate."
        )
    return values


def floats(name: str, given: Any, *, dims: int | None = None) -> torch.Tensor:
    """Takes a tensor of real numbers, or nested lists of them.

    Args:
        name: how it is called in messages.
        given: the tensor or lists. Whole numbers become float32.
        dims: how many dimensions it must have; None where any will do.

    Raises:
        ValueError: for anything else, truth values and ``None`` included.
    """
    try:
        made = torch.as_tensor(given)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise GivenValueError(
            f"{name} is no tensor of numbers: {problem}.", "Give numbers in lists of equal length."
        ) from problem
    if made.dtype == torch.bool or made.is_complex():
        raise GivenValueError(f"{name} holds {made.dtype}, not real numbers.", "Give a floating tensor.")
    if dims is not None and made.dim() != dims:
        raise GivenValueError(f"{name} has the shape {tuple(made.shape)}.", f"Give a tensor of {dims} dimensions.")
    return made if made.is_floating_point() else made.to(torch.float32)


def mask_of(name: str, given: Any, shape: torch.Size) -> torch.Tensor:
    """Takes a mask of a shape: True or 1 where a token counts.

    Args:
        name: how it is called in messages.
        given: a bool tensor, one of zeros and ones, or nested lists of either.
        shape: the shape that it must have.

    Raises:
        ValueError: for another shape, or for anything but True, False, 1 and 0.
    """
    try:
        mask = torch.as_tensor(given)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise GivenValueError(f"{name} is no mask: {problem}.", "Give one truth value a token.") from problem
    if mask.shape != shape:
        raise GivenValueError(f"{name} has the shape {tuple(mask.shape)} beside {tuple(shape)}.", "Give one value a token.")
    if mask.dtype == torch.bool:
        return mask
    if not bool(((mask == 0) | (mask == 1)).all()):
        raise GivenValueError(f"{name} holds something other than 0 and 1.", "Give True or 1 for the tokens that count.")
    return mask == 1


def positive(name: str, value: Any, *, below: float = float("inf")) -> float:
    """Takes a finite number above 0 and below a bound.

    Args:
        name: how it is called in messages.
        value: an int or a float.
        below: the bound, not included.

    Raises:
        ValueError: for anything else, a bool included.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < below:
        bound = "" if below == float("inf") else f" and below {below:g}"
        raise GivenValueError(f"{name} is {value!r}.", f"Give a finite number above 0{bound}.")
    return float(value)
