"""The model drafter: has a model put each claim into a sentence. Which claim a sentence is about is never the model's to say."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.model.claim import Claim, ClaimKind, Draft, Sentence
from conformed.ports import DraftRequest
from conformed_plugins.backends.asking import ask, json_of
from conformed_plugins.drafters.model.options import DraftOptions
from conformed_plugins.drafters.model.prompt import SCHEMA, prompt_of

__all__ = ["VERSION", "ModelDrafter"]

VERSION = "1.0.0"


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sentence: str = Field(min_length=1, max_length=2_000)


class ModelDrafter:
    """Words claims with a model, one at a time. Implements the Drafter port.

    So no draft leaves a claim out, and no sentence cites what it was not made of. An answer that cannot be read makes its whole
    draft none. What the sentences say goes through the claim checks, which are the engine's.

    Args:
        options: how much is asked.
    """

    def __init__(self, options: DraftOptions) -> None:
        self._options = options

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        """One draft a sample, none twice; none where an answer could not be read. The engine checks each.

        Raises:
            PluginError: when the request has no backend, or the backend fails.
        """
        options: dict[str, Any] = {"max_tokens": self._options.max_tokens}
        if self._options.constrained:
            options["schema"] = SCHEMA
        if self._options.temperature is not None:
            options["temperature"] = self._options.temperature
        if self._options.thinking is not None:
            options["thinking"] = self._options.thinking
        claims = [claim for claim in request.claims if _worth_saying(claim)]
        prompts = [prompt_of(claim, request.feedback) for claim in claims]
        samples = self._options.samples
        rows = ask(request.backend, "the drafter model", prompts, samples=samples, seed=self._options.seed, options=options)
        found = []
        for sample in range(samples):
            said = [_sentence(row[sample].text, claim) for claim, row in zip(claims, rows, strict=True)]
            whole = tuple(sentence for sentence in said if sentence is not None)
            if whole and len(whole) == len(said):
                found.append(whole)
        return tuple(
            Draft(sentences=sentences, run=request.run, pack_digest=request.pack_digest, producer=f"model {VERSION}")
            for sentences in dict.fromkeys(found)
        )


def _worth_saying(claim: Claim) -> bool:
    """Why a level was found and what was set aside stands in the record; prose is for what a person must know or do."""
    quiet = claim.kind is ClaimKind.REASON and bool(claim.cites)
    return not (quiet and all(code.startswith(("accept_", "reject_")) for code in claim.cites))


def _sentence(text: str, claim: Claim) -> Sentence | None:
    """The sentence of an answer; None where it holds none that can be printed."""
    value, code = json_of(text)
    if code:
        return None
    try:
        said = _Answer.model_validate(value).sentence
    except ValidationError:
        return None
    return Sentence(text=said, kind=claim.kind, claims=(claim.id,)) if said.strip() and said.isprintable() else None
