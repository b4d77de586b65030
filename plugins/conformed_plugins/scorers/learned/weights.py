"""Weights as safetensors: numbers and shapes, no code. A file is read only when its hash is the one that was asked for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import torch
from safetensors.torch import load, save

from conformed.errors import GivenValueError
from conformed_plugins.scorers.learned.features import FEATURES
from conformed_plugins.scorers.learned.network import Network

__all__ = ["packed", "unpacked"]

_SHAPE = "conformed.scorer/1"


def packed(network: Network, kind: str) -> bytes:
    """The weights as the bytes of a safetensors file; the same weights give the same bytes.

    Args:
        network: the trained network.
        kind: ``outcome`` or ``process``.
    """
    # One key only: of several the library does not promise the order.
    about = json.dumps({"features": FEATURES, "kind": kind, "shape": _SHAPE}, sort_keys=True)
    return save({name: value.contiguous() for name, value in sorted(network.state_dict().items())}, {"conformed": about})


def unpacked(path: Path, sha256: str, kind: str) -> Network:
    """The network of a file of weights.

    Args:
        path: the file.
        sha256: hash that its bytes must have.
        kind: ``outcome`` or ``process``.

    Raises:
        GivenValueError: when the file cannot be read, is another one, or holds weights of another kind or shape.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise GivenValueError(
            f"The weights {path.name} cannot be read: {problem.strerror}.", "Train them, or mend the card."
        ) from problem
    if (found := hashlib.sha256(data).hexdigest()) != sha256:
        raise GivenValueError(f"The weights {path.name} have the hash {found[:12]}, not {sha256[:12]}.", "Restore the file.")
    size = int.from_bytes(data[:8], "little")
    try:
        about = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["conformed"])
        held = load(data)
    except Exception as problem:  # whatever the library raises on bytes that are no safetensors file: a refusal
        raise GivenValueError(
            f"{path.name} holds no weights of a scorer.", "Train them with conformed scorers train."
        ) from problem
    if about != {"features": FEATURES, "kind": kind, "shape": _SHAPE}:
        raise GivenValueError(f"{path.name} holds weights of {about}.", f"Use weights of a {kind} scorer of this version.")
    network = Network()
    wanted = network.state_dict()
    if {name: one.shape for name, one in held.items()} != {name: one.shape for name, one in wanted.items()} or not all(
        bool(torch.isfinite(one).all()) for one in held.values()
    ):
        raise GivenValueError(f"{path.name} holds weights of another shape, or some that are not finite.", "Train them again.")
    network.load_state_dict(held)
    network.eval()
    return network
