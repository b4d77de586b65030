"""The registry on disk: the cards of policies/scorers/, found by name or by file."""

from __future__ import annotations

from pathlib import Path

from conformed.errors import PolicyError, UsageError
from conformed.evaluation.scorers.card import ScorerCard
from conformed.policy.load import Loaded, load_model

__all__ = ["all_cards", "card_of", "options_of"]


def all_cards(policies: Path) -> tuple[Loaded[ScorerCard], ...]:
    """Every card of a workspace, by name.

    Raises:
        PolicyError: when one is refused, or its file has not the scorer's name.
    """
    return tuple(_named(load_model(path, ScorerCard)) for path in sorted((policies / "scorers").glob("*.yaml")))


def card_of(policies: Path, name: str) -> Loaded[ScorerCard]:
    """One card: of a scorer of the workspace, or a file anywhere.

    Raises:
        UsageError: when there is none; it says which there are.
        PolicyError: when it is refused.
    """
    path = Path(name) if name.endswith(".yaml") or "/" in name else policies / "scorers" / f"{name}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(one.stem for one in (policies / "scorers").glob("*.yaml"))) or "none"
        raise UsageError(
            f"There is no scorer {name!r}.", f"Cards of this workspace: {there}. A card elsewhere is named by its file."
        )
    return _named(load_model(path, ScorerCard))


def options_of(card: Loaded[ScorerCard]) -> dict[str, object]:
    """The options that a card gives its plugin; weights lie beside the card.

    Raises:
        UsageError: when the card names a file of weights outside its own folder.
    """
    options: dict[str, object] = dict(card.value.options)
    if (weights := card.value.weights) is not None:
        if Path(weights.file).name != weights.file:
            raise UsageError(f"{card.path}: the weights {weights.file!r} do not lie beside the card.", "Name a file beside it.")
        options |= {"weights": str(Path(card.path).parent / weights.file), "sha256": weights.sha256}
    return options


def _named(card: Loaded[ScorerCard]) -> Loaded[ScorerCard]:
    stem = Path(card.path).stem
    if card.value.scorer_id != stem:
        line, column = card.place("scorer_id")
        raise PolicyError(
            f"the scorer {card.value.scorer_id!r} has the card {stem}.yaml.", f"Name the file {card.value.scorer_id}.yaml.",
            file=card.path, line=line, column=column,
        )  # fmt: skip
    return card
