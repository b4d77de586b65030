"""What a run of an evaluation is, before it starts: written first, hashed, and compared when the run is taken up again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from conformed.evaluation.items import Versions
from conformed.model.base import Frozen

__all__ = ["RunConfig", "canonical", "digest", "seed_of"]


class RunConfig(Frozen):
    """The configuration of a run."""

    name: str
    """Name of the run, for people."""
    method: str
    """Name of the method: prompt, decoding and selection together."""
    settings: Mapping[str, str] = Field(default_factory=lambda: MappingProxyType({}))
    """Everything that makes the method what it is, as text: prompt, decoding, model digest, contract digest."""
    data: str
    """SHA-256 of the data set's exact bytes."""
    items: Annotated[int, Field(ge=0, strict=True)]
    """Number of items."""
    samples: Annotated[int, Field(ge=1, strict=True)]
    """Responses an item."""
    seed: Annotated[int, Field(ge=0, strict=True)]
    """Seed from which each item's own is derived."""
    slices: tuple[str, ...] = ()
    """Names of the slices that are reported, declared before the run."""
    versions: Versions
    """Extractor, normaliser and verifier."""

    @property
    def generation(self) -> str:
        """Digest of what decides the responses: all but the name, the slices and the versions that judge them."""
        kept = self.model_dump(mode="json", exclude={"name", "slices", "versions"})
        return digest(canonical(kept))


def canonical(plain: object) -> bytes:
    """Plain data as UTF-8 JSON with sorted keys and no white space."""
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def digest(data: bytes) -> str:
    """SHA-256, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def seed_of(seed: int, item: str) -> int:
    """The seed of one item's responses: of the run's seed and the item alone, so that no order of work changes it.

    Returns:
        A whole number from 0 to 2**63 - 1; with the number of a sample it gives that response again.
    """
    found = hashlib.sha256(canonical([seed, item])).digest()
    return int.from_bytes(found[:8], "big") >> 1
