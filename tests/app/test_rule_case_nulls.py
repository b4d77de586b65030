"""``null`` in a file of packs says that nothing is established, whatever the type of the key."""

from __future__ import annotations

from pathlib import Path

from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.pack_shapes import PackFile
from conformed.app.rule_cases.packs import run_pack

PACKS = """schema: covenant-packs/1
packs:
- id: open
  metric: total_leverage
  test_date: 2025-06-30
  known_at: 2025-09-30
  figures: {numerator: "430", denominator: "100"}
  documents:
  - {doc: base, kind: facility_agreement, number: null, dated: 2023-03-10, signed_on: 2023-03-10, ops: [{op: state, section: "7.11", comparator: le, level: "4"}]}
  - {doc: first, kind: amendment, number: 1, dated: 2025-02-01, signed_on: null, effective: {mode: on_cp, long_stop: null, cp: {evidenced: false, date: null}}, ops: [{op: set_level, section: "7.11", level: "5", size_evidenced: null}]}
  expected: {result: review, level: null, candidates: ["4", "5"], codes: [review_cp_evidence_missing]}
"""


def test_null_dates_numbers_and_truths(tmp_path: Path) -> None:
    """A date, a number or a truth may be ``null``: the pack is read as if the key were left out."""
    path = tmp_path / "packs.yaml"
    path.write_text(PACKS, encoding="utf-8")
    cases = load_cases(path)
    assert isinstance(cases, PackFile)
    first = cases.packs[0].documents[1]
    assert (first.signed_on, cases.packs[0].documents[0].number) == (None, None)
    assert first.effective is not None
    assert first.effective.cp is not None
    assert (first.effective.long_stop, first.effective.cp.date) == (None, None)
    assert run_pack(cases.packs[0]).verdict.value == "right"
