"""Gates of weights as a workspace declares them: policies/weight-gates/NAME.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from conformed.errors import PolicyError, UsageError
from conformed.evaluation.weight_gates import WeightGates
from conformed.model.base import Exact
from conformed.model.weights_report import Decoding
from conformed.policy.load import Loaded, load_model
from conformed.policy.refused import RefusedError

__all__ = ["DeclaredGates", "all_gates", "gates_named"]

Split = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]


class DeclaredGates(WeightGates):
    """What trained weights must reach, on which splits, and who answers for it."""

    owner: Annotated[str, Field(min_length=1, max_length=300)]
    """Who answers for these gates: a role or a department."""
    judged_on: Annotated[tuple[Split, ...], Field(min_length=1)]
    """Splits on each of which every gate must be passed, before the final set is used."""
    final_on: Split
    """The final split: used once, and every gate must be passed on it too."""
    retained_on: Split
    """Split of what the weights must not have unlearned."""
    decodings: Annotated[tuple[Decoding, ...], Field(min_length=1)] = (Decoding.GREEDY, Decoding.SAMPLED)
    """Ways of decoding, under each of which every gate must be passed."""
    least_items: Annotated[int, Field(ge=30, strict=True)]
    """Fewest items of each of these splits."""
    least_accuracy_on: dict[Split, Exact] = Field(default_factory=dict)
    """Another minimum of right answers on some of the splits; ``least_accuracy`` holds on the others."""

    @model_validator(mode="after")
    def _apart(self) -> DeclaredGates:
        named = (*self.judged_on, self.final_on, self.retained_on)
        if len(set(named)) != len(named):
            raise RefusedError("one split is named twice", "Judge, retain and end on different splits.", ("judged_on",))
        if len(set(self.decodings)) != len(self.decodings):
            raise RefusedError("one decoding is named twice", "Keep one.", ("decodings",))
        for split, least in self.least_accuracy_on.items():
            if split not in (*self.judged_on, self.final_on):
                raise RefusedError(f"{split} is no split that is judged", "Name one of judged_on.", ("least_accuracy_on", split))
            if not 0 <= least <= 1:
                raise RefusedError(f"{split} is {least}", "Give a number from 0 to 1.", ("least_accuracy_on", split))
        return self

    def on(self, split: str) -> WeightGates:
        """The gates of one split."""
        return self.model_copy(update={"least_accuracy": self.least_accuracy_on.get(split, self.least_accuracy)})


def all_gates(policies: Path) -> tuple[Loaded[DeclaredGates], ...]:
    """Every set of gates of a workspace, by name.

    Raises:
        PolicyError: when one is refused, or its file has not the name of the gates.
    """
    return tuple(_named(load_model(path, DeclaredGates)) for path in sorted((policies / "weight-gates").glob("*.yaml")))


def gates_named(policies: Path, name: str) -> Loaded[DeclaredGates]:
    """A set of gates.

    Raises:
        UsageError: when there is none of that name; it says which there are.
        PolicyError: when it is refused.
    """
    there = {path.stem: path for path in sorted((policies / "weight-gates").glob("*.yaml"))}
    if name not in there:
        raise UsageError(
            f"There are no gates {name!r}.",
            f"Gates in {policies / 'weight-gates'}: {', '.join(there) or 'none'}. Declare them there.",
        )
    return _named(load_model(there[name], DeclaredGates))


def _named(gates: Loaded[DeclaredGates]) -> Loaded[DeclaredGates]:
    stem = Path(gates.path).stem
    if gates.value.name != stem:
        line, column = gates.place("name")
        raise PolicyError(
            f"the gates {gates.value.name!r} stand in the file {stem}.yaml.", f"Name the file {gates.value.name}.yaml.",
            file=gates.path, line=line, column=column,
        )  # fmt: skip
    return gates
