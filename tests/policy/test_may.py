"""What a contract says of people: refused at its place, and compared in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformed.policy.diff import diff
from conformed.policy.load import load_text, problems_of
from conformed.policy.may import ANYONE, Action
from conformed.policy.schema import TaskContract

Write = Callable[..., Any]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("may: {fly: [pilot]}\n", "may.fly"),
        ("may: {run: []}\n", "nobody may run"),
        ("may: {run: [desk, desk]}\n", "a role stands twice under run"),
        ("may: {run: [anyone, desk]}\n", "anyone stands beside roles under run"),
        ("may: {accept: [anyone]}\n", "anyone may accept"),
        ("may: {second_approval: [anyone]}\n", "anyone may second_approval"),
        ("may: {erase: [anyone]}\n", "anyone may erase"),
        ("second_approval: {when: [], roles: [officer]}\n", "second_approval.when"),
        ("second_approval: {when: [never], roles: [officer]}\n", "'never' is not known here"),
        ("second_approval: {when: [always], roles: [officer], below: 1000000}\n", "the key 'below' is not known here"),
        ("second_approval: {when: [always], roles: [officer], unless: [root]}\n", "the key 'unless' is not known here"),
    ],
)
def test_a_wrong_rule_is_refused_at_its_place(text: str, said: str, write: Write) -> None:
    """Each has the line that it stands on; nothing can be written that takes a second person away."""
    whole = write().data.decode() + "\n" + text
    problems = problems_of(whole.encode(), TaskContract, name="x.yaml")
    assert any(said in one.found and one.line == whole.count("\n") for one in problems), problems


def test_where_nothing_is_said_the_defaults_count(good_contract: TaskContract) -> None:
    """Work is anyone's, acceptance the approval's roles, erasure a role of its own; resuming follows running."""
    assert good_contract.roles(Action.RUN) == good_contract.roles(Action.RESUME) == (ANYONE,)
    assert good_contract.roles(Action.ACCEPT) == good_contract.roles(Action.SECOND_APPROVAL) == good_contract.approval.roles
    assert good_contract.roles(Action.ERASE) == ("records_officer",)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("", "may: {run: [desk]}\n", "may.run: anyone becomes desk; tightened."),
        ("may: {run: [desk]}\n", "may: {run: [anyone]}\n", "may.run: desk becomes anyone; loosened."),
        ("may: {export: [a, b]}\n", "may: {export: [a]}\n", 'may.export: "a, b" becomes a; tightened.'),
        ("may: {export: [a]}\n", "may: {export: [b]}\n", "may.export: a becomes b."),
        (
            "second_approval: {when: [overridden], roles: [a]}\n", "second_approval: {when: [overridden, always], roles: [a]}\n",
            "second_approval.when[always] is new; tightened.",
        ),
        (
            "second_approval: {when: [always], roles: [a]}\n", "second_approval: {when: [always], roles: [a, b]}\n",
            "second_approval.roles[b] is new; loosened.",
        ),
    ],
)  # fmt: skip
def test_two_contracts_are_compared_in_words(write: Write, old: str, new: str, sentence: str) -> None:
    """Who may do more or less is said as such, the defaults counted where a contract is silent."""
    base = write().data.decode() + "\n"
    one, other = (load_text(base + text, TaskContract, name="x.yaml").value for text in (old, new))
    assert [change.sentence for change in diff(one, other)] == [sentence]
