"""New text that tests a ratio by a name which the agreement, as amended, does not define (P14)."""

from __future__ import annotations

import datetime as dt
import re

from conformed.model.decision import Reason
from conformed.model.operation import Op
from conformed.rules.copy.dictionary import dictionary_of, used_terms
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.state import State

__all__ = ["undefined_ratio"]

_NEW = {Op.REPLACE_PROVISION, Op.ADD_PROVISION}
_RATIO = re.compile(r"\b(?:ratio|leverage|cover(?:age)?|gearing)\b", re.IGNORECASE)


def undefined_ratio(ground: Ground, chain: Chain, state: State, test: dt.date) -> list[Reason]:
    """A name for the ratio that nothing defines, where the words it replaced used a defined one: which ratio is meant is open.

    An agreement that defines no ratio at all says nothing by its silence: that is a definition that is not in the pack.

    Args:
        ground: the case.
        chain: the agreement.
        state: the covenant as it stands.
        test: legal date.
    """
    terms, setter = state.terms, state.setter
    if terms is None or setter is None or setter.op not in _NEW or terms.numerator or not state.superseded:
        return []
    if not re.match(r"(?:[A-Z][\w/-]*\s+)+[A-Z][\w/-]*$", terms.name) or setter.document not in {
        i.document for i in chain.changes
    }:
        return []
    known = dictionary_of(ground, chain, test)
    if used_terms(terms.name, known):
        return []
    before = [t for _, text in state.superseded for t in used_terms(text.text, known) if _RATIO.search(known[t].heading)]
    if not before:
        return []
    sentence = f"{setter.document} tests the {terms.name}, which the agreement as amended does not define."
    return [
        Reason(code="review_metric_ambiguous", sentence=sentence, subject=setter.document, spans=terms.spans.get("metric", ()))
    ]
