"""Gates before weights: which candidate of several may win, and which does.

Eligibility is decided by facts (parsed, deterministic check passed, no violation); scores only order what is eligible, support
before style. No weight can lift a candidate over a gate.

Where no deterministic check exists, independent scorers must agree above thresholds that were calibrated; whatever else they say
is for a person, and a sample of every outcome is audited.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from conformed.errors import GivenTypeError, GivenValueError
from conformed.model.base import Exact, Frozen

__all__ = [
    "Agreement",
    "CalibratedScorer",
    "CandidateScores",
    "Chosen",
    "ScorersRule",
    "agreed",
    "is_audited",
    "is_eligible",
    "select",
    "selection_key",
]


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """What is known of one candidate. Checked by ``selection_key``."""

    parse_ok: bool
    """Whether its answer parsed."""
    deterministic_ok: bool | None
    """What the deterministic check said; None where it said nothing. Only True passes."""
    support_score: float | None
    """How well sources support it; None where nobody scored it."""
    style_score: float | None
    """How clear it is; None where nobody scored it."""
    policy_violation: bool
    """Whether it breaks a rule of the policy. Only False passes."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which candidate won, or why none did."""

    place: int | None
    """Place of the winner in the list; None where none is eligible."""
    eligible: tuple[bool, ...]
    """For each candidate, whether it was eligible."""
    tied: tuple[int, ...]
    """Places of all eligible candidates with the winner's key, the winner first; empty without a winner."""
    code: str
    """selected, selected_first_of_tied, or no_eligible_candidate."""


def is_eligible(candidate: CandidateScores) -> bool:
    """Whether a candidate passed every gate. Compared by identity: 1 is not True, and None is not a pass."""
    return candidate.parse_ok is True and candidate.deterministic_ok is True and candidate.policy_violation is False


def _rank(name: str, value: Any) -> float:
    """A score to order by; one that is missing comes after every number."""
    if value is None:
        return -math.inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GivenTypeError(f"{name} is {value!r}, not a number.", "Give a finite number, or None where there is no score.")
    try:
        rank = float(value)
    except OverflowError:  # an int beyond every float
        rank = math.inf
    if not math.isfinite(rank):
        raise GivenValueError(f"{name} is {value}.", "Give a finite number, or None where there is no score.")
    return rank


def selection_key(candidate: CandidateScores) -> tuple[int, float, float]:
    """The key by which candidates are ordered, greatest first: eligible, then support, then style.

    Returns:
        1 or 0 for eligible or not, the support score, the style score; minus infinity stands for a missing score. Every
        eligible candidate is above every ineligible one; an ineligible one never wins at all (``select``).

    Raises:
        GivenTypeError: for a score that is neither a number nor None.
        GivenValueError: for a score that is not finite, of an ineligible candidate too.
    """
    return (
        int(is_eligible(candidate)),
        _rank("support_score", candidate.support_score),
        _rank("style_score", candidate.style_score),
    )


def select(candidates: Sequence[CandidateScores]) -> Chosen:
    """Chooses among candidates; without an eligible one nobody wins.

    Of several with the same key the first in the list is taken, and all are named.

    Raises:
        GivenTypeError: for a score that is neither a number nor None.
        GivenValueError: for a score that is not finite.
    """
    keys = [selection_key(one) for one in candidates]
    eligible = tuple(key[0] == 1 for key in keys)
    if not any(eligible):
        return Chosen(None, eligible, (), "no_eligible_candidate")
    best = max(keys)
    tied = tuple(place for place, key in enumerate(keys) if key == best)
    return Chosen(tied[0], eligible, tied, "selected" if len(tied) == 1 else "selected_first_of_tied")


class CalibratedScorer(Frozen):
    """A scorer and the threshold that was calibrated for it."""

    scorer: Annotated[str, Field(min_length=1)]
    """Registered name and revision."""
    trained_on: Annotated[str, Field(min_length=1)]
    """Revision of its training data. Scorers that share it are not independent."""
    threshold: Exact
    """Score from which it supports a candidate."""
    calibrated_on: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the data set of its calibration."""


class ScorersRule(Frozen):
    """The rule where no deterministic check exists."""

    scorers: Annotated[tuple[CalibratedScorer, ...], Field(min_length=2)]
    """Independent scorers; all must support a candidate."""
    audit_share: Exact
    """Share of each outcome that people audit, above 0 and up to 1."""

    @model_validator(mode="after")
    def _independent(self) -> ScorersRule:
        for what in ("scorer", "trained_on"):
            if len({getattr(one, what) for one in self.scorers}) != len(self.scorers):
                raise ValueError(f"Two scorers have the same {what}: they are not independent. Take scorers trained apart.")
        if not 0 < self.audit_share <= 1:
            raise ValueError(f"The share to audit is {self.audit_share}. Give one above 0 and up to 1.")
        return self


Verdict = Literal["accept", "reject", "review"]
"""Outcome of a check."""


class Agreement(Frozen):
    """What the rule says of one candidate."""

    verdict: Verdict
    """Accept, reject or review."""
    code: str
    """scorers_agree, hard_violation, scorers_disagree, support_too_low or score_missing."""
    audited: bool
    """Whether it belongs to the sample that people audit."""


def is_audited(rule: ScorersRule, candidate: str, verdict: Verdict, *, seed: int) -> bool:
    """Whether a candidate is in the audit sample of its outcome: by its id and the seed, so that nobody can choose.

    Args:
        rule: the rule.
        candidate: id of the candidate.
        verdict: its outcome.
        seed: of the sample.
    """
    digest = hashlib.sha256(f"{seed}\x1f{verdict}\x1f{candidate}".encode()).digest()
    return Fraction(int.from_bytes(digest, "big"), 1 << 256) < rule.audit_share


def agreed(
    rule: ScorersRule, candidate: str, scores: Mapping[str, float | None], *, hard_violation: bool, seed: int
) -> Agreement:
    """Judges a candidate for which there is no deterministic check.

    A hard violation is a reject whatever the scores. All scorers above their thresholds accept. Disagreement, low scores and a
    score that is missing are for a person.

    Args:
        rule: scorers, thresholds and the share to audit.
        candidate: id of the candidate.
        scores: by scorer; None or absent where one said nothing.
        hard_violation: whether it breaks a rule that no score can mend.
        seed: of the audit sample.

    Raises:
        GivenTypeError: for a score that is neither a number nor None, or a violation that is no bool.
        GivenValueError: for a score that is not finite, or of a scorer that the rule does not name.
    """
    if not isinstance(hard_violation, bool):
        raise GivenTypeError(f"hard_violation is {hard_violation!r}.", "Give True or False.")
    if strangers := sorted(set(scores) - {one.scorer for one in rule.scorers}):
        raise GivenValueError(f"The rule names no scorer {', '.join(strangers)}.", "Score with the scorers of the rule.")
    ranks = {one.scorer: _rank(one.scorer, scores.get(one.scorer)) for one in rule.scorers}
    support = [ranks[one.scorer] >= float(one.threshold) for one in rule.scorers]
    verdict: Verdict
    if hard_violation:
        verdict, code = "reject", "hard_violation"
    elif -math.inf in ranks.values():
        verdict, code = "review", "score_missing"
    elif all(support):
        verdict, code = "accept", "scorers_agree"
    else:
        verdict, code = "review", "scorers_disagree" if any(support) else "support_too_low"
    return Agreement(verdict=verdict, code=code, audited=is_audited(rule, candidate, verdict, seed=seed))
