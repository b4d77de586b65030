"""What replays and evaluations of scorers report, as data. The same scorer and bank give the same bytes."""

from __future__ import annotations

from typing import Literal

from conformed.compute.selection import BestOfN
from conformed.evaluation.metrics import Scores
from conformed.evaluation.scorers.card import ScorerCard
from conformed.evaluation.scorers.gates import GateResult
from conformed.evaluation.scorers.judging import Figures
from conformed.evaluation.scorers.probes import Probe
from conformed.evaluation.scorers.score import Scored
from conformed.evaluation.scorers.selecting import Selected
from conformed.model.base import Frozen

__all__ = ["Listed", "Replay", "ReplayRow", "ScorerReport", "Trained"]


class Listed(Frozen):
    """A row of the registry."""

    name: str
    """Name of the plugin."""
    version: str
    """Version of the plugin; empty where no such plugin is registered."""
    summary: str
    """What it does."""
    cards: tuple[ScorerCard, ...]
    """Its cards; empty where it has none, and then it may not be used."""
    note: str = ""
    """What is wrong: no card, no plugin, another version."""


class ReplayRow(Frozen):
    """One candidate and its score."""

    item: str
    """The item."""
    sample: int
    """The sample."""
    score: Scored
    """The score, or why there is none."""


class Replay(Frozen):
    """A bank through a scorer."""

    shape: Literal["conformed.scorer-replay/1"] = "conformed.scorer-replay/1"
    """Version of this shape."""
    scorer: str
    """Scorer and revision."""
    card_sha256: str
    """Hash of its card."""
    bank: str
    """The bank's file name."""
    bank_sha256: str
    """Its hash."""
    selection: Scores
    """Selected candidates by outcome; review where the item is for a person."""
    selected: tuple[Selected, ...]
    """One an item, sorted."""
    rows: tuple[ReplayRow, ...]
    """Every candidate, sorted by item and sample."""


class ScorerReport(Frozen):
    """The evaluation of a scorer."""

    shape: Literal["conformed.scorer-report/1"] = "conformed.scorer-report/1"
    """Version of this shape."""
    first_line: str
    """Whether it may be used."""
    usable: bool
    """Whether every gate was passed."""
    scorer: str
    """Scorer and revision."""
    card_sha256: str
    """Hash of its card."""
    gates_name: str
    """The gates that were declared."""
    gates_sha256: str
    """Hash of their file."""
    bank: str
    """The bank's file name."""
    bank_sha256: str
    """Its hash."""
    gates: tuple[GateResult, ...]
    """Each gate, with what was found."""
    figures: Figures
    """What was measured."""
    probes: tuple[Probe, ...]
    """What pleasing the scorer buys, on the test split."""
    probe_threshold: str
    """Threshold that wrong candidates were to be lifted over."""
    selection: BestOfN
    """Ways of choosing among the candidates of the test split, for growing N, random and oracle among them."""


class Trained(Frozen):
    """What training left."""

    scorer_id: str
    """Name of the new scorer."""
    card: str
    """File of its card, to be read and completed before it is put among the policies."""
    weights: str
    """File of its weights."""
    sha256: str
    """Hash of the weights."""
    examples: int
    """Labelled examples."""
    losses: tuple[str, ...]
    """Mean loss of each epoch."""
