"""The records of an evaluation: items, results and the versions that made them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from conformed.model.answer import Facts, Outcome
from conformed.model.base import Exact, Frozen

__all__ = ["Item", "Result", "Versions"]

Whole = Annotated[int, Field(ge=0, strict=True)]
"""A whole number, zero allowed; a bool is none."""


class Item(Frozen):
    """One question with its right answer."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    """Unique in the data set."""
    prompt: str
    """What is asked."""
    reference: str
    """The right answer."""
    split: str
    """``train``, ``development``, ``test`` ... as the data set names it."""
    source: str
    """Where it comes from: a file or a generator, never a benchmark's name alone."""
    source_revision: str
    """Revision or hash of the source."""
    subject: str = ""
    """Subject, for slices."""
    difficulty: Exact | None = None
    """Estimated difficulty from 0 to 1, exact; None where it was not estimated."""
    form: str = "numeric"
    """Answer form, which chooses the verifier: ``numeric``, ``symbolic``, ``code`` ..."""
    check: str = ""
    """What an answer may be held against while it is sought, such as a calculation; empty where there is nothing."""
    public: Facts
    """Whatever else may be known while an answer is sought: public tests, assumptions."""
    facts: Facts
    """Whatever else the verifier of the evaluation needs and nobody else may know: hidden tests."""
    slices: Mapping[str, str] = Field(default_factory=lambda: MappingProxyType({}))
    """Further slices by name: ``language``, ``template``, ``document_type`` ..."""
    influence: tuple[str, ...] = ()
    """Where the item was used before: training, prompt_example, verifier_training, threshold_tuning."""

    @property
    def all_facts(self) -> dict[str, Any]:
        """What the verifier of the evaluation is given."""
        return {**self.public, **self.facts}


class Versions(Frozen):
    """What produced a result."""

    extractor: str
    """Of the answer extraction."""
    normaliser: str
    """Of the normaliser."""
    verifier: str
    """Of the verifier."""


class Result(Frozen):
    """One sampled answer to one item, judged. Raw responses are never overwritten."""

    item: str
    """Id of the item."""
    sample: Whole
    """Which sample, from 0."""
    seed: int
    """Seed of the item's responses; with the number of the sample it gives this one again."""
    response: str
    """The raw text."""
    answer: str | None
    """What was taken from it; None where nothing could be."""
    normalised: str | None
    """Its normal form; None where it has none."""
    outcome: Outcome
    """Correct, incorrect, review or error."""
    code: str
    """Reason code of the stage that decided."""
    latency_ms: Whole
    """Time of the response, milliseconds."""
    prompt_tokens: Whole
    """Tokens of the prompt."""
    response_tokens: Whole
    """Tokens of the response."""
    versions: Versions
    """What produced it."""
