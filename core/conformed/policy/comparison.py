"""A comparison of methods on the same items: which methods, what an outcome is worth to the owner, which slices are reported.

It is declared in YAML before anything runs. Nothing has a default that pretends to know the owner's values.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field, model_validator

from conformed.model.base import Exact, Frozen
from conformed.policy.parts import Name, Sentence, Version
from conformed.policy.refused import RefusedError
from conformed.policy.sampling import PLACE
from conformed.policy.schema import PluginRef

__all__ = ["KINDS", "Comparison", "Method", "Values"]

KINDS = (
    "direct_greedy",
    "direct_sampled",
    "worked_greedy",
    "samples_plurality",
    "samples_verified",
    "samples_verified_tool",
    "rules",
)
"""Every baseline that a comparison must run; ``samples_verified_tool`` samples with a calculator or code executor at hand, and
``rules`` is the baseline that generates nothing."""

Kind = Literal[
    "direct_greedy",
    "direct_sampled",
    "worked_greedy",
    "samples_plurality",
    "samples_verified",
    "samples_verified_tool",
    "rules",
    "other",
]


class Method(Frozen):
    """One method: exact prompt, decoding, number of samples, and how an answer is chosen."""

    name: Name
    """Name in the report."""
    kind: Kind
    """Which baseline it is, or ``other``."""
    backend: PluginRef
    """What answers."""
    prompt: Annotated[str, Field(min_length=8, max_length=8000)]
    """The exact prompt, with ``{prompt}`` once."""
    samples: Annotated[int, Field(ge=1, le=1024)]
    """Responses an item."""
    decoding: dict[Name, str] = Field(default_factory=dict)
    """Options of each call, as text: ``temperature: "0.7"``; none for greedy."""
    tool: Literal["", "calculator"] = ""
    """What the method may use while it answers: a calculator for ``<calc>EXPRESSION</calc>``, worked by the product's own rules."""
    selection: Literal["first", "plurality", "verified"]
    """How an answer is chosen from the samples."""
    minimum_valid: Annotated[int, Field(ge=1, le=1024)] = 1
    """For a plurality: fewest answers that parse."""

    @model_validator(mode="after")
    def _fits(self) -> Method:
        if self.prompt.count(PLACE) != 1:
            raise RefusedError(f"the prompt holds {PLACE} {self.prompt.count(PLACE)} times", "Write it once.", ("prompt",))
        if self.selection == "first" and self.samples != 1:
            raise RefusedError(f"{self.samples} samples of which the first counts", "Take 1, or choose among them.", ("samples",))
        if self.minimum_valid > self.samples:
            raise RefusedError("minimum_valid is above samples", "Lower it.", ("minimum_valid",))
        return self


class Values(Frozen):
    """What outcomes are worth and cost, entered by the owner of the application, per item and in one currency."""

    v_correct: Exact
    """Worth of a right answer."""
    c_wrong: Exact
    """Cost of a wrong answer that was given."""
    c_abstain: Exact
    """Cost of no answer."""
    thousand_tokens: Exact
    """Cost of a thousand generated tokens."""
    one_review: Exact
    """Cost of one answer that goes to a person."""
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    """ISO 4217 code."""
    owner: Sentence
    """Who entered the values."""
    dated: dt.date
    """When."""


class Comparison(Frozen):
    """What is compared."""

    name: Name
    """Name."""
    version: Version
    """Version."""
    contract: Name
    """The task contract whose verifiers judge."""
    cheap: Name
    """The method that is asked first whether it is enough."""
    enough: Exact
    """Least accuracy, by the lower end of its 95 % interval, at which the cheap one is enough."""
    most_wrong: Exact
    """Largest share of wrong answers given, by the upper end of its interval, at which it is enough."""
    values: Values
    """The owner's values."""
    slices: tuple[Name, ...] = Field(min_length=1)
    """Slices that are reported, declared before the run."""
    edges: dict[Name, tuple[Exact, ...]] = Field(default_factory=dict)
    """Where slices by a measure (difficulty, prompt_length, response_length) are cut, rising."""
    smallest_slice: Annotated[int, Field(ge=1, le=10**6)]
    """Slices with fewer items are marked as too small to read."""
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    """Seed of all methods."""
    methods: tuple[Method, ...] = Field(min_length=1)
    """The methods."""

    @model_validator(mode="after")
    def _whole(self) -> Comparison:
        names = [one.name for one in self.methods]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise RefusedError(f"the method {name} stands twice", "Keep one.", ("methods", index, "name"))
        if self.cheap not in names:
            raise RefusedError(f"the cheap method {self.cheap!r} is none of the methods", "Name one of them.", ("cheap",))
        absent = [kind for kind in KINDS if kind not in {one.kind for one in self.methods}]
        if absent:
            raise RefusedError(f"no method is the baseline {absent[0]}", f"Add one of each: {', '.join(KINDS)}.", ("methods",))
        return self
