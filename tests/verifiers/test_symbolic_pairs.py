"""The pairs on which checkers go wrong: what was worked out by hand, in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from conformed.model.answer import AnswerCheck, Outcome
from conformed_plugins.verifiers.symbolic import SymbolicVerifier

PAIRS: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(Path(__file__).with_name("pairs.yaml"))


@pytest.fixture(scope="module")
def verifier() -> Iterator[SymbolicVerifier]:
    """One verifier, and so one worker, for all pairs."""
    made = SymbolicVerifier()
    yield made
    made.close()


def outcome_of(verifier: SymbolicVerifier, candidate: str, reference: str, pair: dict[str, Any]) -> tuple[Outcome, str]:
    """What is found of two answers under the pair's assumptions."""
    facts = {"assumptions": dict(pair.get("assumptions", {}))}
    verdict = verifier.check(AnswerCheck(candidate=candidate, reference=reference, facts=facts))
    return verdict.outcome, verdict.code


def test_there_are_enough_of_them() -> None:
    """At least 150 pairs, none twice, and every outcome well represented."""
    keys = {(pair["candidate"], pair["reference"], str(pair.get("assumptions"))) for pair in PAIRS}
    assert len(keys) == len(PAIRS) >= 150
    for outcome in ("correct", "incorrect", "review"):
        assert sum(pair["outcome"] == outcome for pair in PAIRS) >= 40


@pytest.mark.parametrize(
    "pair", PAIRS, ids=lambda pair: f"{pair['candidate']} | {pair['reference']} | {pair.get('assumptions', '')}"
)
def test_pair(verifier: SymbolicVerifier, pair: dict[str, Any]) -> None:
    """The outcome is the one that was worked out by hand."""
    found, code = outcome_of(verifier, pair["candidate"], pair["reference"], pair)
    assert (found, bool(code)) == (pair["outcome"], True), (code, pair["why"])


def test_no_direction_makes_a_wrong_pair_right(verifier: SymbolicVerifier) -> None:
    """With candidate and reference changed over, what is incorrect is never accepted and what is correct never rejected."""
    opposite = {"correct": Outcome.INCORRECT, "incorrect": Outcome.CORRECT}
    for pair in PAIRS:
        found, code = outcome_of(verifier, pair["reference"], pair["candidate"], pair)
        assert found != opposite.get(pair["outcome"]), (pair, code)
        assert found != Outcome.ERROR, (pair, code)
