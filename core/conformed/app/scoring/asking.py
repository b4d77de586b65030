"""Asks a scorer: only what its card says that it reads goes in, and only finite scores or reasons come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformed.app.scoring.cards import options_of
from conformed.errors import PluginError
from conformed.evaluation.scorers.bank import Candidate, scorer_input
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.score import Scored, taken
from conformed.hooks import Registry
from conformed.policy.load import Loaded

__all__ = ["Asked", "ask", "shown_to"]

Asked = Callable[[Sequence[dict[str, Any]]], tuple[Scored, ...]]
"""Scores what a scorer is shown of some candidates."""


def shown_to(card: ScorerCard, candidate: Candidate) -> dict[str, Any]:
    """What a scorer is shown of a candidate: the fields that its card names."""
    whole = scorer_input(candidate)
    return {name: whole[name] for name in card.input_schema}


def ask(registry: Registry, card: Loaded[ScorerCard]) -> Asked:
    """A function that asks the scorer of a card.

    Args:
        registry: the plugins.
        card: the card, which pins plugin, version, options and weights.

    Raises:
        PluginError: when the plugin is not there, is another version, or cannot be made.
    """
    value = card.value
    there = registry.get("scorer", value.plugin).version
    if there != value.version:
        raise PluginError(
            f"{card.path} is of {value.plugin} {value.version}, and {there} is installed.", "Make a card of that one."
        )
    scorer = registry.create("scorer", value.plugin, options_of(card))

    def asked(shown: Sequence[dict[str, Any]]) -> tuple[Scored, ...]:
        try:
            returned = scorer.score(list(shown))
        except Exception as problem:  # a plugin may raise anything; no score of it is then used
            raise PluginError(
                f"the scorer {value.name} raised {type(problem).__name__}: {problem}.", "No score of it was used; ask its owner."
            ) from problem
        return taken(returned, len(shown))

    return asked
