"""The comparison of a decision with expected.yaml tells each kind of difference."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from typing import Any

import pytest

_spec = importlib.util.spec_from_file_location("expectation", Path(__file__).with_name("expectation.py"))
assert _spec is not None
assert _spec.loader is not None
expectation = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(expectation)


def terms(level: str, raw: str) -> dict[str, Any]:
    """A covenant of a decision record."""
    return {
        "section": "9.01(a)",
        "metric": "total_leverage",
        "comparator": "le",
        "document": "base.pdf",
        "limit": {"unit": "ratio", "value": level, "raw": raw},
        "spans": [{"text": raw}],
    }


def wanted(level: str, raw: str) -> dict[str, Any]:
    """A covenant of expected.yaml."""
    plain = {key: value for key, value in terms(level, raw).items() if key not in {"limit", "spans"}}
    return plain | {"level": level, "level_as_written": raw}


DECISION: dict[str, Any] = {
    "result": "pass",
    "overlay": "none",
    "covenant": terms("4", "4.00 to 1.00"),
    "candidates": [],
    "calculation": {"ratio": "7/2", "headroom_debt": "50000"},
    "reasons": [{"code": "accept_base_statement"}],
    "findings": [{"code": "finding_headroom_low"}],
}
EXPECTED: dict[str, Any] = {
    "result": "pass",
    "overlay": "none",
    "covenant": wanted("4", "4.00 to 1.00"),
    "ratio": "7/2",
    "headroom_debt": 50000,
    "codes": ["accept_base_statement"],
    "must_not_codes": ["review_input_missing"],
    "findings": ["finding_headroom_low"],
    "candidates": [],
}


def test_equal_gives_nothing() -> None:
    """A record that is as expected gives no sentence."""
    assert expectation.differences(DECISION, EXPECTED) == []


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("result",), "breach", "result"),
        (("overlay",), "waived", "overlay"),
        (("covenant", "section"), "9.01(b)", "section"),
        (("covenant", "metric"), "net_leverage", "metric"),
        (("covenant", "comparator"), "lt", "comparator"),
        (("covenant", "document"), "certificate.pdf", "document"),
        (("covenant", "limit", "value"), "15/4", "level"),
        (("covenant", "limit", "raw"), "4.0 to 1.0", "level_as_written"),
        (("covenant", "spans"), [], "no span"),
        (("covenant",), {"reason": "open"}, "found none"),
        (("calculation", "ratio"), "351/100", "ratio"),
        (("calculation", "ratio"), {"reason": "no figures"}, "ratio"),
        (("calculation", "headroom_debt"), None, "headroom_debt"),
        (("reasons",), [], "accept_base_statement is missing"),
        (("findings",), [], "finding_headroom_low is missing"),
        (("reasons",), [{"code": "accept_base_statement"}, {"code": "review_input_missing"}], "must not be there"),
        (("candidates",), [terms("5", "5.00 to 1.00")], "candidates"),
    ],
)
def test_each_difference_is_told(path: tuple[str, ...], value: object, word: str) -> None:
    """Any one point that differs gives a sentence about that point."""
    changed = copy.deepcopy(DECISION)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    told = expectation.differences(changed, EXPECTED)
    assert told
    assert any(word in sentence for sentence in told)


def test_open_readings_are_compared_without_order() -> None:
    """Two candidates in another order are the same; one that is missing, or has another source, is told."""
    expected = EXPECTED | {
        "result": "review",
        "covenant": None,
        "headroom_debt": None,
        "codes": [],
        "findings": [],
        "candidates": [wanted("17/4", "4.25 to 1.00"), wanted("5", "5.00 to 1.00")],
    }
    found = DECISION | {
        "result": "review",
        "covenant": {"reason": "open"},
        "candidates": [terms("5", "5.00 to 1.00"), terms("17/4", "4.25 to 1.00")],
    }
    assert expectation.differences(found, expected) == []
    assert expectation.differences(found | {"candidates": found["candidates"][:1]}, expected)
    other = copy.deepcopy(found)
    other["candidates"][0]["document"] = "certificate.pdf"
    assert expectation.differences(other, expected) == ["candidate 5.document: expected base.pdf, found certificate.pdf"]


def test_a_covenant_not_tested_may_show_its_ratio() -> None:
    """Where nothing is tested a ratio may stand for information; for a review without figures it may not."""
    expected = EXPECTED | {"result": "not_tested", "ratio": None, "headroom_debt": None, "codes": [], "findings": []}
    assert expectation.differences(DECISION | {"result": "not_tested"}, expected) == []
    review = expected | {"result": "review"}
    assert expectation.differences(DECISION | {"result": "review"}, review) == ["ratio: expected none, found 7/2"]
