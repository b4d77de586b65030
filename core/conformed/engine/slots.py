"""The places of the covenant run: what each step gives, with its type."""

from __future__ import annotations

from conformed.engine.workflow import Slot
from conformed.model.base import Frozen, Missing
from conformed.model.calculation import Calculation, Certificate
from conformed.model.claim import Claim, Draft, Verdict
from conformed.model.decision import Effective, Overlaid, Reason, Result
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.model.retrieval import Retrieved

__all__ = ["CALCULATED", "CASE", "CHECKED", "DRAFTED", "EFFECTIVE", "EXTRACTION", "RETRIEVED", "Calculated", "Checked", "Drafted"]


class Calculated(Frozen):
    """What the step calculate gives."""

    calculation: Calculation | Missing
    """The calculation, or why there is none."""
    certificate: Certificate | Missing
    """The certificate from which its figures come, or why there is none."""
    reasons: tuple[Reason, ...] = ()
    """Codes of the calculation with sentences of their own."""
    beside: Overlaid | None = None
    """Waivers, cures and findings beside the result, now that the ratio is known; None where that was not asked."""


class Checked(Frozen):
    """What the step claim_check gives."""

    claims: tuple[Claim, ...]
    """Claims composed from the record."""
    verdicts: tuple[Verdict, ...]
    """What the checks of the claims found."""
    result: Result
    """The result of the record from which the claims were composed."""


class Drafted(Frozen):
    """What the step draft gives."""

    draft: Draft | Missing
    """The shortest draft that passed, or why there is none."""
    verdicts: tuple[Verdict, ...] = ()
    """What the checks of every draft found, in the order in which they were made."""
    rounds: int = 1
    """How many rounds of drafting there were: 2 where a repair was asked for."""


CASE: Slot[CaseFile] = Slot("case_file", CaseFile)
RETRIEVED: Slot[Retrieved] = Slot("retrieved", Retrieved)
EXTRACTION: Slot[Extraction] = Slot("extraction", Extraction)
EFFECTIVE: Slot[Effective] = Slot("effective", Effective)
CALCULATED: Slot[Calculated] = Slot("calculated", Calculated)
CHECKED: Slot[Checked] = Slot("checked", Checked)
DRAFTED: Slot[Drafted] = Slot("drafted", Drafted)
