"""Diversity: equal answers are merged first, and entropy stands beside accuracy and valid outputs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.diversity import Decoding, SampledItem, diversity, diversity_table, merged
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

stats = pytest.importorskip("scipy.stats")


def same_value(one: str, other: str) -> bool:
    """Equal as exact fractions."""
    return Fraction(one) == Fraction(other)


def test_by_hand() -> None:
    """1/2 and 0.5 are one answer: of five valid two are different, with shares 3/5 and 2/5."""
    found = diversity(["1/2", "0.5", None, "2", "2", "0.50"], same_value)
    assert (found.total, found.valid, found.distinct, found.unique_ratio) == (6, 5, 2, Fraction(2, 5))
    assert found.entropy == pytest.approx(-(0.6 * math.log(0.6) + 0.4 * math.log(0.4)), abs=1e-15)
    assert diversity(["1/2", "0.5", "2"]).distinct == 3


def test_no_valid_answer() -> None:
    """Without a valid answer there is a reason and no figure; with one kind of answer the entropy is 0."""
    none = diversity([None, None])
    assert isinstance(none.unique_ratio, Missing)
    assert isinstance(none.entropy, Missing)
    assert diversity(["a", "a", "a"]).entropy == 0.0


@given(st.lists(st.sampled_from(["1", "1/1", "2", "4/2", "3", None]), max_size=12).flatmap(st.permutations))
def test_order_does_not_matter(answers: list[str | None]) -> None:
    """The figures depend on the answers only, are scipy's, and lie in their bounds."""
    found = diversity(answers, same_value)
    assert found == diversity(sorted(answers, key=str), same_value)
    if found.valid:
        values = [Fraction(one) for one in answers if one is not None]
        counts = [values.count(one) for one in sorted(set(values))]
        expected = stats.entropy(counts)
        assert found.entropy == pytest.approx(expected, abs=1e-12)
        assert found.entropy <= math.log(found.distinct) + 1e-12
        assert found.distinct == len(counts)


def test_a_verifier_that_is_not_transitive() -> None:
    """With 1 ~ 2 and 2 ~ 3 only, the result is the same in every order."""

    def close(one: str, other: str) -> bool:
        return abs(int(one) - int(other)) <= 1

    assert merged(["3", "2", "1"], close) == merged(["1", "2", "3"], close) == {"1": "1", "2": "1", "3": "3"}


@pytest.mark.parametrize("said", [1, None, "correct", 0])
def test_a_verifier_that_does_not_say_true_or_false(said: Any) -> None:
    """Only True merges and only False parts: anything else is refused."""
    with pytest.raises(TypeError):
        diversity(["1", "2"], lambda one, other: said)
    with pytest.raises(TypeError):
        diversity([1, "2"])  # type: ignore[list-item]


def test_the_table() -> None:
    """Settings in order, each with diversity, valid outputs and accuracy; other items for another setting are refused."""
    cold, hot = Decoding(temperature="0.2", top_p="1"), Decoding(temperature="1", top_p="0.9")
    one = SampledItem(item="a", answers=("4", "4"), outcomes=("correct", "correct"))
    other = SampledItem(item="a", answers=("4", None), outcomes=("correct", "review"))
    rows = diversity_table([(hot, [other]), (cold, [one])])
    assert [row.decoding for row in rows] == [cold, hot]
    assert [row.mean_unique_ratio for row in rows] == [0.5, 1.0]
    assert isinstance(rows[1].valid_outputs, Proportion)
    assert (rows[1].valid_outputs.successes, rows[1].valid_outputs.trials) == (1, 2)
    assert (rows[1].scores.correct, rows[1].scores.review) == (1, 1)
    with pytest.raises(ValueError, match="different items"):
        diversity_table([(cold, [one]), (hot, [other.model_copy(update={"item": "b"})])])
    with pytest.raises(ValueError, match="one outcome an answer"):
        diversity_table([(cold, [one.model_copy(update={"outcomes": ("correct",)})])])
