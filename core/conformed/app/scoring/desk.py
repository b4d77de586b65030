"""What the command line asks about scorers: the registry, replays, drift, training and evaluation."""

from __future__ import annotations

from pathlib import Path

from conformed.app.scoring.asking import ask, shown_to
from conformed.app.scoring.cards import all_cards, card_of
from conformed.app.scoring.evaluating import evaluate_scorer
from conformed.app.scoring.reporting import Listed, Replay, ReplayRow, ScorerReport, Trained
from conformed.app.scoring.training import train_scorer
from conformed.app.service import Service
from conformed.evaluation.metrics import scores
from conformed.evaluation.scorers.bank import Bank, read_bank
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.drift import Drift, drift
from conformed.evaluation.scorers.gates import ScorerGates
from conformed.evaluation.scorers.score import Scored
from conformed.evaluation.scorers.selecting import select_from_bank
from conformed.model.answer import Outcome
from conformed.policy.load import Loaded, load_model

__all__ = ["ScoringDesk"]


class ScoringDesk(Service):
    """Scorers of one workspace."""

    def scorers(self) -> tuple[Listed, ...]:
        """Registered scorers beside their cards; one without a card, and a card without its plugin, are named.

        Raises:
            PolicyError: when a card is refused.
        """
        cards = [one.value for one in all_cards(self._workspace.policies)]
        there = {one.name: one for one in self._loaded().registrations if one.kind == "scorer"}
        rows = []
        for name in sorted({*there, *(card.plugin for card in cards)}):
            mine = tuple(card for card in cards if card.plugin == name)
            plugin = there.get(name)
            old = [card.name for card in mine if plugin is not None and card.version != plugin.version]
            note = (
                "no such plugin is installed" if plugin is None
                else "no card: it may not be used" if not mine
                else f"card of another version: {', '.join(old)}" if old
                else ""
            )  # fmt: skip
            rows.append(
                Listed(
                    name=name,
                    version=plugin.version if plugin else "",
                    summary=plugin.summary if plugin else "",
                    cards=mine,
                    note=note,
                )
            )
        return tuple(rows)

    def replay(self, scorer: str, bank: Path) -> Replay:
        """Sends a bank through a scorer.

        Args:
            scorer: name of a card, or its file.
            bank: the bank.

        Raises:
            ConformedError: when card, plugin or bank cannot be used, or a score is refused.
        """
        card, read = card_of(self._workspace.policies, scorer), read_bank(bank)
        given = self._scored(card, read)
        selected = select_from_bank(read, given, card.value.thresholds.accept)
        taken = [one.outcome if one.verdict == "accept" and one.outcome is not None else Outcome.REVIEW for one in selected]
        return Replay(
            scorer=card.value.name,
            card_sha256=card.digest,
            bank=read.name,
            bank_sha256=read.digest,
            selection=scores(taken),
            selected=selected,
            rows=tuple(ReplayRow(item=item, sample=sample, score=score) for (item, sample), score in sorted(given.items())),
        )

    def drift(self, old: str, new: str, bank: Path) -> Drift:
        """Sends a bank through an old and a new scorer and compares what they select.

        Args:
            old: card of the scorer in use, whose bounds hold.
            new: card of the one that is to replace it.
            bank: the bank.

        Raises:
            ConformedError: when card, plugin or bank cannot be used, or a score is refused.
        """
        cards = [card_of(self._workspace.policies, name) for name in (old, new)]
        read = read_bank(bank)
        before, after = (self._scored(card, read) for card in cards)
        return drift(read, (cards[0].value, before), (cards[1].value, after))

    def evaluate(self, scorer: str, bank: Path, gates: Path) -> ScorerReport:
        """Evaluates a scorer against declared gates.

        Args:
            scorer: name of a card, or its file.
            bank: the bank.
            gates: file of the gates.

        Raises:
            ConformedError: when card, gates, plugin or bank cannot be used, or a score is refused.
        """
        declared = load_model(gates, ScorerGates)
        card = card_of(self._workspace.policies, scorer)
        return evaluate_scorer(card, declared, read_bank(bank), ask(self._loaded(), card))

    def train(self, kind: str, bank: Path, folder: Path, *, scorer_id: str, owner: str, split: str, seed: int) -> Trained:
        """Trains a learned scorer; see ``training.train_scorer``."""
        return train_scorer(
            self._loaded(), kind, read_bank(bank), folder, scorer_id=scorer_id, owner=owner, split=split, seed=seed
        )

    def _scored(self, card: Loaded[ScorerCard], bank: Bank) -> dict[tuple[str, int], Scored]:
        asked = ask(self._loaded(), card)([shown_to(card.value, one) for one in bank.candidates])
        return dict(zip([one.key for one in bank.candidates], asked, strict=True))
