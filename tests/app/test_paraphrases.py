"""Other wordings of the rule book's clauses are read right, and none of their mutations is read as the original."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.outcome import CaseResult, FieldOutcome, Verdict
from conformed.app.rule_cases.patterns import run_pattern
from conformed.app.rule_cases.running import run_file
from conformed.app.rule_cases.shapes import PatternCase, PatternFile

OWN = Path(__file__).resolve().parents[2] / "casefiles" / "rules"
FAMILIES = ("maximum", "schedules", "springing", "defects", "confusable", "waivers", "rights", "statements", "others")
FILES = tuple(sorted(p.name for f in FAMILIES for p in OWN.glob(f"paraphrases-{f}*.yaml")))
PATTERNS = (*range(1, 13), 31, *range(34, 45))
STRICT = frozenset({"level", "comparator", "target", "metric", "schedule", "windows", "parts", "trigger", "netting_cap"})
"""What was changed here must not come out as before, doubt or no doubt."""


def _cases() -> dict[str, PatternCase]:
    found: dict[str, PatternCase] = {}
    for name in FILES:
        file = load_cases(OWN / name)
        assert isinstance(file, PatternFile)
        found |= {case.id: case for case in file.patterns}
    return found


def _mutations() -> dict[str, tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for path in sorted(Path(__file__).parent.glob("paraphrase_mutations_*.yaml")):
        read = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        found |= {name: (str(row[0]), str(row[1]), str(row[2])) for name, row in read.items()}
    return found


CASES, MUTATIONS = _cases(), _mutations()


@pytest.mark.parametrize("name", FILES)
def test_other_wordings_are_right(name: str) -> None:
    """Every paraphrase is right in every field, and the extractor reads nothing else of it without a doubt of its own."""
    result = run_file(OWN / name, {})
    assert [(c.id, f) for c in result.cases for f in c.fields if f.outcome is not FieldOutcome.RIGHT] == []
    assert [(c.id, c.note) for c in result.cases if c.note] == []


def test_every_pattern_has_eight_paraphrases_and_every_paraphrase_a_mutation() -> None:
    """Of each pattern of this half there are at least eight other wordings, British and American, and each has a mutation."""
    for number in PATTERNS:
        own = [c for c in CASES.values() if c.id.startswith(f"P{number:02d}-")]
        assert len(own) >= 8, number
    assert set(MUTATIONS) == set(CASES)


def _right(result: CaseResult, field: str) -> bool:
    own = [f for f in result.fields if f.field == field or f.field.startswith((f"{field}.", f"{field}["))]
    assert own or not result.fields, field
    return all(f.outcome is FieldOutcome.RIGHT for f in own)


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_no_mutation_is_read_as_the_original(name: str) -> None:
    """With a negation, a comparison turned round, another digit, section, ratio or period, the changed part never comes out as before."""
    field, old, new = MUTATIONS[name]
    case = CASES[name]
    assert case.clause.count(old) >= 1, name
    changed = case.model_copy(update={"clause": case.clause.replace(old, new), "spans": {}})
    before = run_pattern(case, lambda _document, _reading: "")
    after = run_pattern(changed, lambda _document, _reading: "")
    assert _right(before, field)
    if field in STRICT:
        assert not _right(after, field), [f.got for f in after.fields]
    else:
        assert not _right(after, field) or (after.doubts and after.doubts != before.doubts), [f.got for f in after.fields]
    assert after.verdict is not Verdict.RIGHT or set(after.doubts) - set(before.doubts)
