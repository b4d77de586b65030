"""Wordings that no training sees; checkpoints are chosen on them."""

from __future__ import annotations

from conformed_plugins.training.synth.pieces import Bank, Core

__all__ = ["UNSEEN"]

_CORES = (
    Core("condition", "us", "P01", "So long as any Loan is unpaid, the {R} computed as of {T} will {Dshall} {L}."),
    Core("cause", "us", "P01", "The {who} agrees not to cause the {R} to {Dto} {L} at the test made on {T}."),
    Core("limit_is", "uk", "P02", "In respect of {T} the {R} must {Dshall} {L}."),
    Core("with_a", "us", "P03", "The Group must come through {T} with a {R} of {Dof} {L}."),
    Core("accounts", "uk", "P02", "According to the accounts for the half year to {T}, the {R} must be {L} {Dbehind}."),
    Core("warrants", "us", "P01", "The {who} promises each Lender that, by {T}, the {R} will {Dshall} {L}."),
    Core("second_step", "us", "P05", "Whereas {l1} was the level up to {d0}, the {R} as of {T} and later must {Dshall} {L}."),
    Core("reset", "us", "P22", "As restated on {d0}, the agreement lets the {R} for the quarter ending {T} {Dto} {L} in no case."),
    Core("outstanding", "us", "P06", "In a quarter ending {T} with usage over {pct}, the {R} must at that date {Dshall} {L}."),
    Core("purchase", "us", "P38", "The purchase of {d0} being a Material Acquisition, the {R} at {T} must {Dshall} {L}."),
    Core("exchange", "us", "P13", "With effect on and from {T} the clause reads that the {R} must {Dshall} {L}, and {l1} falls away."),
    Core("hold", "uk", "P02", "Holding the {R} to {Dof} {L} on {T} is an obligation of the {who}."),
    Core("always", "uk", "P02", "At all times the {R} must {Dshall} {L}."),
    Core("measured", "us", "P01", "Measured once a quarter, and for {T} too, the {R} must {Dshall} {L}."),
    Core("breach_if", "uk", "P02", "There is a breach if the {R} found for {T} should {Dto} {L}."),
    Core("obliged", "us", "P03", "By its accounts to {T} the {who} is obliged to prove a {R} of {Dof} {L}."),
    Core("first_day", "us", "P09", "The covenant begins to bite on {T}, when the {R} must {Dshall} {L}."),
    Core("restores", "us", "P31", "The concession of {l1} having run out on {d0}, the {R} must on {T} again {Dshall} {L}."),
    Core("deal", "uk", "P02", "The parties settle that {T} is the day on which the {R} will {Dshall} {L}."),
    Core("payment", "us", "P07", "Dividends after {d0} are open to the {who} while the {r1} stays under {l1}."),
)  # fmt: skip

_OPENINGS = (
    "{sec} - Ratio.",
    "Rule {art} of the Schedule.",
    "Chapter {art}, item {low}:",
    "What is tested.",
    "Schedule {art}, {sec}:",
)

_BESIDES = (
    ("before", "Amendment No. {num} took effect on {d2}."),
    ("after", "The {r2} serves pricing alone: {l2}."),
    ("after", "By {d2} the {ag} is to have the figures."),
    ("before", "On {d2} the {r2} came to {l2}."),
    ("after", "Of cash, {cur} {amt} may be set off."),
    ("after", ""),
    ("after", "{pct2} is the cap on synergies."),
)  # fmt: skip

_TAILS = ("", "All other terms stand.", "The books are kept in {cur}.", "A breach is not cured by time.")

UNSEEN = Bank("unseen", _CORES, _OPENINGS, _BESIDES, _TAILS, rounds=5)
"""Openings, cores, sentences beside them, and tails that no training sees."""
