"""How much may be generated for one short answer, and when an answer counts as found."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from conformed.model.base import Exact, Frozen
from conformed.policy.refused import RefusedError

__all__ = ["PLACE", "Sampling"]

PLACE = "{prompt}"
"""Where the item's own prompt goes."""

Samples = Annotated[int, Field(ge=1, le=1024)]


class Sampling(Frozen):
    """Sampling under a contract. Decoding settings are the backend's options."""

    prompt: Annotated[str, Field(min_length=8, max_length=8000)]
    """The exact prompt, with ``{prompt}`` once, where the item's stands."""
    samples: Samples
    """Responses to one item where it is worth sampling."""
    minimum_valid: Samples
    """Fewest responses with an answer that parses, below which nothing is chosen."""
    difficulty_threshold: Exact
    """Estimated difficulty, 0 to 1, from which samples are taken and verified; 0.35 until it was estimated on held-out traffic."""
    assumed_difficulty: Exact
    """Difficulty of an item for which none was estimated."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    """Seed of the first response."""

    @model_validator(mode="after")
    def _fits(self) -> Sampling:
        if self.prompt.count(PLACE) != 1:
            raise RefusedError(f"the prompt holds {PLACE} {self.prompt.count(PLACE)} times", "Write it once.", ("prompt",))
        if self.minimum_valid > self.samples:
            raise RefusedError(
                f"{self.minimum_valid} valid answers are asked of {self.samples} samples",
                "Lower minimum_valid or raise samples.",
                ("minimum_valid",),
            )
        for name in ("difficulty_threshold", "assumed_difficulty"):
            if not 0 <= getattr(self, name) <= 1:
                raise RefusedError(f"{name} is outside 0 to 1", "Write a share, such as 0.35.", (name,))
        return self
