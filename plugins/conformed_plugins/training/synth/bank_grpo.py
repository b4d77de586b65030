"""Wordings that supervised training never sees, and training with rewards does."""

from __future__ import annotations

from conformed_plugins.training.synth.pieces import Bank, Core

__all__ = ["GRPO"]

_CORES = (
    Core("at_no_time", "us", "P01", "It is agreed that the {R}, as determined on {T}, must {Dshall} {L}."),
    Core("let", "us", "P01", "No Loan Party is to let the {R} {Dto} {L} when tested on {T}."),
    Core("test_day", "uk", "P02", "When the accounts to {T} are drawn up, the {R} they show must {Dshall} {L}."),
    Core("having", "us", "P03", "As at {T}, having a {R} {Dof} {L} is a duty of the {who}."),
    Core("level_for", "uk", "P02", "For the twelve months to {T}, a {R} of {L} {Dbehind} is called for."),
    Core("undertakes", "uk", "P02", "The {who} undertakes to the {ag} that for the year to {T} its {R} will {Dshall} {L}."),
    Core("steps_to", "us", "P05", "The first level, {l1}, ends on {d0}. Thereafter, as from {T}, the {R} must {Dshall} {L}."),
    Core("holiday_end", "us", "P39", "Testing was off until {d0} and resumes on {T}; the {R} must then {Dshall} {L}."),
    Core("draw", "us", "P06", "Should drawings stand above {pct} on {T}, then the {R} on that day must {Dshall} {L}."),
    Core("acquisition", "us", "P38", "After the Acquisition of {d0}, and for the quarter to {T}, the {R} must {Dshall} {L}."),
    Core("deleted_put", "us", "P13", "The words {l1} give way on {T}, so that the {R} must {Dshall} {L}."),
    Core("keep", "us", "P01", "The {who} is to bring its {R} to {Dof} {L} as measured at {T}."),
    Core("quarterly", "us", "P01", "Quarter by quarter, the {who} must see to it that the {R} will {Dshall} {L}."),
    Core("report", "us", "P01", "Whatever quarter the report for {T} closes, the {R} in it will {Dshall} {L}."),
    Core("duty", "uk", "P02", "Among the duties of the {who}: on {T} the {R} must {Dshall} {L}."),
    Core("revised", "us", "P14", "The paragraph is given a new wording, valid as from {T}: the {R} shall {Dshall} {L}."),
    Core("numbers", "us", "P03", "Numbers as of {T} have to prove a {R} of {Dof} {L}."),
    Core("fiscal", "us", "P09", "No test was due before {T}; as of that day the {R} must {Dshall} {L}."),
    Core("and_not", "us", "P01", "The Group may not see the {R} {Dto} {L} when {T} ends."),
    Core("cross", "us", "P41", "It is a default here if, under the Notes of {d0}, the {r1} passes {l1}."),
)  # fmt: skip

_OPENINGS = (
    "Covenant {sec}.", "{sec}. Leverage and cover.", "Part {art}, paragraph {low}.", "Undertaking {sec}:", "Of the financial tests:",
)  # fmt: skip

_BESIDES = (
    ("before", "The Lenders met on {d2}."),
    ("after", "For dividends the {r2} counts, with {l2} as its mark."),
    ("after", "Figures reach the {ag} no later than {d2}."),
    ("before", "Under the old terms of {d2} the mark was {l2}."),
    ("after", "No more than {cur} {amt} of cash counts."),
    ("after", ""),
    ("after", "Savings count up to {pct2}."),
)  # fmt: skip

_TAILS = ("", "Nothing here is waived.", "Each sum is worked out on a group basis.", "The {ag} relies on it.")

GRPO = Bank("grpo", _CORES, _OPENINGS, _BESIDES, _TAILS, rounds=5)
"""Openings, cores, sentences beside them, and tails of training with rewards."""
