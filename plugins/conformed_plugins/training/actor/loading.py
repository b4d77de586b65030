"""A pinned policy, loaded to be trained further: the same verified copy, and the same loading, as the backend's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformed.mirror.private import PrivateCopy
from conformed.mirror.verifying import manifest_in
from conformed_plugins.backends.transformers_backend.facts import read_facts
from conformed_plugins.backends.transformers_backend.loading import load_config, load_generation, load_tokenizer, load_weights

__all__ = ["load_policy"]


def load_policy(folder: Path, manifest: str | None = None) -> tuple[Any, Any, str]:
    """Loads model and tokenizer.

    Args:
        folder: a folder of the mirror.
        manifest: SHA-256 that its manifest must have; None takes the folder's own.

    Returns:
        The model in float32, ready to be trained; its tokenizer; and the SHA-256 of the manifest.

    Raises:
        MirrorError: when the folder is not what is pinned, or cannot be loaded.
    """
    digest = manifest_in(folder, manifest).digest
    copy = PrivateCopy(folder, digest)
    try:
        config, tokenizer = load_config(copy), load_tokenizer(copy)
        pinned = copy.manifest
        facts = read_facts(config, tokenizer, model=pinned.model, spare_ids=pinned.spare_ids, generation=load_generation(copy))
        model = load_weights(copy, config, parameters=facts.parameters, dtype="float32", device="cpu")
    finally:
        copy.close()
    return model.requires_grad_(requires_grad=True), tokenizer, digest
