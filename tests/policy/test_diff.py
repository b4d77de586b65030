"""The difference of two contracts: complete, in words, with its direction."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.policy.diff import diff
from conformed.policy.load import Loaded
from conformed.policy.schema import Consequence, Limits, TaskContract

Write = Callable[..., Loaded[TaskContract]]

CASES: dict[str, tuple[str, str, list[str]]] = {
    "wall": ("wall_seconds: 300", "wall_seconds: 200", ["limits.wall_seconds: 300 becomes 200; tightened."]),
    "tokens": ("generated_tokens: 0", "generated_tokens: 9", ["limits.generated_tokens: 0 becomes 9; loosened."]),
    "consequence": ("consequence: high", "consequence: low", ["consequence: high becomes low; loosened."]),
    "pin": (
        "{plugin: index, version: 1.0.0}",
        "{plugin: index, version: 1.1.0}",
        ["steps.retrieve.uses.index.version: 1.0.0 becomes 1.1.0."],
    ),
    "plugin": (
        "{plugin: index, version: 1.0.0}",
        "{plugin: search, version: 1.0.0}",
        [
            "steps.retrieve.uses.index.plugin is gone (was index).",
            "steps.retrieve.uses.index.version is gone (was 1.0.0).",
            "steps.retrieve.uses.search.plugin is new: search.",
            "steps.retrieve.uses.search.version is new: 1.0.0.",
        ],
    ),
    "option": (
        "{plugin: index, version: 1.0.0}",
        "{plugin: index, version: 1.0.0, options: {most: 5}}",
        ["steps.retrieve.uses.index.options.most is new: 5."],
    ),
    "order": (
        "[{plugin: clauses, version: 1.0.0}, {plugin: certificate, version: 1.0.0}]",
        "[{plugin: certificate, version: 1.0.0}, {plugin: clauses, version: 1.0.0}]",
        ['steps.extract.uses order: "clauses, certificate" becomes "certificate, clauses".'],
    ),
    "then": ("review: extract,", "review: person,", ["steps.retrieve.then.review: extract becomes person; tightened."]),
    "people": (
        "two_people: true, different_roles: true",
        "two_people: true",
        ["approval.different_roles: True becomes False; loosened."],
    ),
    "role": (
        "[credit_analyst, credit_officer]",
        "[credit_analyst, credit_officer, branch_head]",
        ["approval.roles[branch_head] is new; loosened."],
    ),
    "role order": ("[credit_analyst, credit_officer]", "[credit_officer, credit_analyst]", []),
    "years": ("years: 7", "years: 10", ["retention.years: 7 becomes 10; tightened."]),
    "keep": ("[decision_record, evidence]", "[decision_record]", ["retention.keep[evidence] is gone; loosened."]),
    "evidence": ("[pack_document, attestation]", "[pack_document]", ["evidence[attestation] is gone; tightened."]),
    "alert": ("headroom_alert: 1/4", "headroom_alert: 1/2", ["headroom_alert: 1/4 becomes 1/2; tightened."]),
    "alert gone": ("headroom_alert: 1/4\n", "", ["headroom_alert is gone (was 1/4); loosened."]),
    "alert spelt otherwise": ("headroom_alert: 1/4", "headroom_alert: 0.250", []),
    "slice": ("cases: [casefiles]", "cases: [casefiles, more]", ["regression_slices.samples.cases[more] is new; tightened."]),
    "allowed": (
        '  - {distribution: conformed, version: ">=0.1,<1"}\n',
        '  - {distribution: conformed, version: ">=0.1,<1"}\n  - {distribution: other, version: 1.0.0}\n',
        ["allowed_plugins.other.distribution is new: other; loosened.", "allowed_plugins.other.version is new: 1.0.0."],
    ),
    "digest": (
        'version: ">=0.1,<1"}',
        'version: ">=0.1,<1", digest: ' + "a" * 64 + "}",
        ["allowed_plugins.conformed.digest is new: " + "a" * 64 + "; tightened."],
    ),
    "wording": (
        "tested on the date asked",
        "tested that day",
        ['templates.opening: "The covenant was tested on the date asked." becomes "The covenant was tested that day.".'],
    ),
    "version": ("version: 2.1.0", "version: 2.2.0", ["version: 2.1.0 becomes 2.2.0."]),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_change_is_told_in_words_with_its_direction(write: Write, case: str) -> None:
    """One change of the file gives these sentences and no others; the other way round the direction turns."""
    old, new, sentences = CASES[case]
    before, after = write().value, write((old, new)).value
    changes = diff(before, after)
    assert [change.sentence for change in changes] == sentences
    turned = {"tightened": "loosened", "loosened": "tightened", "changed": "changed"}
    assert [change.direction for change in diff(after, before)] == [turned[change.direction] for change in changes]


LIMITS = st.builds(
    Limits,
    input_tokens=st.integers(0, 3),
    output_tokens=st.integers(0, 3),
    generated_tokens=st.integers(0, 3),
    wall_seconds=st.integers(300, 303),
    cost_units=st.integers(0, 3),
)


@given(LIMITS, LIMITS)
def test_no_difference_is_missed(good_contract: TaskContract, one: Limits, other: Limits) -> None:
    """Two contracts that differ have exactly as many changes as keys that differ, and equal ones none."""
    first = good_contract.model_copy(update={"limits": one})
    second = good_contract.model_copy(update={"limits": other})
    differing = [name for name in Limits.model_fields if getattr(one, name) != getattr(other, name)]
    assert [change.path for change in diff(first, second)] == sorted(f"limits.{name}" for name in differing)


def test_every_key_of_a_contract_is_compared(good_contract: TaskContract) -> None:
    """Whatever key of the contract is replaced, the difference shows it."""
    valid = {"consequence": Consequence.LOW, "headroom_alert": Fraction(1, 3)}
    for name in TaskContract.model_fields:
        changed = good_contract.model_copy(update={name: valid.get(name, "something else")})
        assert diff(good_contract, changed), name
