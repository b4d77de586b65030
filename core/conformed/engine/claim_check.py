"""The step claim_check: composes claims from the record by rule, and verifies each."""

from __future__ import annotations

from collections.abc import Callable

from conformed.engine.assemble import assemble
from conformed.engine.checks import check_spans
from conformed.engine.context import Conclusion, Inputs, StepContext
from conformed.engine.slots import CALCULATED, CASE, CHECKED, EFFECTIVE, EXTRACTION, RETRIEVED, Checked
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.decision import Decision
from conformed.model.pack import CaseFile
from conformed.model.span import Span
from conformed.rules.claims.claims import SpanLookup, check_claims, compose

__all__ = ["Compose", "claim_check_step", "claims_by_rule", "words_of"]

Compose = Callable[[Decision, CaseFile], Checked]
"""Composes and verifies the claims of a record that has neither claims nor draft yet."""

SLOTS = (CASE, RETRIEVED, EXTRACTION, EFFECTIVE, CALCULATED)
"""What a record is made of before there are claims."""


def claim_check_step(work: Compose | None = None, *, verifiers: tuple[str, ...] = ()) -> StepSpec:
    """Binds the claim check.

    Args:
        work: composes and verifies; the product's own rules where none is given.
        verifiers: name and version of further verifiers, for the log. They judge sentences, in the step draft.
    """
    by = work or claims_by_rule

    def run(inputs: Inputs, context: StepContext) -> Checked:
        held = {slot.name: inputs[slot] for slot in SLOTS}
        return by(assemble(Conclusion(context.run, context.request, held, context.failures)), inputs[CASE])

    return StepSpec(
        name="claim_check",
        gives=CHECKED,
        run=run,
        needs=SLOTS,
        plugins=verifiers,
        outcome=lambda given: ACCEPT if all(one.outcome == "accept" for one in given.verdicts) else REVIEW,
        verify=lambda given, inputs: check_spans(given, inputs[CASE]),
    )


def claims_by_rule(record: Decision, case: CaseFile) -> Checked:
    """The claims of a record, each checked against the words that stand where it points."""
    claims = compose(record)
    return Checked(claims=claims, verdicts=check_claims(claims, words_of(case)), result=record.result)


def words_of(case: CaseFile) -> SpanLookup:
    """Gives the words that stand at a span; none for a document that is not in the pack."""
    texts = {document.name: document.text for document in case.documents}

    def words(span: Span) -> str:
        return texts.get(span.document, "")[max(span.start, 0) : max(span.end, 0)]

    return words
