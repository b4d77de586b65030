"""Overrides: what a person adds to a run, code by code, so that it can be done again.

An override adds a fact. No kind of override has a field for a level, a comparator or a result: these come from the papers
and from the rules alone. Words of a person are data; they are kept and shown, and decide nothing.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import Field

from conformed.model.base import Exact, Frozen
from conformed.model.covenant import Covenant

__all__ = [
    "CALCULATION",
    "MAY_ANSWER",
    "CounselReading",
    "CpEvidenceSeen",
    "ExecutionSeen",
    "InputCorrected",
    "MappingCorrected",
    "Overridden",
    "Override",
    "ResultRejected",
    "ReviewConfirmed",
    "TargetConfirmed",
    "Told",
]

CALCULATION = "calculation"
"""The one check that an override of a figure may answer where no code is open."""

MAY_ANSWER: dict[str, frozenset[str]] = {
    "override_cp_evidence_seen": frozenset(
        {"review_cp_evidence_missing", "review_possible_lapse", "review_effective_date_ambiguous"}
    ),
    "override_execution_seen": frozenset(
        {"review_unsigned_instrument", "review_partial_execution", "review_effective_date_ambiguous"}
    ),
    "override_counsel_reading": frozenset({
        "review_base_reference_mismatch",
        "review_boundary_date_ambiguous",
        "review_comparator_ambiguous",
        "review_conflict_same_effective_date",
        "review_effective_date_ambiguous",
        "review_effective_order_inverts_signing",
        "review_gloss_conflict",
        "review_metric_ambiguous",
        "review_percent_ratio_ambiguous",
        "review_retroactive_without_waiver",
        "review_schedule_gap",
        "review_schedule_overlap",
        "review_side_letter_authority",
        "review_suspension_end_unclear",
        "review_table_ambiguous",
        "review_target_ambiguous",
        "review_target_heading_mismatch",
        "review_words_figures_conflict",
    }),
    "override_input_corrected": frozenset({
        CALCULATION,
        "review_input_conflict",
        "review_scale_suspect",
        "review_scale_unknown",
        "finding_certificate_ratio_differs",
    }),
    "override_mapping_corrected": frozenset({
        CALCULATION,
        "review_input_conflict",
        "review_input_missing",
        "finding_certificate_ratio_differs",
    }),
    "override_target_confirmed": frozenset({
        "review_target_ambiguous",
        "review_target_heading_mismatch",
        "review_target_not_found",
        "review_amends_spent_amendment",
    }),
}  # fmt: skip
"""What an override of each kind may answer. What is not here it leaves open. The two kinds that add no fact are not listed."""


class _Override(Frozen):
    """What every override says."""

    answers: str
    """The reason code, or the check, of the earlier run that it answers."""
    subject: str = ""
    """What it is about: the document; for a reading of counsel the subject of the code that it answers."""
    reason: str
    """Why, in the person's own words. Kept as data: never read by a rule."""
    by: str
    """Who."""
    at: datetime.datetime
    """When it was given, UTC."""


class CpEvidenceSeen(_Override):
    """The conditions of an instrument were met on a day, as a paper shows."""

    code: Literal["override_cp_evidence_seen"] = "override_cp_evidence_seen"
    """Reason code."""
    met_on: datetime.date
    """The day on which the last condition was met."""
    file: str
    """Name of the paper that shows it, inside the pack or added to it."""
    words: str
    """Words of that paper that show it."""


class ExecutionSeen(_Override):
    """The executed copy of an instrument was obtained."""

    code: Literal["override_execution_seen"] = "override_execution_seen"
    """Reason code."""
    file: str
    """Name of the executed copy, inside the pack or added to it."""
    signed_on: datetime.date
    """The day of the last required signature."""


class CounselReading(_Override):
    """One of the readings that the run showed, taken on counsel's written advice."""

    code: Literal["override_counsel_reading"] = "override_counsel_reading"
    """Reason code."""
    counsel: str
    """Name of counsel."""
    advised_on: datetime.date
    """Date of the advice."""
    reference: str
    """Reference of the advice."""
    reading: int = Field(ge=1)
    """Number of the reading, counted from 1 in the order in which the run shows them."""
    run: str = ""
    """The run that showed the readings. Set by the program."""
    chosen: Covenant | None = None
    """The reading of that number. Set by the program from that run's record, never by a person."""


class InputCorrected(_Override):
    """A figure of a certificate is wrong in its source or was read wrongly."""

    code: Literal["override_input_corrected"] = "override_input_corrected"
    """Reason code."""
    figure: str
    """Name of the figure in the calculation, or its label."""
    old: Exact
    """The figure as the run has it, in whole units of the currency."""
    new: Exact
    """The figure as it should be, in whole units of the currency."""
    file: str
    """Name of the paper that shows the new figure, inside the pack or added to it."""
    words: str
    """Words of that paper that show it."""


class MappingCorrected(_Override):
    """A line of a certificate belongs to another term of the definition."""

    code: Literal["override_mapping_corrected"] = "override_mapping_corrected"
    """Reason code."""
    figure: str
    """Label of the line, or its name in the calculation."""
    old: str
    """The term to which the run counted it, by its name in the calculation."""
    new: str
    """The term to which it belongs, by its name in the calculation."""


class TargetConfirmed(_Override):
    """It is settled which provision an instruction means."""

    code: Literal["override_target_confirmed"] = "override_target_confirmed"
    """Reason code."""
    named: str = ""
    """The provision as the instruction names it; empty where it names none."""
    words: str = ""
    """Words of the instruction, where the document gives several."""
    section: str
    """The provision that it means."""
    reference: str
    """The document, or counsel's reference, that settles it."""


class ReviewConfirmed(_Override):
    """What is open stays open."""

    code: Literal["override_review_confirmed"] = "override_review_confirmed"
    """Reason code."""
    asks: str
    """Who will ask."""
    asked: str
    """Whom."""
    by_when: datetime.date
    """By when."""


class ResultRejected(_Override):
    """The run is not accepted; another is needed."""

    code: Literal["override_result_rejected"] = "override_result_rejected"
    """Reason code."""


Override = Annotated[
    CpEvidenceSeen
    | ExecutionSeen
    | CounselReading
    | InputCorrected
    | MappingCorrected
    | TargetConfirmed
    | ReviewConfirmed
    | ResultRejected,
    Field(discriminator="code"),
]
"""An override of any kind."""


class Told(Frozen):
    """What became of one override."""

    override: Override
    """The override, with the person's words."""
    taken: bool
    """Whether its fact was used. A fact that a paper contradicts is not."""
    changed: bool
    """Whether anything of the outcome would be otherwise without it."""
    sentence: str
    """What became of it, in plain words of ours."""


class Overridden(Frozen):
    """Of a run that was done again with overrides: the run before it, and what became of each."""

    earlier: str
    """The run that was overridden. Its record stays as it was."""
    told: tuple[Told, ...]
    """Every override that counts, those of earlier runs too, in a fixed order."""
    rerun_required: bool = False
    """Whether a person does not accept the result, so that another run is needed."""
