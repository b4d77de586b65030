"""Weights and an optimiser's memory as safetensors, and back, to the bit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import torch
from safetensors.torch import load, save

from conformed.errors import GivenValueError

__all__ = ["load_optimiser", "load_weights", "optimiser_bytes", "weights_bytes", "weights_digest"]


def weights_bytes(model: Any) -> bytes:
    """A model's parameters by name, tied ones once."""
    return save({name: one.detach().cpu().contiguous() for name, one in model.named_parameters()})


def weights_digest(model: Any) -> str:
    """SHA-256 of a model's parameters: names, types, shapes and bits."""
    return hashlib.sha256(weights_bytes(model)).hexdigest()


def load_weights(model: Any, data: bytes) -> None:
    """Writes parameters into a model, in place: who shares its memory sees them.

    Args:
        model: of the same architecture.
        data: as ``weights_bytes`` gave it.

    Raises:
        GivenValueError: for other names, shapes or types than the model has.
    """
    _fill(dict(model.named_parameters()), load(data), "weights")


def optimiser_bytes(model: Any, optimiser: torch.optim.Optimizer) -> bytes:
    """What an optimiser remembers of each parameter, as ``PARAMETER|NAME``."""
    found = {}
    for name, parameter in model.named_parameters():
        for key, value in optimiser.state.get(parameter, {}).items():
            found[f"{name}|{key}"] = torch.as_tensor(value).detach().cpu().contiguous()
    return save(found)


def load_optimiser(model: Any, optimiser: torch.optim.Optimizer, data: bytes) -> None:
    """Gives an optimiser its memory back.

    Args:
        model: whose parameters it steps.
        optimiser: of the same kind.
        data: as ``optimiser_bytes`` gave it.

    Raises:
        GivenValueError: for a parameter that the model has not, or one of another shape.
    """
    parameters = dict(model.named_parameters())
    optimiser.state.clear()
    for name, value in load(data).items():
        owner, _, key = name.rpartition("|")
        if owner not in parameters or (value.dim() and value.shape != parameters[owner].shape):
            raise GivenValueError(
                f"The optimiser remembers {owner}, and the model has no such parameter.", "Take its own checkpoint."
            )
        optimiser.state[parameters[owner]][key] = value.clone()


@torch.no_grad()  # type: ignore[untyped-decorator]
def _fill(parameters: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor], what: str) -> None:
    described = [{name: (one.shape, one.dtype) for name, one in side.items()} for side in (parameters, given)]
    if described[0] != described[1]:
        odd = sorted(name for name in parameters.keys() | given.keys() if described[0].get(name) != described[1].get(name))
        raise GivenValueError(
            f"The {what} of the checkpoint and the model's differ in {odd[0]}.", "Take the model it was made of."
        )
    for name, parameter in parameters.items():
        parameter.copy_(given[name])
