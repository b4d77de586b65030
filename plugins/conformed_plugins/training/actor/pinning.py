"""A policy's weights as a folder of the mirror: plain files, a card for people, and the manifest whose hash a contract names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformed.mirror.manifest import MANIFEST, Manifest, TrainedSource
from conformed.mirror.verifying import examine, opened, refuse
from conformed_plugins.training.state.weights import save_weights

__all__ = ["LICENCE", "pinned_weights"]

LICENCE = "Apache-2.0"
"""Licence of weights that were trained on invented text by this product's own code."""


def pinned_weights(model: Any, tokenizer: Any, folder: Path, *, name: str, source: TrainedSource, card: str) -> Manifest:
    """Writes weights and pins them.

    Args:
        model: the policy.
        tokenizer: its tokenizer.
        folder: where; a folder that stands there is replaced.
        name: the model's name in mirror and policies.
        source: where they came from.
        card: what a person should know, as Markdown; it is pinned with the rest.

    Returns:
        The manifest; its ``digest`` is what a contract names.

    Raises:
        MirrorError: when the folder holds what is never loaded.
    """
    save_weights(model, tokenizer, folder)
    (folder / "README.md").write_bytes(card.encode())
    with opened(folder) as descriptor:
        found = examine(descriptor, None)
    refuse(found.troubles, folder)
    manifest = Manifest(
        model=name,
        source=source,
        licence=LICENCE,
        architecture=type(model).__name__,
        stored="float32",
        spare_ids=int(model.config.vocab_size) - len(tokenizer),
        files=found.files,
    )
    (folder / MANIFEST).write_bytes(manifest.data())
    return manifest
