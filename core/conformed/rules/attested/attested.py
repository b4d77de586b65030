"""Overrides, folded into a case before precedence as facts that a person attests. Pure: the same overrides in any order give the same.

Not to be taken for ``conformed.rules.unread.overridden``, which is about agreements that override a covenant by their own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformed.model.base import Missing
from conformed.model.decision import Effective, Reason
from conformed.model.operation import Extraction
from conformed.model.override import (
    CounselReading,
    CpEvidenceSeen,
    ExecutionSeen,
    InputCorrected,
    MappingCorrected,
    Override,
    ResultRejected,
    ReviewConfirmed,
    TargetConfirmed,
)
from conformed.model.pack import CaseFile
from conformed.rules.attested.attested_figures import input_corrected, mapping_corrected
from conformed.rules.attested.attested_papers import conditions_met, executed, provision_meant
from conformed.rules.attested.attested_reading import read_as_advised
from conformed.rules.precedence.precedence import decide

__all__ = ["Attested", "attest", "decide_attested", "in_fixed_order"]

_WORDS = {"answers", "at", "by", "reason", "reading", "run"}
"""Fields of an override that say nothing of its fact. A chosen reading is compared by itself and not by its number."""
_SAME = {
    "override_cp_evidence_seen": ("subject",),
    "override_execution_seen": ("subject",),
    "override_input_corrected": ("subject", "figure"),
    "override_mapping_corrected": ("subject", "figure"),
    "override_target_confirmed": ("subject", "named", "words"),
}
"""Fields that say what a fact is about: two facts about one thing must be one fact."""


@dataclass(frozen=True, slots=True)
class Attested:
    """A case with the facts of overrides folded in.

    Attributes:
        case: the case file, with what is attested of its papers.
        extraction: what was proposed, with what is attested of figures and instructions.
        said: each override, in a fixed order, with the reason that came of it: its own code where its fact was taken, a review
            code where a paper contradicts it or does not show it. Readings of counsel are not among them: they wait for precedence.
        readings: readings of counsel.
    """

    case: CaseFile
    extraction: Extraction
    said: tuple[tuple[Override, Reason], ...]
    readings: tuple[CounselReading, ...]


def in_fixed_order(overrides: Iterable[Override]) -> tuple[Override, ...]:
    """Overrides in an order that does not depend on the one in which they were given, each once."""
    return tuple({one.model_dump_json(): one for one in sorted(overrides, key=lambda o: (o.code, o.model_dump_json()))}.values())


def attest(case: CaseFile, extraction: Extraction, overrides: Iterable[Override]) -> Attested:
    """Folds overrides into a case.

    Args:
        case: the case as it was read, with the papers that the overrides add among its documents.
        extraction: what was proposed of it.
        overrides: in any order.
    """
    ordered = in_fixed_order(overrides)
    base, said = extraction, []
    for one in ordered:
        if isinstance(one, CounselReading):
            continue
        clash = _clash(one, ordered)
        if clash is not None:
            said.append((one, clash))
            continue
        match one:
            case CpEvidenceSeen():
                case, reason = conditions_met(case, one)
            case ExecutionSeen():
                case, reason = executed(case, one)
            case TargetConfirmed():
                extraction, reason = provision_meant(case, extraction, one)
            case InputCorrected():
                extraction, reason = input_corrected(case, extraction, base, one)
            case MappingCorrected():
                extraction, reason = mapping_corrected(extraction, base, one)
            case ReviewConfirmed():
                reason = Reason(code=one.code, sentence="A person agrees that what is open stays open.", subject=one.subject)
            case ResultRejected():
                why = "A person does not accept this result; another run is needed."
                reason = Reason(code=one.code, sentence=why, subject=one.subject)
        said.append((one, reason))
    return Attested(case, extraction, tuple(said), tuple(o for o in ordered if isinstance(o, CounselReading)))


def _fact(override: Override) -> str:
    return override.model_dump_json(exclude=_WORDS)


def _clash(one: Override, overrides: Sequence[Override]) -> Reason | None:
    """Why a fact is not taken that another override about the same thing contradicts; none of the two is."""
    about = _SAME.get(one.code)
    if about is None:
        return None
    same = [o for o in overrides if o.code == one.code and all(getattr(o, name) == getattr(one, name) for name in about)]
    if len({_fact(o) for o in same}) == 1:
        return None
    codes = {
        "override_cp_evidence_seen": "review_effective_date_ambiguous",
        "override_execution_seen": "review_unsigned_instrument",
        "override_target_confirmed": "review_target_ambiguous",
    }
    why = f"Two overrides {one.code} give different facts about one thing; neither was taken."
    return Reason(code=codes.get(one.code, "review_input_conflict"), sentence=why, subject=one.subject)


def decide_attested(case: CaseFile, extraction: Extraction, attested: Attested) -> tuple[Effective, bool, str]:
    """Precedence on a case with overrides folded in: every fact that was used is a reason, every contradiction a review.

    Args:
        case: the attested case.
        extraction: the attested proposals.
        attested: what came of the overrides.

    Returns:
        The answer, whether counsel's reading was taken, and why not where it was not.
    """
    effective, taken, why = read_as_advised(case, extraction, decide(case, extraction), attested.readings)
    against = tuple(r for _, r in attested.said if not r.code.startswith("override"))
    mine = {(r.code, r.subject, r.sentence): r for _, r in attested.said if r not in against}
    if against and effective.result != "review":
        covenant = effective.covenant
        effective = effective.model_copy(update={
            "result": "review",
            "not_tested": "",
            "covenant": Missing(reason=against[0].sentence, code=against[0].code),
            "candidates": effective.candidates if isinstance(covenant, Missing) else (covenant, *effective.candidates),
            "reasons": tuple(r for r in effective.reasons if not r.code.startswith(("accept", "not_tested"))),
        })  # fmt: skip
    return effective.model_copy(update={"reasons": (*effective.reasons, *against, *mine.values())}), taken, why
