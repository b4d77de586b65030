"""Conformed copies and composites: never a source of the level, compared with the text that the instruments give (PR-47)."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from conformed.model.codes import sentence_of
from conformed.model.decision import Reason
from conformed.model.pack import InstrumentKind
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.outcome import evaluate
from conformed.rules.precedence.reading import Outcome, covenant_of, key_of, to_review
from conformed.rules.precedence.schedule import pick_row
from conformed.rules.precedence.targets import section_of

__all__ = ["check_copies"]


def _copy_key(ground: Ground, document: str, slot: str, test: dt.date) -> tuple[object, ...] | None:
    """What a conformed copy says of the covenant on a date; None where it was not read to say anything of it."""
    for operation in ground.copies:
        if operation.document == document:
            for terms in operation.terms:
                if terms.section == section_of(slot) and ("#" not in slot or slot.endswith(f"#{terms.metric}")):
                    covenants = [covenant_of(terms, r, ground) for r in pick_row(terms, test).rows]
                    return key_of(c for c in covenants if c is not None)
    return None


def _about(code: str, document: str) -> Reason:
    return Reason(code=code, sentence=sentence_of(code), subject=document)


def check_copies(ground: Ground, chain: Chain, slot: str, outcome: Outcome) -> Outcome:
    """Compares each conformed copy with the determined covenant: the same is told, a difference that is not explained stops.

    A copy made before the last change took effect explains its difference where it agrees with the text of its own day.

    Args:
        ground: the case.
        chain: the agreement.
        slot: the covenant.
        outcome: what the instruments give.
    """
    if outcome.result != "determined":
        return outcome
    test = ground.case.question.test_date
    for instrument in ground.admitted.known:
        if instrument.kind is not InstrumentKind.CONFORMED_COPY:
            continue
        said = _copy_key(ground, instrument.document, slot, test)
        if said is None:
            continue
        agrees = said == outcome.key
        if not agrees and instrument.dated is not None and instrument.dated < test:
            then = evaluate(ground, chain, slot, instrument.dated)
            agrees = then.result == "determined" and _copy_key(ground, instrument.document, slot, instrument.dated) == then.key
        if not agrees:
            return to_review(outcome, [_about("review_conformed_copy_conflict", instrument.document)])
        outcome = replace(outcome, reasons=(*outcome.reasons, _about("finding_conformed_copy_ignored", instrument.document)))
    return outcome
