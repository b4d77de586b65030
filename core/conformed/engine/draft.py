"""The step draft: has claims put into words, checks every draft, and takes the shortest that passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformed.engine.assemble import assemble
from conformed.engine.claim_check import SLOTS, words_of
from conformed.engine.context import Conclusion, Inputs, StepContext
from conformed.engine.generation import Bounded, kind_with
from conformed.engine.slots import CASE, CHECKED, DRAFTED, Drafted
from conformed.engine.verifying import Verifiers
from conformed.engine.workflow import ACCEPT, REVIEW, Kind, RefusedError, StepSpec
from conformed.model.base import Missing
from conformed.model.claim import Claim, Draft, Verdict
from conformed.model.decision import Decision
from conformed.model.pack import CaseFile
from conformed.ports import Backend, Drafter, DraftRequest
from conformed.rules.claims.claims import check_draft, facts_of

__all__ = ["CheckDraft", "draft_by_rule", "draft_step"]

CheckDraft = Callable[[Draft, tuple[Claim, ...], Decision, CaseFile], tuple[Verdict, ...]]
"""Checks one draft against the claims that passed and the record. It passes when each verdict is accept and there is one."""

ROUNDS = 2
"""One round, and one repair with what the checks found."""
MOST_DRAFTS = 64
"""Most drafts that one drafter may hand in a round; more is refused as malformed."""


def draft_by_rule(draft: Draft, claims: tuple[Claim, ...], record: Decision, case: CaseFile) -> tuple[Verdict, ...]:
    """The product's own claim checks of a draft."""
    return check_draft(draft, claims, words_of(case), facts_of(record))


def draft_step(
    drafters: Sequence[tuple[str, Drafter]],
    *,
    check: CheckDraft = draft_by_rule,
    verifiers: Verifiers | None = None,
    backend: tuple[str, Backend] | None = None,
    kind: Kind = Kind.PURE,
) -> StepSpec:
    """Binds drafting.

    Args:
        drafters: name and version of each, and itself, in the contract's order.
        check: checks one draft.
        verifiers: further verifiers. They can only tighten.
        backend: name and version of what generates, and itself; None where nothing is generated.
        kind: READ where a drafter or a verifier may answer differently when asked again.
    """
    further = verifiers or Verifiers()

    def run(inputs: Inputs, context: StepContext) -> Drafted:
        case, checked = inputs[CASE], inputs[CHECKED]
        held = {slot.name: inputs[slot] for slot in (*SLOTS, CHECKED)}
        record = assemble(Conclusion(context.run, context.request, held, context.failures))
        refused = {verdict.subject for verdict in checked.verdicts if verdict.outcome != "accept"}
        claims = tuple(claim for claim in checked.claims if claim.id not in refused)

        def judge(draft: Draft) -> tuple[Verdict, ...]:
            own = _own(draft, claims, record)
            return own or (*check(draft, claims, record, case), *further.judge(draft, claims))

        kept: list[Verdict] = []
        feedback: tuple[Verdict, ...] = ()
        bounded = None if backend is None else Bounded(backend[1], backend[0], context.meter)
        for number in range(1, ROUNDS + 1):
            request = DraftRequest(context.run, case.digest, claims, feedback, spend=context.meter.spend, backend=bounded)
            passed, found = _round(drafters, request, judge)
            kept += found
            if passed:
                draft = min(passed, key=_size)
                if bounded is not None:
                    draft = draft.model_copy(update={"producer": bounded.asked(draft.producer)})
                return Drafted(draft=draft, verdicts=tuple(kept), rounds=number)
            feedback = tuple(verdict for verdict in found if verdict.outcome != "accept")
        none = Missing(reason=f"No draft passed the claim checks in {ROUNDS} rounds.", code="review_draft_refused")
        return Drafted(draft=none, verdicts=tuple(kept), rounds=ROUNDS)

    return StepSpec(
        name="draft",
        gives=DRAFTED,
        run=run,
        needs=(*SLOTS, CHECKED),
        kind=kind if backend is None else kind_with(backend[1]),
        plugins=(*(plugin for plugin, _drafter in drafters), *further.names, *((backend[0],) if backend else ())),
        outcome=lambda given: REVIEW if isinstance(given.draft, Missing) else ACCEPT,
    )


def _round(
    drafters: Sequence[tuple[str, Drafter]], request: DraftRequest, judge: Callable[[Draft], tuple[Verdict, ...]]
) -> tuple[list[Draft], list[Verdict]]:
    """One round: the drafts that pass, and all verdicts."""
    passed: list[Draft] = []
    found: list[Verdict] = []
    for plugin, drafter in drafters:
        drafts = drafter.draft(request)
        if not isinstance(drafts, tuple) or len(drafts) > MOST_DRAFTS or not all(isinstance(one, Draft) for one in drafts):
            raise RefusedError(f"The drafter {plugin} gave something else than drafts.", code="review_step_malformed")
        for draft in drafts:
            verdicts = judge(draft)
            found += verdicts
            if verdicts and all(verdict.outcome == "accept" for verdict in verdicts):
                passed.append(draft)
    return passed, found


def _own(draft: Draft, claims: tuple[Claim, ...], record: Decision) -> tuple[Verdict, ...]:
    """What needs no claim check to be seen: a draft of another run, without words, or of claims that there are not."""
    known = {claim.id for claim in claims}
    if draft.run != record.run or draft.pack_digest != record.pack_digest:
        return (_reject("claim_stale_run", "The draft was written for another run or another pack."),)
    if not draft.sentences:
        return (_reject("claim_reason_missing", "The draft has no sentence."),)
    if any(not sentence.claims or not known.issuperset(sentence.claims) for sentence in draft.sentences):
        return (_reject("claim_uncited", "A sentence of the draft names no claim of this run."),)
    return ()


def _reject(code: str, sentence: str) -> Verdict:
    return Verdict(outcome="reject", code=code, sentence=sentence, subject="draft", verifier="engine")


def _size(draft: Draft) -> tuple[int, str]:
    """Length of the words, then the words: the same draft is taken whatever the order in which drafts came."""
    words = " ".join(sentence.text for sentence in draft.sentences)
    return len(words), words
