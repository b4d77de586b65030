"""Wordings of the final set, used once."""

from __future__ import annotations

from conformed_plugins.training.synth.pieces import Bank, Core

__all__ = ["FINAL"]

_CORES = (
    Core("for_so", "us", "P01", "While a Commitment remains, the {R}, struck on {T}, must {Dshall} {L}."),
    Core("have_not", "us", "P01", "The Credit Parties will not have the {R} {Dto} {L} on the test of {T}."),
    Core("figures", "uk", "P02", "On the figures at {T} the {R} must {Dshall} {L}, and the {who} answers for it."),
    Core("by_showing", "us", "P03", "The {who} satisfies this test by showing, at {T}, a {R} of {Dof} {L}."),
    Core("calls_for", "uk", "P02", "The test at {T} calls for a {R} of {L} {Dbehind}."),
    Core("pledge", "uk", "P02", "To the {ag} the {who} gives its word that at {T} the {R} will {Dshall} {L}."),
    Core("tightens", "us", "P05", "The level tightens: {l1} governed until {d0}, and on {T} the {R} must {Dshall} {L}."),
    Core("relief_over", "us", "P31", "Relief at {l1} lapsed on {d0}; once more, for {T}, the {R} will {Dshall} {L}."),
    Core("revolver", "us", "P06", "Where on {T} more than {pct} of the revolver is drawn, the {R} must {Dshall} {L}."),
    Core("elected", "us", "P38", "The {who} having elected on {d0} for an increase, the {R} at {T} must {Dshall} {L}."),
    Core("instead", "us", "P14", "Instead of {l1}, the covenant now says, as of {T}, that the {R} must {Dshall} {L}."),
    Core("stand_at", "uk", "P02", "The {R} is to come to {Dof} {L} at close of {T}."),
    Core("ever", "us", "P01", "For every quarter the {R} must {Dshall} {L}."),
    Core("fails", "us", "P01", "The test of {T} is failed should the {R} {Dto} {L}."),
    Core("in_line", "uk", "P02", "To be in line with this term the {R} computed at {T} shall {Dshall} {L}."),
    Core("begins", "us", "P09", "Nothing was tested ahead of {T}, the day from which the {R} will {Dshall} {L}."),
    Core("rewritten", "us", "P22", "Rewritten on {d0}, the term asks that the {R} for the period to {T} shall {Dshall} {L}."),
    Core("evidence", "us", "P03", "Evidence of a {R} of {Dof} {L} as it was on {T} is owed to the {ag}."),
    Core("no_group", "us", "P01", "At {T} no member of the Group may have let the {R} {Dto} {L}."),
    Core("merger", "us", "P07", "A merger after {d0} is allowed if the {r1} would be within {l1}."),
)  # fmt: skip

_OPENINGS = ("Head {art}. Ratios.", "{sec} [Tests]", "Paragraph {low} of Annex {art}.", "The ratio covenant.", "Term {sec}.")

_BESIDES = (
    ("before", "A side letter of {d2} concerns fees."),
    ("after", "Margins follow the {r2}, {l2} being the top tier."),
    ("after", "{d2} is the last day for the certificate."),
    ("before", "At signing, {d2}, the {r2} was {l2}."),
    ("after", "Up to {cur} {amt} of cash is deducted."),
    ("after", ""),
    ("after", "Restructuring costs count within {pct2}."),
)  # fmt: skip

_TAILS = ("", "Rights are reserved.", "It is worked out by the {ag}.", "Leases are left out.")

FINAL = Bank("final", _CORES, _OPENINGS, _BESIDES, _TAILS, rounds=5)
"""Openings, cores, sentences beside them, and tails of the final set."""
