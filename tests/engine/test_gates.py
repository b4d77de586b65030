"""Gates before weights: who may win, in which order, and that no score opens a gate."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.engine.gates import (
    CalibratedScorer,
    CandidateScores,
    ScorersRule,
    agreed,
    is_audited,
    is_eligible,
    select,
    selection_key,
)
from conformed.errors import ConformedError

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "selection_order.json"
score = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
candidate = st.builds(
    CandidateScores,
    parse_ok=st.booleans(),
    deterministic_ok=st.sampled_from([True, False, None]),
    support_score=score,
    style_score=score,
    policy_violation=st.booleans(),
)


def made(**changed: Any) -> CandidateScores:
    """A candidate that passes every gate, with changes."""
    fields = {"parse_ok": True, "deterministic_ok": True, "support_score": 0.5, "style_score": 0.5, "policy_violation": False}
    return CandidateScores(**(fields | changed))


def test_vectors() -> None:
    """The published right answers."""
    if not VECTORS.is_file():
        pytest.skip("selection_order.json does not lie beside the checkout")
    for row in json.loads(VECTORS.read_text(encoding="utf-8")):
        candidates = [CandidateScores(**one) for one in row["candidates"]]
        assert [is_eligible(one) for one in candidates] == row["eligible"]
        best = max(selection_key(one) for one in candidates)
        assert [None if part == -math.inf else part for part in best] == row["best_key"]
        chosen = select(candidates)
        assert chosen.place is not None
        assert selection_key(candidates[chosen.place]) == best


@pytest.mark.parametrize(
    "changed",
    [
        {"parse_ok": False},
        {"parse_ok": 1},
        {"deterministic_ok": None},
        {"deterministic_ok": False},
        {"deterministic_ok": 1},
        {"deterministic_ok": "yes"},
        {"policy_violation": True},
        {"policy_violation": 0},
        {"policy_violation": None},
    ],
)
def test_a_gate_is_passed_by_facts(changed: dict[str, Any]) -> None:
    """Each gate alone closes, the check passes by True only, and the best scores there are do not help."""
    shut = made(support_score=1e308, style_score=1e308, **changed)
    assert not is_eligible(shut)
    weak = made(support_score=None, style_score=None)
    assert selection_key(weak) > selection_key(shut)
    assert select([shut, weak, shut]).place == 1
    nobody = select([shut])
    assert (nobody.place, nobody.tied, nobody.code) == (None, (), "no_eligible_candidate")


def test_support_before_style() -> None:
    """A little support outweighs any style; a missing score comes after every number, a negative one too."""
    assert selection_key(made(support_score=0.2, style_score=0.0)) > selection_key(made(support_score=0.1, style_score=1.0))
    assert selection_key(made(style_score=-5)) > selection_key(made(style_score=None))
    assert selection_key(made(support_score=-5, style_score=None)) > selection_key(made(support_score=None, style_score=9))
    assert selection_key(made()) == (1, 0.5, 0.5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, True, "0.5", 10**400, 0.5j])
@pytest.mark.parametrize("name", ["support_score", "style_score"])
def test_scores_that_are_none(name: str, bad: Any) -> None:
    """A score that is not a finite number is refused, of an ineligible candidate too."""
    for other in ({}, {"parse_ok": False}):
        with pytest.raises((ValueError, TypeError)) as refusal:
            selection_key(made(**{name: bad}, **other))
        assert isinstance(refusal.value, ConformedError)
        with pytest.raises((ValueError, TypeError)):
            select([made(), made(**{name: bad}, **other)])


def test_a_tie_names_all() -> None:
    """Of equal candidates the first is taken, and the result says that others were as good."""
    chosen = select([made(support_score=0.1), made(), made(parse_ok=False), made()])
    assert (chosen.place, chosen.tied, chosen.code) == (1, (1, 3), "selected_first_of_tied")
    assert select([]).code == "no_eligible_candidate"


@given(st.lists(candidate, max_size=6))
def test_an_ineligible_candidate_never_wins(candidates: list[CandidateScores]) -> None:
    """For any candidates: the winner is eligible and nobody eligible is above it; without an eligible one nobody wins."""
    chosen = select(candidates)
    if chosen.place is None:
        assert not any(is_eligible(one) for one in candidates)
    else:
        assert is_eligible(candidates[chosen.place])
        assert all(selection_key(one) <= selection_key(candidates[chosen.place]) for one in candidates if is_eligible(one))


def scorer(name: str, trained_on: str, threshold: str = "7/10") -> CalibratedScorer:
    """A calibrated scorer."""
    return CalibratedScorer(scorer=name, trained_on=trained_on, threshold=threshold, calibrated_on="ab" * 32)


RULE = ScorersRule(scorers=(scorer("clarity", "d1"), scorer("support", "d2", "1/2")), audit_share="1/10")


@pytest.mark.parametrize(
    ("scores", "violation", "verdict", "code"),
    [
        ({"clarity": 0.7, "support": 0.5}, False, "accept", "scorers_agree"),
        ({"clarity": 0.8, "support": 0.49}, False, "review", "scorers_disagree"),
        ({"clarity": 0.1, "support": 0.1}, False, "review", "support_too_low"),
        ({"clarity": 0.9}, False, "review", "score_missing"),
        ({"clarity": 0.9, "support": None}, False, "review", "score_missing"),
        ({}, False, "review", "score_missing"),
        ({"clarity": 1.0, "support": 1.0}, True, "reject", "hard_violation"),
        ({}, True, "reject", "hard_violation"),
    ],
)
def test_without_a_check_scorers_must_agree(scores: dict[str, float | None], violation: bool, verdict: str, code: str) -> None:
    """All above their thresholds accept; disagreement, low and missing scores are for a person; a violation rejects."""
    found = agreed(RULE, "c1", scores, hard_violation=violation, seed=1)
    assert (found.verdict, found.code) == (verdict, code)


def test_a_share_of_every_outcome_is_audited() -> None:
    """About a tenth of each outcome is drawn, the same ones each time, others with another seed; all at a share of 1."""
    for verdict in ("accept", "reject", "review"):
        drawn = [is_audited(RULE, f"c{n}", verdict, seed=1) for n in range(5000)]
        assert 400 < sum(drawn) < 600
        assert drawn == [is_audited(RULE, f"c{n}", verdict, seed=1) for n in range(5000)]
        assert drawn != [is_audited(RULE, f"c{n}", verdict, seed=2) for n in range(5000)]
    everything = RULE.model_copy(update={"audit_share": Fraction(1)})
    assert agreed(everything, "c1", {}, hard_violation=False, seed=1).audited


@pytest.mark.parametrize(
    ("scorers", "share"),
    [
        ((scorer("a", "d1"),), "1/10"),
        ((), "1/10"),
        ((scorer("a", "d1"), scorer("a", "d2")), "1/10"),
        ((scorer("a", "d1"), scorer("b", "d1")), "1/10"),
        ((scorer("a", "d1"), scorer("b", "d2")), "0"),
        ((scorer("a", "d1"), scorer("b", "d2")), "11/10"),
    ],
)
def test_rules_that_are_none(scorers: tuple[CalibratedScorer, ...], share: str) -> None:
    """One scorer, the same twice, two trained on the same data, and an audit of nothing or of more than all are refused."""
    with pytest.raises(ValueError):
        ScorersRule(scorers=scorers, audit_share=share)
    with pytest.raises(ValueError):
        CalibratedScorer(scorer="a", trained_on="d1", threshold="1/2", calibrated_on="last week")


@pytest.mark.parametrize(
    ("scores", "violation"),
    [({"clarity": math.nan}, False), ({"clarity": True}, False), ({"style": 0.5}, False), ({}, 1), ({}, None)],
)
def test_what_scorers_may_not_say(scores: Any, violation: Any) -> None:
    """Scores that are not finite or of a stranger, and a violation that is no truth value, are refused."""
    with pytest.raises((ValueError, TypeError)):
        agreed(RULE, "c1", scores, hard_violation=violation, seed=1)
