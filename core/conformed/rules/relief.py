"""Time-limited states and overlays on one covenant: suspension, temporary level, waiver (rule book 3.5)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from conformed.model.codes import sentence_of
from conformed.model.decision import Overlay, Reason
from conformed.model.dates import Window
from conformed.model.operation import Op, Operation
from conformed.model.pack import Instrument, Question
from conformed.rules.dating import Standing, standing_of
from conformed.rules.slots import same_place

__all__ = ["Relief", "overlay_of", "relief_on", "reason_for"]


@dataclass(frozen=True, slots=True)
class Relief:
    """What time-limited operations do on a test date.

    Attributes:
        suspended: operations that suspend testing on the date.
        temporary: operations that set a temporary level on the date.
        open: those of them that may or may not count, with the codes that say why.
        codes: codes of what was considered (expired, reverted, findings).
    """

    suspended: tuple[Operation, ...] = ()
    temporary: tuple[Operation, ...] = ()
    open: tuple[tuple[Operation, tuple[str, ...]], ...] = ()
    reasons: tuple[Reason, ...] = ()


def reason_for(code: str, operation: Operation | None = None, sentence: str = "") -> Reason:
    """A reason with the code's own sentence, about an operation's document."""
    spans = operation.instruction[:2] if operation else ()
    return Reason(code=code, sentence=sentence or sentence_of(code), subject=operation.document if operation else "", spans=spans)


def _applies(operation: Operation, section: str) -> bool:
    target, section = operation.target.section, section.partition("#")[0]
    return bool(target) and (same_place(target, section) or same_place(section, target))


def _window(window: Window, start: datetime.date | None) -> Window:
    return window if window.start is not None else window.model_copy(update={"start": start})


def relief_on(operations: list[Operation], instruments: dict[str, Instrument], doubts: dict[str, tuple[str, ...]], section: str, question: Question, *, no_election: bool) -> Relief:
    """Suspensions and temporary levels of a covenant as they stand on the test date.

    Args:
        operations: relief operations of the chain.
        instruments: by document.
        doubts: codes about each instrument.
        section: the covenant's provision.
        question: test and knowledge date.
        no_election: attested that no early end was elected or notified.
    """
    suspended, temporary, unsure, reasons = [], [], [], []
    for operation in operations:
        if operation.op not in {Op.SUSPEND_TESTING, Op.TEMPORARY_LEVEL} or not _applies(operation, section):
            continue
        standing = standing_of(operation, instruments[operation.document], question.test_date, question.known_at)
        windows = [_window(w, standing.date) for w in operation.windows]
        holds = [w for w in windows if w.holds(question.test_date)]
        if standing.state == "not_yet":
            reasons.append(reason_for("reject_not_yet_effective", operation))
            continue
        if windows and not holds:
            if all(w.end is not None and w.end < question.test_date for w in windows):
                reasons += [reason_for("reject_expired", operation), reason_for("accept_reverted_after_lapse", operation)]
            continue
        codes = list(doubts.get(operation.document, ()))
        codes += standing.codes if standing.state == "doubt" else ()
        codes += [d.code for d in operation.doubts if d.code.startswith("review")]
        reasons += [Reason(code=d.code, sentence=d.sentence, subject=operation.document, spans=d.spans) for d in operation.doubts if d.code.startswith("finding")]
        if any(w.edge_unclear(question.test_date) for w in holds):
            codes.append("review_boundary_date_ambiguous")
        if operation.op is Op.SUSPEND_TESTING and operation.ends_early_on and not no_election:
            codes.append("review_suspension_end_unclear")
        if codes:
            unsure.append((operation, tuple(dict.fromkeys(codes))))
        else:
            (suspended if operation.op is Op.SUSPEND_TESTING else temporary).append(operation)
    return Relief(tuple(suspended), tuple(temporary), tuple(unsure), tuple(reasons))


def overlay_of(operations: list[Operation], instruments: dict[str, Instrument], doubts: dict[str, tuple[str, ...]], sections: tuple[str, ...], question: Question) -> tuple[Overlay, tuple[Reason, ...]]:
    """The waiver that stands beside the result on the knowledge date, if one does.

    A ceiling is not judged here: it needs the calculation (reject_waiver_condition_failed).
    """
    reasons: list[Reason] = []
    overlay = Overlay.NONE
    for operation in operations:
        if operation.op is not Op.WAIVE_TEST:
            continue
        instrument = instruments[operation.document]
        reasons.append(reason_for("reject_waiver_not_amendment", operation))
        if not any(_applies(operation, s) for s in sections):
            continue
        if operation.windows and not any(w.holds(question.test_date) for w in operation.windows):
            continue
        if operation.ends_on is not None and question.known_at >= operation.ends_on:
            reasons.append(reason_for("reject_expired", operation, "The waiver had ended by the knowledge date."))
            continue
        standing: Standing = standing_of(operation, instrument, question.known_at, question.known_at)
        codes = [*doubts.get(operation.document, ()), *(standing.codes if standing.state == "doubt" else ()), *(d.code for d in operation.doubts)]
        if standing.state == "not_yet":
            reasons.append(reason_for("reject_not_yet_effective", operation))
        elif codes:
            reasons += [reason_for(c, operation) for c in dict.fromkeys(codes)]
        else:
            overlay = Overlay.WAIVED
            reasons.append(reason_for("accept_waiver_overlay", operation))
    return overlay, tuple(reasons)
