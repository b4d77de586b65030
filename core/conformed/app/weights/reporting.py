"""What is answered about names for weights, as records."""

from __future__ import annotations

from conformed.app.weights.judging import Judgement
from conformed.model.base import Frozen

__all__ = ["AliasRow", "AliasShown", "FinalUsed", "MoveRow", "Promoted", "Proposal", "ProposalRow", "UseRow"]


class UseRow(Frozen):
    """A use of a final set."""

    use: str
    """Leaf of its record, hex: what a report names as ``final_use``."""
    who: str
    """Who used it: name, or pseudonym."""
    at: str
    """When, UTC."""
    family: str
    """Family of the weights."""
    dataset: str
    """SHA-256 of the data set."""
    manifest: str
    """SHA-256 of the manifest of the weights for which it was used."""


class FinalUsed(Frozen):
    """A final set that was put to its one use."""

    use: UseRow
    """The use."""
    publication: str
    """``published`` when somebody outside holds a checkpoint over its record, else ``pending``."""
    also_used: tuple[UseRow, ...]
    """Uses of the same final set by other families: whoever knows of these results does not see it for the first time."""


class Proposal(Frozen):
    """A proposal."""

    alias: str
    """The alias."""
    proposal: str
    """Its id: what whoever confirms types, and what ``conformed log show`` takes."""
    manifest: str
    """SHA-256 of the manifest of the weights."""
    present: str
    """What the alias stands for now; empty where for nothing."""
    back: bool
    """Whether the alias stood for it before."""
    who: str
    """Who proposed."""
    at: str
    """When, UTC."""
    judged: tuple[Judgement, ...]
    """Every gate; none for a move back."""
    already: bool
    """Whether it was there before, so that nothing was written."""


class Promoted(Frozen):
    """A move that was confirmed."""

    alias: str
    """The alias."""
    manifest: str
    """What it stands for since: the hash to name in a contract."""
    before: str
    """What it stood for; empty where for nothing."""
    proposal: str
    """The proposal that was confirmed."""
    proposed_by: str
    """Who proposed."""
    confirmed_by: str
    """Who confirmed."""
    at: str
    """When, UTC."""
    publication: str
    """``published`` when somebody outside holds a checkpoint over the move, else ``pending``."""
    judged: tuple[Judgement, ...]
    """Every gate, as judged again; none for a move back, and none where it was there before."""
    already: bool
    """Whether it was there before, so that nothing was written."""


class AliasRow(Frozen):
    """One alias of the list."""

    alias: str
    """Its name."""
    manifest: str
    """What it stands for; empty where for nothing yet."""
    since: str
    """Since when, UTC; empty where for nothing."""
    moves: int
    """How often it was moved."""
    open: int
    """Proposals that wait for somebody to confirm them."""


class ProposalRow(Frozen):
    """A proposal and what was looked at."""

    proposal: str
    """Its id."""
    manifest: str
    """SHA-256 of the manifest of the weights."""
    who: str
    """Who proposed."""
    at: str
    """When, UTC."""
    back: bool
    """Whether it leads back to weights for which the alias stood before."""
    reason: str
    """Why, where somebody said so."""
    family: str
    """Family of the weights."""
    run: str
    """The training run that made them."""
    dataset: str
    """SHA-256 of the data set of the evaluation."""
    report: str
    """SHA-256 of the report's file."""
    gates: str
    """Name of the gates."""
    gates_sha256: str
    """SHA-256 of their file."""
    judged: tuple[Judgement, ...]
    """What was found of each gate when it was proposed."""
    final: UseRow | None
    """The use of the final set on which it rests."""


class MoveRow(Frozen):
    """A move."""

    at: str
    """When, UTC."""
    manifest: str
    """What the alias stands for since."""
    who: str
    """Who confirmed."""
    role: str
    """In which role."""
    leaf: str
    """Name of its record in the log."""
    proposal: ProposalRow
    """What was confirmed."""


class AliasShown(Frozen):
    """An alias with its history."""

    alias: str
    """Its name."""
    manifest: str
    """What it stands for: the hash to name in a contract; empty where for nothing yet."""
    moves: tuple[MoveRow, ...]
    """Its moves, the last one first."""
    open: tuple[ProposalRow, ...]
    """Proposals that wait for somebody to confirm them."""
