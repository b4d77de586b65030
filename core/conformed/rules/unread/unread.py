"""The net under extraction: words about changing a covenant that no operation accounts for stop the run.

An instrument is read again, whole: what it says of the covenant by number, name or level, outside of the words of the
operations that were understood. So is the agreement itself, which may hold a later relief, or its own amendments.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from conformed.language.dates import find_dates
from conformed.model.decision import Reason
from conformed.model.operation import Op, Operation
from conformed.rules.authority.side_letters import NOT_IN_PACK, letter_there, subject_to_letter
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.mentions import speaks_of
from conformed.rules.precedence.targets import own_terms, section_of, spent_change, touches
from conformed.rules.unread.overridden import overridden
from conformed.rules.unread.spoken_places import Stretch
from conformed.rules.unread.unread_favoured import favoured
from conformed.rules.unread.unread_words import unread_words
from conformed.rules.unread_bound import bound_changes
from conformed.rules.unread_reset import reset_later

__all__ = ["unread_changes"]

_TIMED = {Op.WAIVE_TEST, Op.SUSPEND_TESTING, Op.TEMPORARY_LEVEL}
_BEFORE = 400  # a relief may name its period in the words before the provision


def _stretches(ground: Ground, operations: Iterable[Operation]) -> list[Stretch]:
    """Stretches of an instrument's live text that operations account for: instruction and new text."""
    found = []
    for operation in operations:
        view = ground.views[operation.document]
        spans = [*operation.instruction, *operation.payload, *operation.target.spans]
        if spans:
            first, last = min(s.start for s in spans), max(s.end for s in spans)
            found.append((view.offset_of(operation.document, first), view.offset_of(operation.document, last)))
    return sorted(found)


def _reason(ground: Ground, document: str, slot: str, place: Stretch) -> Reason:
    sentence = f"{document} speaks of a change of {section_of(slot)}, or of a time without it, that was not understood."
    return Reason(
        code="review_clause_not_fully_read", sentence=sentence, subject=document, spans=ground.views[document].spans(*place)
    )


def unread_changes(ground: Ground, chain: Chain, slot: str, test: dt.date) -> list[Reason]:
    """Words of the chain's instruments, and of the agreement outside of the provision, that may change the covenant and were not understood."""
    own = [(o, t) for o in ground.operations if o.document in chain.documents for t in own_terms(o, slot)]
    names = tuple(dict.fromkeys(n for _, t in own for n in (t.name, t.caption) if n))
    levels = tuple(dict.fromkeys(r.limit.raw for _, t in own for r in t.rows))
    reasons = []
    for instrument in chain.changes:
        document = instrument.document
        mine = [o for o in ground.operations if o.document == document]
        later = (
            instrument.dated is not None
            and instrument.dated > test
            and not any(o.effective.date and o.effective.date <= test for o in mine)
        )
        told = [o for o in mine if touches(o, slot) or speaks_of(o, slot) or spent_change(o)]
        told += [o for o in ground.carried if o.document == document]
        others = [o for o in mine if o not in told and o.op not in _TIMED]
        whole = [o for o in mine if o.op is Op.RESTATE_AGREEMENT]
        told += [o for o in mine if whole and o.op is Op.STATE_COVENANT]
        place = ground.remembered(
            (document, f"unread {slot} {later}"),
            lambda document=document, later=later, told=told, others=others: unread_words(  # type: ignore[misc]
                ground.views[document].text,
                section_of(slot),
                names=names,
                levels=levels,
                later=later,
                own=_stretches(ground, told),
                others=_stretches(ground, others),
            ),
        )
        if place is not None and later:
            # A waiver made after the test may excuse it, unless it names other days.
            days = {t.date for t in find_dates(ground.views[document].text, *place)}
            place = None if days and test not in days else place
        if place is not None:
            reasons.append(_reason(ground, document, slot, place))
        if any(ground.standing(o, test).state != "not_yet" for o in told):  # what takes a covenant out may put it into a letter
            reasons += _letters(ground, document, slot, names, _stretches(ground, told))
    if chain.base is not None:
        base = chain.base.document
        stated = [o for o in ground.operations if o.document == base and o.op is Op.STATE_COVENANT and touches(o, slot)]
        place = ground.remembered(
            (base, f"overridden {slot}"),
            lambda: (
                overridden(ground.views[base].text, section_of(slot), _stretches(ground, stated))
                or bound_changes(ground.views[base].text, section_of(slot), names, levels, _stretches(ground, stated))
            ),
        )
        if place is not None:
            reasons.append(_reason(ground, base, slot, place))
        reasons += _letters(ground, base, slot, names, _stretches(ground, stated))
        anew = ground.remembered((base, "reset"), lambda: reset_later(ground.views[base].text))
        if anew is not None and any(r.window.end is None for _, t in own for r in t.rows if r.window.holds(test)):
            sentence = f"{base} lets its financial covenants be set anew for later periods; what was set is not in the pack."
            spans = ground.views[base].spans(*anew)
            reasons.append(Reason(code="review_clause_not_fully_read", sentence=sentence, subject=base, spans=spans))
        taken = ground.remembered((base, "favoured"), lambda: favoured(ground.views[base].text))
        if taken is not None and not ground.case.manifest.no_tighter_terms:
            sentence = f"{base} takes in covenants of another financing that are tighter; that there are none is not certified."
            spans = ground.views[base].spans(*taken)
            reasons.append(Reason(code="review_mfn_external", sentence=sentence, subject=base, spans=spans))
    return [*reasons, *_moved_periods(ground, chain, slot)]


def _letters(ground: Ground, base: str, slot: str, names: tuple[str, ...], own: list[Stretch]) -> list[Reason]:
    """A side letter to which the agreement makes the covenant subject, and which is not in the pack (PR-21)."""
    text = ground.views[base].text
    place = ground.remembered((base, f"letter {slot}"), lambda: subject_to_letter(text, section_of(slot), names, own))
    heads = {d: v.text for d, v in ground.views.items()}
    if (
        place is None
        or ground.case.manifest.side_letters_apart
        or letter_there(text[slice(*place)], ground.admitted.instruments, heads)
    ):
        return []
    sentence = f"{base} makes {section_of(slot)} subject to a side letter that is not in the pack."
    return [Reason(code=NOT_IN_PACK, sentence=sentence, subject=base, spans=ground.views[base].spans(*place))]


_TIMING = re.compile(r"\b(?:period|date|holiday|quarter|year|month|day|term)s?\b", re.IGNORECASE)
"""Defined terms that say when; a ratio whose definition changes moves no relief."""


def _moved_periods(ground: Ground, chain: Chain, slot: str) -> list[Reason]:
    """Reliefs whose period is a defined term that another instrument changes: their days are no longer those that were read."""
    reasons = []
    changed = [o for o in ground.operations if o.document in chain.documents and _TIMING.search(o.target.term)]
    for relief in ground.operations:
        if (
            relief.op not in _TIMED
            or relief.document not in chain.documents
            or not speaks_of(relief, slot)
            or not relief.instruction
        ):
            continue
        view = ground.views[relief.document]
        at, end = (view.offset_of(relief.document, p) for p in (relief.instruction[0].start, relief.instruction[-1].end))
        words = " ".join(view.text[max(0, at - _BEFORE) : end].split()).lower()
        for change in changed:
            if change.document != relief.document and " ".join(change.target.term.split()).lower() in words:
                sentence = f"{change.document} changes {change.target.term}, by which a relief of {relief.document} is timed."
                reasons.append(
                    Reason(
                        code="review_suspension_end_unclear",
                        sentence=sentence,
                        subject=change.document,
                        spans=change.instruction[:2],
                    )
                )
    return reasons
