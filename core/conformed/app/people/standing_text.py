"""Where a run stands with people, as lines for a screen."""

from __future__ import annotations

from conformed.app.pages.pen import Pen
from conformed.app.people.standing import Standing

__all__ = ["STATE_WORDS", "standing_text", "write_standing"]

STATE_WORDS = {
    "unfinished": "The run has no decision yet.",
    "open": "Not accepted. The product concludes nothing: people do.",
    "approved": "Every approval that the contract asks for is there.",
    "returned": "Sent back by a person.",
    "overtaken": "Overtaken by a later run of the same case.",
    "released": "Accepted by people, published and released.",
}
"""Each state in words."""


def standing_text(standing: Standing, *, width: int = 100, colour: bool = False) -> str:
    """The whole answer of ``conformed approvals``.

    Args:
        standing: where the run stands.
        width: columns of the terminal.
        colour: whether to colour.
    """
    pen = Pen(width, colour=colour)
    pen.line((f"RUN {standing.run}  ", "bold"), (standing.state.upper(), "bold"))
    write_standing(pen, standing)
    if standing.worked:
        pen.heading("Worked on the case, and so cannot accept it")
        for row in standing.worked:
            pen.item(row.who, row.did)
    return pen.text()


def write_standing(pen: Pen, standing: Standing) -> None:
    """State, approvals and what is missing."""
    pen.say(STATE_WORDS[standing.state], indent=2)
    pen.say(f"Publication: {standing.publication}.", indent=2)
    if standing.approvals:
        pen.heading("Approvals")
        for row in standing.approvals:
            pen.item(row.who, f"as {row.role}, {row.at}{f'. {row.why_not}' if row.why_not else ''}")
    if standing.missing:
        pen.heading("Missing before it is released")
        for number, sentence in enumerate(standing.missing, 1):
            pen.item(str(number), sentence)
