"""How much samples differ and what their agreement meant: worked by hand, and for the conditions of the run alone."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from conformed.app.evaluating.agreeing import agreement_by_subject, diversity_of
from conformed.compute.agreement import observed_at
from conformed.compute.diversity import DiversityRow
from conformed.compute.experiment import Method as ExactMethod
from conformed.compute.votes import plurality_vote
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.items import Item, Result, Versions
from conformed.model.answer import Outcome
from conformed.model.base import Missing
from conformed.policy.comparison import Method
from conformed.policy.schema import PluginRef

VERSIONS = Versions(extractor="e", normaliser="n", verifier="v")
EXACT = ExactMethod(policy="p", model_revision="m1", template_revision="t1", decoding="temperature 0.7", n=4, seeds=(1,))


def method(samples: int = 4, **decoding: str) -> Method:
    """A method."""
    return Method(
        name="m", kind="other", backend=PluginRef(plugin="scripted", version="1.0.0"), prompt="Say: {prompt}", samples=samples,
        decoding=decoding, selection="plurality" if samples > 1 else "first",
    )  # fmt: skip


def rows(item: str, *answers: str | None) -> list[Result]:
    """Judged samples of which ``1`` is right."""
    return [
        Result(
            item=item, sample=n, seed=0, response="", answer=a, normalised=a, latency_ms=1, prompt_tokens=1, response_tokens=1,
            outcome=Outcome.REVIEW if a is None else Outcome.CORRECT if a == "1" else Outcome.INCORRECT, code="c", versions=VERSIONS,
        )
        for n, a in enumerate(answers)
    ]  # fmt: skip


def item(name: str, subject: str) -> Item:
    """An item."""
    return Item(id=name, prompt="p", reference="1", split="test", source="s.py", source_revision="0", subject=subject)


ITEMS = [item("a", "sums"), item("b", "sums"), item("c", "words")]
BY_ITEM = {"a": rows("a", "1", "1", "1", "1"), "b": rows("b", "2", "2", "2", "1"), "c": rows("c", "1", None, "3", "1")}


def test_diversity_is_worked_over_valid_answers() -> None:
    """Unique ratios 1/4, 1/2 and 2/3; entropy of equal answers 0; eleven of twelve outputs are valid."""
    found: Any = diversity_of(method(temperature="0.7", top_p="0.95"), BY_ITEM)
    assert isinstance(found, DiversityRow)
    assert found.decoding.temperature == Fraction(7, 10)
    assert math.isclose(found.mean_unique_ratio, (1 / 4 + 1 / 2 + 2 / 3) / 3)
    assert (found.valid_outputs.successes, found.valid_outputs.trials) == (11, 12)


def test_one_sample_and_unstated_decodings_have_no_figure() -> None:
    """One sample has nothing to differ from; a decoding that is no number is named and not guessed."""
    assert isinstance(diversity_of(method(1), {"a": rows("a", "1")}), Missing)
    found = diversity_of(method(temperature="warm"), BY_ITEM)
    assert isinstance(found, Missing)
    assert found.code == "decoding_not_exact"


def test_agreement_is_told_by_subject_and_goes_stale() -> None:
    """A unanimous right vote and a 3 of 4 wrong one among sums; another model or subject gets no figure."""
    sums, words = agreement_by_subject(method(), EXACT, ITEMS, BY_ITEM)
    assert (sums.conditions.subject, words.conditions.subject) == ("sums", "words")
    top = sums.bins[-1].observed
    assert isinstance(top, Proportion)
    assert (top.successes, top.trials) == (1, 2)
    vote = plurality_vote(["1", "1", "1", "1"])
    assert observed_at(sums, vote, sums.conditions) == top
    for changed in ({"model": "m2"}, {"prompt": "t2"}, {"decoding": "greedy"}, {"subject": "words"}):
        stale = observed_at(sums, vote, sums.conditions.model_copy(update=changed))
        assert isinstance(stale, Missing)
        assert stale.code == "agreement_table_stale"
    assert agreement_by_subject(method(1), EXACT, ITEMS, {name: found[:1] for name, found in BY_ITEM.items()}) == ()
