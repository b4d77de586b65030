"""A shipped pattern whose words are changed is never right as it was: another digit, a denial, a comparison turned round."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.outcome import CaseResult, FieldOutcome, Verdict
from conformed.app.rule_cases.patterns import run_pattern
from conformed.app.rule_cases.shapes import PatternCase, PatternFile
from conformed.policy.nulls import NOTHING

OWN = Path(__file__).resolve().parents[2] / "casefiles" / "rules"


def _changed(case: PatternCase, clause: str) -> CaseResult:
    return run_pattern(case.model_copy(update={"clause": clause, "spans": {}}), lambda _document, _reading: "")


def test_one_digit_is_never_read_as_the_original() -> None:
    """In every shipped pattern, another digit in the level as written makes the case wrong, or leaves it without a level."""
    found = load_cases(OWN / "patterns.yaml")
    assert isinstance(found, PatternFile)
    tried = 0
    for case in found.patterns:
        written = case.reading.get("level_as_written")
        if not isinstance(written, str) or "level" not in case.reading or case.clause.count(written) != 1:
            continue
        digit = next((d for d in re.finditer(r"(?<=\d\.)\d|(?<=\d)\d(?=\d? per)", written)), None)
        if digit is None:
            continue
        other = written[: digit.start()] + str((int(digit[0]) + 1) % 10) + written[digit.end() :]
        result = _changed(case, case.clause.replace(written, other))
        assert (
            "level" in {f.field for f in result.fields if f.outcome is not FieldOutcome.RIGHT} or case.reading["level"] == NOTHING
        ), case.id
        tried += 1
    assert tried >= 15


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("to be greater than", "to be less than"),
        ("shall not exceed", "shall exceed"),
        ("is not less than", "is not more than"),
        (" waive ", " do not waive "),
        (" consent to ", " refuse to consent to "),
        ("is amended", "is not amended"),
        ("is deleted", "is not deleted"),
        ("shall not be tested", "shall be tested"),
        ("shall be increased", "shall not be increased"),
        ("through and including", "through but excluding"),
        ("calculated after giving effect", "calculated before giving effect"),
    ],
)
def test_other_words_are_never_read_as_the_original(old: str, new: str) -> None:
    """A negation put in or taken out, a comparison turned round, or another edge makes each shipped pattern not right."""
    found = load_cases(OWN / "patterns.yaml")
    assert isinstance(found, PatternFile)
    hit = [
        case
        for case in found.patterns
        if old in case.clause and case.reading.get("comparator") != NOTHING and case.reading.get("level", "") != NOTHING
    ]
    assert hit
    for case in hit:
        result = _changed(case, case.clause.replace(old, new, 1))
        assert result.verdict is not Verdict.RIGHT or result.doubts, case.id
