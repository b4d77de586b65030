"""Random number generators of the process, as plain JSON. Training here draws from none of them; a check or a plugin might."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

__all__ = ["generators", "set_generators"]


def generators() -> dict[str, Any]:
    """States of Python's, NumPy's and torch's generators, and those of the accelerators."""
    version, numbers, gauss = random.getstate()
    legacy: Any = np.random.get_state(legacy=False)
    return {
        "python": [version, list(numbers), gauss],
        "numpy": {**legacy, "state": {**legacy["state"], "key": legacy["state"]["key"].tolist()}},
        "torch": torch.get_rng_state().numpy().tobytes().hex(),
        "accelerators": [one.numpy().tobytes().hex() for one in torch.cuda.get_rng_state_all()]
        if torch.cuda.is_available()
        else [],
    }


def set_generators(states: dict[str, Any]) -> None:
    """Puts the generators back.

    Args:
        states: as ``generators`` gave them.
    """
    version, numbers, gauss = states["python"]
    random.setstate((version, tuple(numbers), gauss))
    legacy = states["numpy"]
    np.random.set_state({**legacy, "state": {**legacy["state"], "key": np.array(legacy["state"]["key"], dtype=np.uint32)}})
    torch.set_rng_state(_bytes(states["torch"]))
    if torch.cuda.is_available() and states["accelerators"]:
        torch.cuda.set_rng_state_all([_bytes(one) for one in states["accelerators"]])


def _bytes(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
