"""From what the steps gave to one result with all its reasons. Exact, and closed: whatever is not clean is review."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformed.engine.context import Conclusion
from conformed.engine.slots import CALCULATED, CASE, CHECKED, DRAFTED, EFFECTIVE, EXTRACTION, RETRIEVED, Calculated
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.codes import CODES, code_class, sentence_of
from conformed.model.covenant import Covenant, Doubt
from conformed.model.decision import Effective, Overlaid, Reason, Result
from conformed.model.pack import CaseFile
from conformed.rules.calculation.compare import compare

__all__ = ["Judgement", "judge", "overlays", "stops"]

MALFORMED = "review_step_malformed"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A result and why, by the part of the run that each reason comes from."""

    result: Result
    """What the run says."""
    parts: dict[str, tuple[Reason, ...]]
    """Reasons and findings by part: intake, retrieve, extract, precedence, calculate, beside, claim_check, draft, boundary, failures.

    What stands beside (waivers, cures) never changes the result, also where it is open (PR-44, PR-45).
    """

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Codes that explain the result, in the order of the steps, each once a subject."""
        return _once(reason for part in self.parts.values() for reason in part if code_class(reason.code) != "finding")

    @property
    def findings(self) -> tuple[Reason, ...]:
        """Codes that do not stop the run."""
        return _once(reason for part in self.parts.values() for reason in part if code_class(reason.code) == "finding")

    def open(self, *parts: str) -> tuple[str, ...]:
        """Codes of some parts that send the run to a person, sorted."""
        return tuple(sorted({reason.code for part in parts for reason in self.parts[part] if stops(reason.code)}))


def stops(code: str) -> bool:
    """Whether a code sends a run to a person: review, a claim that failed, and any code that the product does not have."""
    return code not in CODES or code_class(code) in {"review", "claim"}


def judge(known: Conclusion) -> Judgement:
    """The result of what is known.

    Args:
        known: what the steps gave, and which failed.
    """
    effective, calculated = known.get(EFFECTIVE), known.get(CALCULATED)
    parts = {
        "failures": tuple(Reason(code=one.code, sentence=one.sentence, subject=one.step) for one in known.failures),
        "intake": _of_case(known.get(CASE)),
        "retrieve": _of_doubts("retrieval", found.coverage if (found := known.get(RETRIEVED)) else ()),
        "extract": _of_doubts("extraction", given.rejected if (given := known.get(EXTRACTION)) else ()),
        "precedence": tuple(r for r in effective.reasons if r not in effective.overlay_reasons) if effective else (),
        "calculate": _of_calculation(effective, calculated),
        "beside": overlays(known).reasons,
        "claim_check": _of_claims(known),
        "draft": _of_draft(known),
        "boundary": _boundary(effective, calculated),
    }
    deciding = [reason for name, part in parts.items() if name != "beside" for reason in part]
    if any(stops(reason.code) for reason in deciding) or effective is None:
        return Judgement(Result.REVIEW, parts)
    return Judgement(_clean(effective, calculated), parts)


def overlays(known: Conclusion) -> Overlaid:
    """Waivers and cures: as they stand once the ratio is known, or as precedence left them where the calculation did not come to it."""
    effective, calculated = known.get(EFFECTIVE), known.get(CALCULATED)
    if calculated is not None and calculated.beside is not None:
        return calculated.beside
    return Overlaid(overlay=effective.overlay, reasons=effective.overlay_reasons) if effective is not None else Overlaid()


def _clean(effective: Effective, calculated: Calculated | None) -> Result:
    """The result where nothing is open."""
    if effective.result == "not_tested":
        return Result.NOT_TESTED
    if effective.result != "determined" or calculated is None or isinstance(calculated.calculation, Missing):
        return Result.REVIEW
    comparison = calculated.calculation.comparison
    if isinstance(comparison, Missing):
        return Result.REVIEW
    return Result.PASS if comparison.met else Result.BREACH


def _of_case(case: CaseFile | None) -> tuple[Reason, ...]:
    if case is None:
        return ()
    found = [Reason(code="review_document_unreadable", sentence=one.sentence, subject=one.name) for one in case.refusals]
    found += [_plain("finding_unlisted_file", name) for name in case.unlisted]
    for code, note in (("finding_read_by_ocr", "ocr"), ("finding_hidden_text", "hidden_text")):
        found += [_plain(code, document.name) for document in case.documents if any(one.code == note for one in document.notes)]
    return tuple(found)


def _of_doubts(subject: str, doubts: Iterable[Doubt]) -> tuple[Reason, ...]:
    return tuple(Reason(code=one.code, sentence=one.sentence, subject=subject, spans=one.spans) for one in doubts)


def _of_calculation(effective: Effective | None, calculated: Calculated | None) -> tuple[Reason, ...]:
    """Reasons of the calculation; none where nothing is tested, since nothing is then calculated."""
    if effective is None or calculated is None or effective.result == "not_tested":
        return ()
    found, reasons = calculated.calculation, list(calculated.reasons)
    said = {reason.code for reason in reasons}
    if isinstance(found, Missing):
        # Without a governing covenant a calculation is not owed, and its absence is no reason of its own.
        absent = [_missing(found, "calculation")] if effective.result == "determined" else []
    else:
        reasons += [_plain(code, "calculation") for code in found.codes if code not in said]
        # Nor is a comparison: with what, is what precedence leaves open, and says itself.
        parts = (("ratio", found.ratio), ("comparison", found.comparison))[: 2 if effective.result == "determined" else 1]
        absent = [_missing(one, name) for name, one in parts if isinstance(one, Missing)]
    return (*reasons, *(reason for reason in absent if reason.code not in said))


def _of_claims(known: Conclusion) -> tuple[Reason, ...]:
    checked = known.get(CHECKED)
    refused = [one for one in checked.verdicts if one.outcome != "accept"] if checked else []
    return tuple(
        Reason(code=one.code or MALFORMED, sentence=one.sentence or "A claim did not pass its checks.", subject=one.subject)
        for one in refused
    )


def _of_draft(known: Conclusion) -> tuple[Reason, ...]:
    drafted = known.get(DRAFTED)
    return (_missing(drafted.draft, "draft"),) if drafted and isinstance(drafted.draft, Missing) else ()


def _boundary(effective: Effective | None, calculated: Calculated | None) -> tuple[Reason, ...]:
    """Whether the parts agree with each other: the comparison is worked again, exactly, against the level that governs."""
    if effective is None:
        return ()
    codes = {code_class(reason.code) for reason in effective.reasons}
    if effective.result not in {"determined", "not_tested", "review"}:
        return (_broken("Precedence ended in a way that is not one of its three."),)
    if effective.result == "review" and not any(stops(reason.code) for reason in effective.reasons):
        return (_broken("Precedence asks for review and gives no reason."),)
    if effective.result == "not_tested" and "not_tested" not in codes:
        return (_broken("Precedence says that nothing is tested and gives no reason."),)
    if effective.result != "determined":
        return ()
    if isinstance(effective.covenant, Missing):
        return (_broken("Precedence says that a covenant governs and names none."),)
    if calculated is None or isinstance(calculated.calculation, Missing):
        return ()
    return _disagreement(effective.covenant, calculated.calculation)


def _disagreement(covenant: Covenant, calculation: Calculation) -> tuple[Reason, ...]:
    comparison = calculation.comparison
    if isinstance(comparison, Missing):
        return ()
    if (comparison.comparator, comparison.right) != (covenant.comparator, covenant.limit.value):
        return (_broken("The calculation compares with another level than the one that governs."),)
    if comparison.met != compare(comparison.left, comparison.comparator, comparison.right):
        return (_broken("The comparison, worked again, gives the other answer."),)
    return ()


def _broken(sentence: str) -> Reason:
    return Reason(code=MALFORMED, sentence=sentence, subject="decision boundary")


def _plain(code: str, subject: str) -> Reason:
    return Reason(code=code, sentence=sentence_of(code) if code in CODES else "This code is not known.", subject=subject)


def _missing(found: Missing, subject: str) -> Reason:
    """A code that does not stop would let an absence pass for an answer."""
    return Reason(code=found.code if stops(found.code) else MALFORMED, sentence=found.reason, subject=subject)


def _once(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    kept: dict[tuple[str, str, str], Reason] = {}
    for reason in reasons:
        kept.setdefault((reason.code, reason.subject, reason.sentence), reason)
    return tuple(kept.values())
