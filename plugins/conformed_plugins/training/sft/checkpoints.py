"""States of supervised training: weights, both optimisers and counters. The order of examples is a function of the update, so nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformed.errors import GivenValueError
from conformed_plugins.training.sft.optimisers import Optimisers
from conformed_plugins.training.state.checkpoint import Checkpoint, latest, write
from conformed_plugins.training.state.tensors import load_optimiser, load_weights, optimiser_bytes, weights_bytes

__all__ = ["restored", "saved"]

_WEIGHTS = "policy.safetensors"
_OPTIMISERS = ("matrices.safetensors", "others.safetensors")


def saved(root: Path, model: Any, optimisers: Optimisers, identity: Mapping[str, str], counters: Mapping[str, Any]) -> Path:
    """Writes a state, whole or not at all. The last two are kept.

    Args:
        root: the folder of all states.
        model: the policy.
        optimisers: its optimisers.
        identity: what makes the run this one.
        counters: plain JSON, ``update`` among them.

    Returns:
        Its folder.
    """
    files = {_WEIGHTS: weights_bytes(model)}
    files |= {name: optimiser_bytes(model, part) for name, part in zip(_OPTIMISERS, optimisers, strict=True)}
    state = {"update": counters["update"], "identity": dict(identity), "counters": dict(counters)}
    return write(root, Checkpoint(counters["update"], state, files), keep=2)


def restored(root: Path, model: Any, optimisers: Optimisers, identity: Mapping[str, str]) -> dict[str, Any] | None:
    """Puts the last whole state back.

    Args:
        root: the folder of all states.
        model: the policy; its weights are overwritten.
        optimisers: of its parameters; what they remember is overwritten.
        identity: what makes the run this one.

    Returns:
        The counters; None where there is no whole state.

    Raises:
        GivenValueError: when the state is of another run.
    """
    found, _ = latest(root)
    if found is None:
        return None
    if odd := sorted(key for key in identity if found.state["identity"].get(key) != identity[key]):
        raise GivenValueError(
            f"The checkpoint of update {found.update} is of a run with other {odd[0]}.",
            "Take up the run with what it began with.",
        )
    load_weights(model, found.files[_WEIGHTS])
    for name, part in zip(_OPTIMISERS, optimisers, strict=True):
        load_optimiser(model, part, found.files[name])
    counters: dict[str, Any] = dict(found.state["counters"])
    return counters
