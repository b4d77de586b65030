"""Notices that elect an increase, as operations: facts with their places, and a doubt for whatever makes the election doubtful."""

from __future__ import annotations

from conformed.language.election_letter import read_election_letter
from conformed.language.traced import Traced
from conformed.model.covenant import Doubt
from conformed.model.operation import EffectiveMode, Effectiveness, Op, Operation, Target
from conformed.model.pack import Instrument

__all__ = ["read_elections"]


def read_elections(view: Traced, instrument: Instrument) -> list[Operation]:
    """The election that a notice makes, if it makes one.

    Args:
        view: live view of the notice.
        instrument: the notice.
    """
    letter = read_election_letter(view.text)
    if letter is None:
        return []
    spans = {name: view.spans(*place) for name, place in sorted(letter.places.items())}
    doubts = []
    if letter.open is not None:
        sentence = "the notice has words that may make the election conditional"
        doubts.append(Doubt(code="review_election_evidence_missing", sentence=sentence, spans=view.spans(*letter.open)))
    agreement = instrument.amends.dated.isoformat() if instrument.amends and instrument.amends.dated else ""
    election = letter.facts.model_copy(update={"spans": spans, "event": letter.event})
    words = view.spans(*letter.at)
    return [
        Operation(
            id=f"{instrument.document}#e0",
            op=Op.ELECT_INCREASE,
            document=instrument.document,
            target=Target(section=letter.section, agreement=agreement, spans=words),
            effective=Effectiveness(mode=EffectiveMode.ON_SIGNING),
            election=election,
            doubts=tuple(doubts),
            instruction=words,
        )
    ]
