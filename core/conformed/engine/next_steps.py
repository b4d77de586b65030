"""What a person must now do: one sentence for what is open, and one for what always stays with a person."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.model.codes import CODES
from conformed.model.decision import Reason, Result

__all__ = ["next_steps"]

_ACTIONS: dict[str, tuple[str, ...]] = {
    "Get the executed copy of {subject} and add it to the pack, or attest its execution in pack.yaml.": (
        "review_unsigned_instrument",
        "review_partial_execution",
    ),
    "Get the evidence that the conditions of {subject} were met and on which day, or attest it as effective_on in pack.yaml.": (
        "review_cp_evidence_missing",
    ),
    "Get the evidence that {subject} took effect, or that it ended without doing so; or attest effective_on or lapsed_on in pack.yaml.": (
        "review_possible_lapse",
    ),
    "Get the lenders' consents for {subject}, and compare them with the share and class that the agreement asks for.": (
        "review_consent_threshold_unproven",
        "review_wrong_consent_class",
    ),
    "Get the recited instrument that is not in the pack, add it and run again; or attest chain_complete.": (
        "review_missing_instrument_in_chain",
        "review_retrieval_incomplete",
    ),
    "Get the side letter that is meant and add it; or attest side_letters_apart, where it is known to leave the covenant alone.": (
        "review_side_letter_not_in_pack",
    ),
    "Settle with counsel whether {subject} belongs to this agreement and binds its parties.": (
        "review_base_reference_mismatch",
        "review_side_letter_authority",
    ),
    "Open {subject} as it was signed, and read the words that were lost or blacked out.": (
        "review_text_formatting_lost",
        "review_redacted_term",
    ),
    "Compare the conformed copy with the instruments and settle which words count.": ("review_conformed_copy_conflict",),
    "Settle with counsel which provision the instruction in {subject} means, then override with override_target_confirmed.": (
        "review_target_not_found",
        "review_target_ambiguous",
        "review_target_heading_mismatch",
        "review_anchor_not_unique",
        "review_amends_spent_amendment",
    ),
    "Settle with counsel in which order the instruments took effect, and whether one reaches back over the test date.": (
        "review_conflict_same_effective_date",
        "review_effective_order_inverts_signing",
        "review_effective_date_ambiguous",
        "review_retroactive_without_waiver",
    ),
    "Settle which row or window covers the test date; the words leave it open.": (
        "review_boundary_date_ambiguous",
        "review_schedule_gap",
        "review_schedule_overlap",
        "review_table_ambiguous",
        "review_suspension_end_unclear",
    ),
    "Read the level at the place shown and settle which figure counts.": (
        "review_words_figures_conflict",
        "review_numeric_token_malformed",
        "review_gloss_conflict",
        "review_percent_ratio_ambiguous",
    ),
    "Read the clause at the place shown in full: its words were not all understood.": ("review_clause_not_fully_read",),
    "Look at the page shown: whether it bears the number that was read from it.": ("review_number_not_witnessed",),
    "Get the document or model on which the level depends.": ("review_level_by_external_reference",),
    "Get the terms of the other financing and compare them; or attest no_tighter_terms.": ("review_mfn_external",),
    "Settle with counsel which ratio is tested and how equality is treated.": (
        "review_metric_ambiguous",
        "review_comparator_ambiguous",
    ),
    "Get the election notice and the evidence for each of its conditions; or attest no_election.": (
        "review_election_evidence_missing",
    ),
    "Give the figures of the trigger, with their source.": ("review_trigger_evidence_missing",),
    "Settle what the agreement says where earnings are not positive.": ("review_ebitda_non_positive",),
    "Get the figures in one currency and one stated scale, or the agreed rate with its date and source.": (
        "review_currency_mismatch",
        "review_fx_basis_missing",
        "review_scale_unknown",
        "review_scale_suspect",
    ),
    "Get figures for the whole period on one basis of accounting.": (
        "review_period_incomplete",
        "review_period_mismatch",
        "review_comparatives_restated",
        "review_accounting_change_unreconciled",
    ),
    "Settle with counsel how the definition is to be worked, then run again.": (
        "review_cap_basis_ambiguous",
        "review_rounding_method_ambiguous",
        "review_definition_version_unclear",
    ),
    "Get the evidence that the agreement asks for before the amount may count.": (
        "review_cash_eligibility_unproven",
        "review_proforma_unsupported",
        "review_cure_conditions_unproven",
    ),
    "Get the signed certificate.": ("review_certificate_unsigned",),
    "Give the figure that is missing, with its source.": ("review_input_missing",),
    "Settle which source of the figure counts, then override with override_input_corrected.": ("review_input_conflict",),
    "Look at the log of this run and at what does the step {subject}; mend it and run again. Nothing that it gave was used.": (
        "review_step_failed",
        "review_step_malformed",
        "review_span_mismatch",
        "review_outside_pack",
    ),
    "Run again with more time for {subject}, if the contract may be changed; a pack that is very large may need it.": (
        "review_step_timeout",
        "review_budget_exceeded",
    ),
    "Read the record itself: no draft passed its checks.": ("review_draft_refused",),
    "Get a readable copy of {subject}, or list the documents that count in pack.yaml.": ("review_document_unreadable",),
    "Check the name or section asked for against the agreement, and that the agreement is in the pack.": (
        "review_no_covenant_found",
    ),
}
_BY_CODE = {code: action for action, codes in _ACTIONS.items() for code in codes}

_RESULTS = {
    Result.PASS: "Check the level and the figures at the places shown.",
    Result.BREACH: "Check the level and the figures at the places shown, and whether a waiver or a cure is to be considered.",
    Result.NOT_TESTED: "Check at the places shown why the covenant is not tested on this date.",
    Result.REVIEW: "Settle what is open, or confirm with override_review_confirmed that it stays open.",
}
_FINDINGS = {
    "finding_certificate_uses_wrong_level": "Point out that the certificate tests against a level that is not in force.",
    "finding_certificate_ratio_differs": "Find out why the certificate's ratio differs from the one recalculated.",
    "finding_cure_window_open": "Note until when the test may be cured.",
    "finding_late_delivery": "Note that the figures were delivered late.",
    "finding_other_test_in_force": "See to the other test that applies on this date; it is outside this run.",
    "finding_test_date_unconfirmed": "Confirm that the date asked for is a test date.",
    "finding_read_by_ocr": "Compare what was read from pictures with the pages themselves.",
    "finding_hidden_text": "Look at the document with hidden words; they were not used.",
}
_ALWAYS = "Then accept the file, override a named check with a reason code, or return it. Nobody approves their own work."


def next_steps(result: Result, reasons: Sequence[Reason], findings: Sequence[Reason]) -> tuple[str, ...]:
    """What a person must do, in the order of the reasons, each sentence once.

    Args:
        result: result of the run.
        reasons: its reasons.
        findings: its findings.
    """
    said = [_action(reason) for reason in reasons if reason.code.startswith(("review_", "claim_")) or reason.code not in CODES]
    said.append(_RESULTS[result])
    said += [_FINDINGS[finding.code] for finding in findings if finding.code in _FINDINGS]
    return (*dict.fromkeys(said), _ALWAYS)


def _action(reason: Reason) -> str:
    action = _BY_CODE.get(reason.code)
    if action is None:
        return f"Settle by hand: {reason.sentence}"
    return action.format(subject=reason.subject or "the document named")
