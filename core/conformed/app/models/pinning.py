"""Pins a model: hashes the files of a folder, holds them against its card, and writes the manifest beside them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from conformed.app.models.cards import ModelCard
from conformed.errors import MirrorError
from conformed.mirror.manifest import MANIFEST, Manifest
from conformed.mirror.verifying import examine, manifest_in, opened, refuse
from conformed.policy.load import Loaded

__all__ = ["pin"]

_CONFIG = "config.json"


def pin(folder: Path, card: Loaded[ModelCard]) -> Manifest:
    """Makes the manifest of a folder. Pinning the same files again changes nothing.

    Args:
        folder: the files, as they were published.
        card: what is approved.

    Raises:
        MirrorError: when the folder holds what is never loaded, is not what the card says, or is pinned as something else.
    """
    approved = card.value
    with opened(folder) as descriptor:
        found = examine(descriptor, None)
    refuse(found.troubles, folder)
    try:
        manifest = Manifest(
            model=approved.model,
            source=approved.source,
            licence=approved.licence,
            architecture=approved.architecture,
            stored=approved.stored,
            spare_ids=approved.spare_ids,
            files=found.files,
        )
    except ValueError as problem:
        raise MirrorError(
            f"{folder} is not one model: it needs one set of weights, as safetensors or as a single GGUF.", "Put its files there."
        ) from problem
    _agrees(folder, approved, manifest)
    if approved.manifest is not None and approved.manifest != manifest.digest:
        raise MirrorError(
            f"{folder} gives the manifest {manifest.digest}, and {card.path} approves {approved.manifest}.",
            "Bring the approved files, or have these approved.",
        )
    _write(folder, manifest)
    return manifest


def _agrees(folder: Path, approved: ModelCard, manifest: Manifest) -> None:
    """Holds what the model says of itself against its card. A GGUF says it in its own form, and is looked at when it is loaded."""
    if manifest.gguf:
        return
    if all(one.name != _CONFIG for one in manifest.files):
        raise MirrorError(f"{folder} has no {_CONFIG}.", "Bring all files of the model.")
    config = json.loads((folder / _CONFIG).read_bytes())
    says = config if isinstance(config, dict) else {}
    for key, said, wanted in (
        ("architectures", says.get("architectures"), [approved.architecture]),
        ("dtype", says.get("dtype", says.get("torch_dtype")), approved.stored),
    ):
        if said != wanted:
            raise MirrorError(
                f"{folder / _CONFIG} has {key} {said!r}, and the card says {wanted!r}.", "Mend the card, or bring that model."
            )


def _write(folder: Path, manifest: Manifest) -> None:
    file = folder / MANIFEST
    if file.exists() or file.is_symlink():
        if manifest_in(folder) != manifest:
            raise MirrorError(
                f"{file} pins other files, or another card.", "Look at what changed; to pin anew, delete it first and say so."
            )
        return
    data = manifest.data()
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as stream:
            stream.write(data)
    except OSError as problem:
        raise MirrorError(f"{file} cannot be written: {problem.strerror}.", "Check the folder's rights.") from problem
