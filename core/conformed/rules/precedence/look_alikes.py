"""What stands in the pack where no covenant does: ratios of another kind, and percentages of what is not earnings (PR-25)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.language.limits import find_limits
from conformed.model.codes import sentence_of
from conformed.model.covenant import CovenantTerms
from conformed.model.decision import Reason
from conformed.model.operation import Extraction
from conformed.rules.instruments.chains import BASES
from conformed.rules.precedence.ground import Ground

__all__ = ["look_alikes", "percent_or_ratio"]

_OTHERS = (
    "reject_pricing_grid",
    "reject_incurrence_only",
    "reject_other_ratio",
    "reject_form_of_certificate",
    "reject_other_facility_covenant",
)
_PERCENT = "review_percent_ratio_ambiguous"
_BOUND = r"(?:exceed(?:ing|s)?|greater\s+than|more\s+than|higher\s+than|less\s+than|lower\s+than|below|above|in\s+excess\s+of|at\s+least|at\s+most)"
_SHARE = re.compile(
    rf"\b(?:Debt|Indebtedness|Borrowings|Leverage|Gearing)\b[^.;%]{{0,160}}?\b(?:shall|must|may|will|permit|ensure|procure)\b[^.;%]{{0,160}}?"
    rf"\b{_BOUND}\s+(?P<share>\d{{1,3}}(?:\.\d+)?\s*(?:%|per\s?cent\.?))"
    rf"|\b(?:shall|must|may|will)\b[^.;%]{{0,90}}?\b(?:Debt|Indebtedness|Borrowings|Leverage|Gearing)\b[^.;%]{{0,160}}?\b{_BOUND}\s+"
    rf"(?P<other>\d{{1,3}}(?:\.\d+)?\s*(?:%|per\s?cent\.?))",
)


def look_alikes(ground: Ground, extraction: Extraction, known: Iterable[CovenantTerms]) -> list[Reason]:
    """Why no covenant answers although figures like it stand in the pack; empty where nothing of the kind does.

    Args:
        ground: the case.
        extraction: what the documents were read to do, with what was rejected.
        known: covenants that are stated, of whatever figure.
    """
    documents = {i.document for i in ground.admitted.known}
    others = [d for d in extraction.rejected if d.code in _OTHERS and d.spans and d.spans[0].document in documents]
    reasons = []
    if others:
        said = "Ratios stand in the pack, and each is of another kind than a covenant that is tested: the covenant's own text is missing."
        reasons.append(Reason(code="review_input_missing", sentence=said, spans=others[0].spans[:1]))
    reasons += _tested_by_certificate(ground, extraction)
    percent = next((d for t in known for d in t.doubts if d.code == _PERCENT), None)
    if percent is not None:
        reasons.append(Reason(code=_PERCENT, sentence=percent.sentence, spans=percent.spans))
    else:
        reasons += _share_of_something(ground)
    return reasons


def _tested_by_certificate(ground: Ground, extraction: Extraction) -> list[Reason]:
    """A certificate that tests the level of a condition for an action, as if it were a covenant (P07)."""
    asked = {c.states_level for c in ground.certificates if c.states_level is not None}
    for doubt in extraction.rejected:
        if doubt.code != "reject_incurrence_only" or not asked:
            continue
        for span in doubt.spans:
            view = ground.views.get(span.document)
            text = (
                view.slice(view.offset_of(span.document, span.start), view.offset_of(span.document, span.end)).text
                if view
                else ""
            )
            if any(token.value in asked for token in find_limits(text, 0, len(text), "ratio")):
                said = "A certificate tests a level that the agreement sets only as a condition for an action: which ratio is meant is open."
                return [Reason(code="review_metric_ambiguous", sentence=said, spans=(span,))]
    return []


def _share_of_something(ground: Ground) -> list[Reason]:
    """A limit of debt as a percentage of nothing that is named, or of what is not earnings (P04)."""
    for instrument in ground.admitted.instruments:
        if instrument.kind not in BASES:
            continue
        view = ground.views[instrument.document]
        for match in _SHARE.finditer(view.text):
            group = "share" if match["share"] else "other"
            return [
                Reason(
                    code=_PERCENT,
                    sentence=sentence_of(_PERCENT),
                    subject=instrument.document,
                    spans=view.spans(*match.span(group)),
                )
            ]
    return []


def percent_or_ratio(readings: Iterable[tuple[str, str, object]]) -> bool:
    """Whether one limit is given once as a percentage and once as a ratio, and the two differ (P04).

    Args:
        readings: metric, level as written and level of each reading.
    """
    given = list(readings)
    alike = {metric for metric, _, _ in given}
    percent = {value for _, raw, value in given if "%" in raw or re.search(r"per\s?cent", raw)}
    plain = {value for _, raw, value in given if not ("%" in raw or re.search(r"per\s?cent", raw))}
    return len(alike) == 1 and bool(percent) and bool(plain) and percent != plain
