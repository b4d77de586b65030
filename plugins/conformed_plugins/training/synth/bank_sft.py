"""The wordings that supervised training sees."""

from __future__ import annotations

from conformed_plugins.training.synth.pieces import Bank, Core

__all__ = ["SFT"]

_CORES = (
    Core("permit", "us", "P01", "The {who} shall not permit the {R} as of {T} to {Dto} {L}."),
    Core("permit_end", "us", "P01", "The {who} will not permit the {R} to {Dto} {L} as of {T}."),
    Core("permit_period", "us", "P01", "The {who} shall not permit the {R} for the Test Period ending on {T} to {Dto} {L}."),
    Core("allow", "us", "P01", "The {who} shall not allow the {R} to {Dto} {L} on {T}."),
    Core("suffer", "us", "P01", "Neither the {who} nor any Guarantor shall suffer the {R} measured on {T} to {Dto} {L}."),
    Core("shall", "uk", "P02", "The {R} on {T} shall {Dshall} {L}."),
    Core("shall_period", "uk", "P02", "The {R} for the Relevant Period ending on {T} shall {Dshall} {L}."),
    Core("shall_from", "us", "P05", "From and after {T} the {R} shall {Dshall} {L}."),
    Core("at_close", "us", "P01", "At the close of business on {T} the {R} shall {Dshall} {L}."),
    Core("ensure", "uk", "P02", "The {who} shall ensure that the {R} on {T} shall {Dshall} {L}."),
    Core("procure", "uk", "P02", "The {who} shall procure that, on {T}, the {R} shall {Dshall} {L}."),
    Core("covenants", "us", "P01", "The {who} covenants that the {R} shall {Dshall} {L} as at {T}."),
    Core("maintain", "us", "P03", "The {who} shall maintain, as of {T}, a {R} of {Dof} {L}."),
    Core("maintain_end", "us", "P03", "The {who} will maintain a {R} of {Dof} {L} for the period ended {T}."),
    Core("require", "uk", "P02", "On {T} the {who} is required to show a {R} of {Dof} {L}."),
    Core("behind", "us", "P03", "The {R} shall be {L} {Dbehind} as of {T}."),
    Core("behind_first", "uk", "P02", "On {T} the {R} must be {L} {Dbehind}."),
    Core("first_test", "us", "P09", "Starting with the fiscal quarter ended {T}, the {R} shall {Dshall} {L}."),
    Core("spring", "us", "P06", "If on {T} Revolving Loans exceed {pct} of the Commitments, the {R} shall {Dshall} {L}."),
    Core("step", "us", "P05", "Through {d0} the level is {l1}; after that, from {T}, the {R} shall {Dshall} {L}."),
    Core("amend", "us", "P14", "Section {sec} is amended to read: the {R} shall {Dshall} {L}, with effect from {T}."),
    Core("amend_permit", "us", "P13", "Effective {T}, the {who} shall not permit the {R} to {Dto} {L} in place of {l1}."),
    Core("letter", "uk", "P15", "By this letter, and with effect on {T}, the {R} shall {Dshall} {L} and no longer {l1}."),
    Core("relief", "us", "P31", "Until {d9} and beginning {T}, the {R} shall {Dshall} {L}."),
    Core("every", "us", "P01", "The {who} shall not permit the {R} at the end of any fiscal quarter to {Dto} {L}."),
    Core("every_uk", "uk", "P02", "The {R} on each Quarter Date shall {Dshall} {L}."),
    Core("incur", "us", "P07", "The {who} may incur further debt if the {r1} after giving effect to it is under {l1} on {d0}."),
    Core("grid", "us", "P44", "From {d0} the margin is {pct} where the {r1} is {l1} and falls by 0.25% below that."),
)  # fmt: skip

_OPENINGS = (
    "Section {sec}.", "{sec} Financial Covenant.", "Section {sec} Maximum Level.", "Clause {sec}:", "({low})", "Financial condition.",
    "Article {art}.", "Covenants.", "Test.", "Section {sec} (Financial Covenants).",
)  # fmt: skip

_BESIDES = (
    ("before", "This Agreement is dated {d2}."),
    ("before", "The Closing Date was {d2}."),
    ("after", "The {r2} is tested apart, at {l2}."),
    ("after", "The compliance certificate is due by {d2}."),
    ("after", "Cash above {cur} {amt} is not netted."),
    ("after", "The margin falls when the {r2} is {l2}."),
    ("before", "The {r2} was {l2} on {d2}."),
    ("after", "Add-backs are capped at {pct2} of EBITDA."),
    ("before", "The waiver given on {d2} has ended."),
    ("after", "A dividend needs a {r2} of {l2} on the day of payment."),
    ("after", ""),
    ("after", "Section {sec2} is not changed."),
    ("before", "The {ag} signed on {d2}."),
    ("after", "Under the Note Agreement the limit is {l2}."),
)  # fmt: skip

_TAILS = (
    "", "Terms are used as defined.", "This is for the {ag} only.", "Accounts are consolidated.", "Failure is an Event of Default.",
    "It is tested quarterly.", "The {ag} may ask for proof.",
)  # fmt: skip

SFT = Bank("sft", _CORES, _OPENINGS, _BESIDES, _TAILS, rounds=8)
"""Openings, cores, sentences beside them, and tails of supervised training."""
