"""Clauses that change an agreement, in many wordings: each is read right, and none is read as it was once its words are changed.

The wordings are the shipped rule cases ``paraphrases-amend-*.yaml``; the changes to them stand in ``mutations_amend_*.yaml``.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.outcome import FieldOutcome
from conformed.app.rule_cases.patterns import run_pattern
from conformed.app.rule_cases.running import run_file
from conformed.app.rule_cases.shapes import PatternCase, PatternFile

OWN = Path(__file__).resolve().parents[2] / "casefiles" / "rules"
FILES = sorted(OWN.glob("paraphrases-amend-*.yaml"))
CHANGED = {
    "comparator": ("comparator", "result.comparator"),
    "date": ("schedule", "reach_back_to", "applies_to_periods_ending_after", "effective.mode", "effective.date", "target"),
    "digit": ("level", "result.level", "find", "replace", "schedule", "parts", "adds"),
    "forward": ("effective.mode",),
    "ratio": ("metric", "result.metric"),
    "section": ("target",),
    "turned": ("find", "replace", "adds"),
    "unwaived": ("waives_intervening_default",),
    "waived": ("waives_intervening_default",),
}
"""Fields of which at least one must no longer be the original's. Other kinds must end as no such change, or in a new doubt."""


CAP_OPEN = frozenset({"definition-4"})
"""Wordings whose cap lacks "before" and "after"."""


@functools.cache
def _cases() -> dict[str, PatternCase]:
    found: dict[str, PatternCase] = {}
    for path in FILES:
        file = load_cases(path)
        assert isinstance(file, PatternFile)
        assert not found.keys() & {c.id for c in file.patterns}
        found |= {c.id: c for c in file.patterns}
    return found


def _mutations() -> list[tuple[str, str, str, str]]:
    rows: list[tuple[str, str, str, str]] = []
    for path in sorted(Path(__file__).parent.glob("mutations_amend_*.yaml")):
        rows += [tuple(str(v) for v in row) for row in YAML(typ="safe").load(path.read_text(encoding="utf-8"))["mutations"]]  # type: ignore[misc]
    return rows


MUTATIONS = _mutations()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_wording_is_right(path: Path) -> None:
    """Every field, mode and span of every wording is right, and the extractor states nothing else without a doubt."""
    result = run_file(path, {})
    assert [(c.id, f) for c in result.cases for f in c.fields if f.outcome is not FieldOutcome.RIGHT] == []
    assert [(c.id, c.note) for c in result.cases if c.note] == []


def test_doubts_of_the_instrument_itself() -> None:
    """An empty signature block, two instruments of one date, a cap that does not say of which figure: told there and nowhere else."""
    told = {c.id: c.doubts for path in FILES for c in run_file(path, {}).cases if c.doubts}
    for case in _cases():
        kind = case.rpartition("-")[0]
        expected = {
            "unsigned": ("review_unsigned_instrument",),
            "two-of-one-date": ("review_conflict_same_effective_date",),
        }.get(kind, ("review_cap_basis_ambiguous",) if case in CAP_OPEN else ())
        assert told.get(case, ()) == expected, case


def test_each_wording_has_a_mutation() -> None:
    """No shipped wording is without a change of its own."""
    assert {m[0] for m in MUTATIONS} == set(_cases())


@pytest.mark.parametrize(("case", "old", "new", "kind"), MUTATIONS)
def test_changed_words_are_not_read_as_the_original(case: str, old: str, new: str, kind: str) -> None:
    """A digit, a section, a ratio, a comparison, a date, a denial: the reading says otherwise, or doubts, or there is none."""
    original = _cases()[case]
    assert original.clause.count(old) == 1
    before = run_pattern(original, lambda _document, _reading: "")
    mutated = original.model_copy(update={"clause": original.clause.replace(old, new), "spans": {}})
    after = run_pattern(mutated, lambda _document, _reading: "")
    other = {f.field.partition("[")[0] for f in after.fields if f.outcome is not FieldOutcome.RIGHT}
    fields = CHANGED.get(kind)
    if fields is not None:
        doubted = kind in {"comparator", "date", "forward"} and set(after.doubts) - set(before.doubts)
        assert doubted or {f for f in other if f.startswith(fields)}, (other, after.doubts)
    elif kind == "negation":
        assert "op" in other or set(after.doubts) - set(before.doubts), (other, after.doubts)
    else:
        assert other or set(after.doubts) - set(before.doubts)
