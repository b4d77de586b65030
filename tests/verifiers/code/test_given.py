"""Tests of an item are read strictly: what is malformed is the item's fault and an error, and nothing is run."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.code.given import CodeTests, read_tests
from conformed_plugins.verifiers.code.limits import CodeOptions
from conformed_plugins.verifiers.code.verifier import CodeVerifier

CALL = {"kind": "call", "function": "f", "arguments": [], "result": 1}
STDIN = {"kind": "stdin", "input": "", "output": ""}


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "call"}, {**CALL, "function": "f()"}, {**CALL, "function": ""}, {**CALL, "result": 1.5}, {**CALL, "arguments": [0.5]}, {**CALL, "more": 1},
        {**CALL, "arguments": {"a": 1}}, {**CALL, "result_json": "1"}, {**CALL, "arguments_json": "[]"}, {**CALL, "result": {1: 2}}, {**CALL, "result": {1}},
        {**STDIN, "input": b""}, {**STDIN, "output": 5}, {"kind": "shell", "input": "", "output": ""}, {**STDIN, "input": "\ud800"}, {**STDIN, "output": "\ud800"},
        {"kind": "call", "function": "f", "arguments": [], "result_json": "1.50"}, {"kind": "call", "function": "f", "arguments": [], "result_json": "NaN"},
        {"kind": "call", "function": "f", "arguments_json": "{}", "result": 1}, {"kind": "call", "function": "f", "arguments_json": "[", "result": 1},
        {"kind": "call", "function": "f", "arguments": [], "result_json": '{"a":1,"a":1}'}, "call", None, 5, [],
    ],
)  # fmt: skip
def test_a_malformed_test_is_an_error(wrong: Any) -> None:
    """One malformed test spoils them all, even behind a good one."""
    assert read_tests({"tests": {"public": [STDIN], "hidden": [wrong]}}, 10) == "tests_malformed"


def test_with_malformed_tests_nothing_is_run() -> None:
    """The outcome is an error before a sandbox is even looked for."""
    request = AnswerCheck(candidate="", reference="", facts={"tests": {"public": [STDIN], "hidden": [{"kind": "call"}]}})
    found = CodeVerifier(CodeOptions(bubblewrap="no-such-sandbox")).check(request)
    assert (found.outcome, found.code) == ("error", "tests_malformed")


@pytest.mark.parametrize("facts", [{}, {"tests": {}}, {"tests": None}, {"tests": {"public": [], "hidden": []}}])
def test_no_tests_is_an_error(facts: Any) -> None:
    """A program that nothing tests is not right."""
    assert read_tests(facts, 10) == "tests_missing"


@pytest.mark.parametrize(
    "facts", [{"tests": [CALL]}, {"tests": {"secret": [CALL]}}, {"tests": {"public": CALL}}, {"tests": "none"}]
)
def test_lists_of_other_shape_are_an_error(facts: Any) -> None:
    """There are two lists, public and hidden, and nothing else."""
    assert read_tests(facts, 10) == "tests_malformed"


def test_more_tests_than_allowed_are_an_error() -> None:
    """Both lists count together."""
    assert read_tests({"tests": {"public": [CALL] * 3, "hidden": [CALL] * 3}}, 5) == "tests_too_many"
    assert isinstance(read_tests({"tests": {"public": [CALL] * 3, "hidden": [CALL] * 2}}, 5), CodeTests)


def test_frozen_facts_are_read() -> None:
    """Facts that were frozen into tuples and read-only mappings are the same facts."""
    frozen = MappingProxyType({"tests": MappingProxyType({"public": (MappingProxyType({**CALL, "arguments": (1, (2,))}),)})})
    tests = read_tests(frozen, 5)
    assert isinstance(tests, CodeTests)
    assert tests.public[0].call() == "[1,[2]]"  # type: ignore[union-attr]
