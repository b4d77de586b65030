"""What an evaluation of trained weights counted, as a file: read strictly, written in one form only, sealed by its own digest.

The digest stops mistakes: a file that was edited or cut is refused. Whoever means to deceive can compute it anew, so that a
promotion is confirmed by another person, and the log names the digest that was looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from conformed.errors import GivenValueError, UsageError
from conformed.model.base import Frozen

__all__ = ["FORM", "MOST_REPORT_BYTES", "Decoding", "SplitCounts", "WeightsReport", "counts_digest", "read_report"]

FORM = "conformed.weights-report/1"
"""Form of the file."""
MOST_REPORT_BYTES = 1 << 20
"""Largest file."""

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]
Whole = Annotated[int, Field(ge=0, le=2**53 - 1, strict=True)]


class Decoding(StrEnum):
    """How responses were drawn."""

    GREEDY = "greedy"
    SAMPLED = "sampled"


class SplitCounts(Frozen):
    """One split under one way of decoding: one response an item."""

    split: Name
    """Name of the split."""
    decoding: Decoding
    """How responses were drawn."""
    items: Annotated[int, Field(ge=1, le=2**53 - 1, strict=True)]
    """Items, and as many responses."""
    right: Whole
    """Right answers."""
    judged: Whole
    """Items of which the check said right or wrong; the others went to a person or could not be judged."""
    false_accepts: Whole
    """Answers that would be taken and must not be."""
    invalid: Whole
    """Responses without the asked form."""
    tokens: Whole
    """Sum of the tokens of the responses."""
    tokens_squared: Whole
    """Sum of the squares of the tokens of each response."""

    @model_validator(mode="after")
    def _possible(self) -> SplitCounts:
        for name, fits in (
            ("judged", self.judged <= self.items),
            ("right", self.right <= self.judged),
            ("false_accepts", self.false_accepts <= self.items - self.right),
            ("invalid", self.invalid <= self.items - self.right),
            ("tokens_squared", self.tokens <= self.tokens_squared and self.tokens**2 <= self.items * self.tokens_squared),
        ):
            if not fits:
                raise ValueError(f"{name} is {getattr(self, name)}, which no evaluation of {self.items} items can give")
        return self


class WeightsReport(Frozen):
    """An evaluation of weights. Make one with `sealed`, write its `data`, read it with `read_report`."""

    form: Literal["conformed.weights-report/1"]
    """Form of the file."""
    family: Name
    """Family of the weights: the name that all candidates share among which somebody chooses by the same data."""
    run: Name
    """The training run that made them."""
    manifest: Hash
    """SHA-256 of the manifest of the weights' folder."""
    dataset: Hash
    """SHA-256 of the data set, every split of it."""
    gates: Hash
    """SHA-256 of the file with the gates, as it was declared when the evaluation began."""
    splits: Annotated[tuple[SplitCounts, ...], Field(min_length=1, max_length=64)]
    """Counts, sorted by split and decoding."""
    final_use: Hash | None
    """Leaf of the log's record of the use of the final set; None where it was not used."""
    digest: Hash
    """SHA-256 of the same file without this field."""

    @model_validator(mode="after")
    def _sealed(self) -> WeightsReport:
        keys = [(one.split, one.decoding.value) for one in self.splits]
        if keys != sorted(set(keys)):
            raise ValueError("the splits are not sorted, or one stands there twice under one decoding")
        if self.digest != _digest(self.model_dump(mode="json", exclude={"digest"})):
            raise ValueError("the digest is not that of the rest: the file was altered")
        return self

    @classmethod
    def sealed(
        cls, *, family: str, run: str, manifest: str, dataset: str, gates: str, splits: Iterable[SplitCounts], final_use: str | None = None
    ) -> WeightsReport:  # fmt: skip
        """A report with its digest, the splits sorted.

        Raises:
            GivenValueError: when a value is outside its range, or two counts are of one split and decoding.
        """
        kept = sorted(splits, key=lambda one: (one.split, one.decoding.value))
        plain = {
            "form": FORM, "family": family, "run": run, "manifest": manifest, "dataset": dataset, "gates": gates,
            "splits": [one.model_dump(mode="json") for one in kept], "final_use": final_use,
        }  # fmt: skip
        try:
            return cls.model_validate({**plain, "digest": _digest(plain)})
        except ValidationError as problem:
            raise GivenValueError(f"This is no report of weights: {_first(problem)}.", "Mend the value.") from problem

    def data(self) -> bytes:
        """Its bytes: JSON with sorted keys. The same report gives the same bytes."""
        return (json.dumps(self.model_dump(mode="json"), indent=1, sort_keys=True) + "\n").encode()

    def counts(self, split: str, decoding: Decoding) -> SplitCounts | None:
        """Counts of a split under one decoding; None where it was not evaluated so."""
        return next((one for one in self.splits if (one.split, one.decoding) == (split, decoding)), None)


def counts_digest(splits: Iterable[SplitCounts]) -> str:
    """SHA-256 of some counts, in their order."""
    return _digest([one.model_dump(mode="json") for one in splits])


def read_report(data: bytes, where: str) -> WeightsReport:
    """A report out of its bytes.

    Args:
        data: the exact bytes of the file.
        where: how it is called in messages.

    Raises:
        UsageError: when it is none, was altered, or is not written as `WeightsReport.data` writes it.
    """
    if len(data) > MOST_REPORT_BYTES:
        raise UsageError(f"{where} is larger than {MOST_REPORT_BYTES} bytes.", "Name the report of an evaluation of weights.")
    try:
        found = WeightsReport.model_validate_json(data)
    except ValidationError as problem:
        raise UsageError(f"{where} is refused: {_first(problem)}.", "Evaluate the weights again.") from problem
    if found.data() != data:
        raise UsageError(f"{where} is not written as the product writes it.", "Evaluate the weights again.")
    return found


def _digest(plain: object) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _first(problem: ValidationError) -> str:
    """The first thing that is wrong, without what the file holds there."""
    one = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in one["loc"])
    said = str(one["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{place}: {said}" if place else said
