"""What a chain lacks, or holds and does not settle, for one covenant: doubts that stop whatever its text says (PR-02, PR-06, PR-08)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from conformed.model.decision import Reason
from conformed.model.operation import Op
from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.instruments.chains import Chain
from conformed.rules.instruments.completeness import Absent, missing_instruments
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.reading import Outcome, reason_for
from conformed.rules.precedence.targets import own_terms, section_of
from conformed.rules.precedence.worlds import Placed

__all__ = ["base_doubts", "chain_doubts", "enforcement", "restated_elsewhere"]

K = InstrumentKind
_RESTATES = {Op.REPLACE_PROVISION, Op.ADD_PROVISION, Op.REPLACE_TABLE, Op.STATE_COVENANT}
_ENFORCES = re.compile(
    r"\b(?:accelerat(?:e|es|ed|ion)|enforcement|declare[sd]?\b[^.]{0,80}\bdue\s+and\s+payable)\b", re.IGNORECASE
)
_NOTICES = {K.NOTICE, K.RESERVATION, K.OTHER}


def base_doubts(ground: Ground, chain: Chain, placed: Sequence[Placed], test: dt.date) -> list[Reason]:
    """Doubts about the base agreement itself: without it nothing stands, so that they are no reading but a stop."""
    stated = [p for p in placed if p.base]
    codes = [c for p in stated for c in p.codes]
    if not stated and chain.base is not None:
        standing = ground.base_standing(chain.base, test)
        codes += [*ground.doubts.get(chain.base.document, ()), *(standing.codes if standing.state == "doubt" else ())]
    operation = stated[0].operation if stated else None
    return [reason_for(c, operation) for c in dict.fromkeys(codes)]


def _immaterial(absent: Absent, outcome: Outcome, ground: Ground, test: dt.date) -> bool:
    """Whether an absent instrument cannot matter: it is later than the test date, or what it changed was restated since."""
    if absent.dated is not None and absent.dated > test:
        return True
    setter = outcome.state.setter
    if setter is None or setter.op not in _RESTATES:
        return False
    covenant = outcome.covenant or (outcome.candidates[0] if outcome.candidates else None)
    if covenant is not None and covenant.document != setter.document:
        # The level comes from rows that the restating instrument left as they were.
        return False
    mine = ground.instruments[setter.document]
    if mine.kind in {K.FACILITY_AGREEMENT, K.RESTATEMENT}:
        return False
    numbered = absent.number is not None and mine.number is not None and absent.number < mine.number
    return numbered or (absent.dated is not None and mine.dated is not None and absent.dated < mine.dated)


def _active(ground: Ground, instrument: Instrument, test: dt.date) -> bool:
    """Whether an instrument does something that may count on the test date, waivers apart."""
    mine = [o for o in ground.operations if o.document == instrument.document and o.op is not Op.WAIVE_TEST]
    return any(ground.standing(o, test).state != "not_yet" for o in mine)


def chain_doubts(ground: Ground, chain: Chain, outcome: Outcome, slot: str, test: dt.date) -> list[Reason]:
    """Instruments that are not in the pack, a base that is not, and instruments that cannot be placed."""
    reasons: list[Reason] = []
    if not ground.case.manifest.chain_complete:
        if chain.base is None:
            reasons.append(
                reason_for(
                    "review_target_not_found",
                    outcome.state.setter,
                    "The agreement that the instrument changes is not in the pack.",
                )
            )
        for absent in missing_instruments(chain):
            if not _immaterial(absent, outcome, ground, test):
                sentence = f"{absent.name} is named or implied by {absent.recited_by} and is not in the pack."
                reasons.append(Reason(code="review_missing_instrument_in_chain", sentence=sentence, subject=absent.recited_by))
    for code, others, words in (
        ("review_base_reference_mismatch", chain.mismatched, "names an agreement by a date that no agreement of the pack bears"),
        ("review_target_ambiguous", chain.unclear, "may change more than one agreement of the pack"),
        ("review_target_ambiguous", chain.saved, "was kept alive by the restatement, and how the two fit together is not said"),
    ):
        for other in others:
            if _active(ground, other, test) or _speaks(ground, other, slot, test):
                spans = other.amends.spans if other.amends else ()
                reasons.append(Reason(code=code, sentence=f"{other.document} {words}.", subject=other.document, spans=spans))
    return reasons


def _speaks(ground: Ground, instrument: Instrument, slot: str, test: dt.date) -> tuple[int, int] | None:
    """Where an instrument speaks of changing the covenant, unless it was made after the test date and does not reach back."""
    mine = [o for o in ground.operations if o.document == instrument.document]
    later = instrument.dated is not None and instrument.dated > test
    if later and not any(o.effective.date is not None and o.effective.date <= test for o in mine):
        return None
    return ground.mention_in(instrument.document, section_of(slot))


def restated_elsewhere(ground: Ground, chain: Chain, slot: str, test: dt.date) -> list[Reason]:
    """An amendment that restates the whole agreement and does not state the covenant where it stood leaves it open."""
    reasons = []
    for operation in ground.operations:
        if operation.op is not Op.RESTATE_AGREEMENT or operation.document not in {i.document for i in chain.changes}:
            continue
        stated = any(own_terms(o, slot) for o in ground.operations if o.document == operation.document)
        if not stated and ground.standing(operation, test).state != "not_yet":
            sentence = f"{operation.document} restates the agreement, and {section_of(slot)} was not found in the restated text."
            reasons.append(reason_for("review_input_missing", operation, sentence))
    return reasons


def enforcement(ground: Ground) -> Reason | None:
    """A notice in the pack that speaks of acceleration or enforcement: nothing may then reach back (3.2, as_of)."""
    for instrument in ground.admitted.known:
        if instrument.kind in _NOTICES:
            m = _ENFORCES.search(ground.views[instrument.document].text)
            if m is not None:
                spans = ground.views[instrument.document].spans(*m.span())
                sentence = (
                    f"{instrument.document} speaks of acceleration or enforcement, and an instrument reaches back over the test."
                )
                return Reason(
                    code="review_retroactive_without_waiver", sentence=sentence, subject=instrument.document, spans=spans
                )
    return None
