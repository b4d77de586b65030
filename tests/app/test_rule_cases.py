"""Rule cases as data: three shapes of files, run through the product and compared field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conformed.app.rule_cases.comparing import Plain, compare_fields, compare_set, same
from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.outcome import FieldOutcome, Verdict
from conformed.app.rule_cases.running import run_file, run_files
from conformed.cli.entry import run_command_line
from conformed.errors import PolicyError

OWN = Path(__file__).resolve().parents[2] / "casefiles" / "rules"
FILES = ("calculations.yaml", "packs.yaml", "packs-beside.yaml", "patterns.yaml")
LEAST = {"patterns": 20, "packs": 15, "calculations": 15}

PATTERN = """\
schema: covenant-patterns/1
patterns:
- id: one
  clause: |
    Section 4.2. The Borrower shall not permit the Total Leverage Ratio at the end of any fiscal quarter to exceed {level} to 1.00.
  reading: {{op: state_covenant, target: "4.2", comparator: le, level: "{expected}"}}
  spans: {{level: {level} to 1.00}}
"""
CALCULATION = """\
schema: covenant-calculations/1
cases:
- id: one
  terms: {formula: debt_over_ebitda}
  inputs: {debt: "7", ebitda: "2", level: "3.50"}
  steps: [[ratio, "debt / ebitda"]]
  answers: {ratio: "7/2"}
  compare: {left: ratio, comparator: le, right: level}
  result: pass
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a case file."""

    def put(text: str) -> Path:
        path = tmp_path / "cases.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return put


@pytest.mark.parametrize("name", FILES)
def test_own_cases_are_right(name: str) -> None:
    """Every case that the project ships is right in every field, and none is determined wrong."""
    result = run_file(OWN / name, {})
    wrong = [(c.id, f) for c in result.cases for f in c.fields if f.outcome is not FieldOutcome.RIGHT]
    assert wrong == []
    assert all(c.verdict is Verdict.RIGHT for c in result.cases)
    assert len(result.cases) >= LEAST[result.kind]
    assert all(c.fields for c in result.cases)


def test_both_styles_are_there() -> None:
    """The shipped patterns hold US and UK wordings."""
    styles = re.findall(r"^  style: (\w+)$", (OWN / "patterns.yaml").read_text(encoding="utf-8"), re.MULTILINE)
    assert min(styles.count("us"), styles.count("uk")) >= 8


def test_extractor_states_nothing_else() -> None:
    """On the shipped patterns the extractor never states another level, comparison or pair of words than the reading."""
    notes = [c.note for c in run_file(OWN / "patterns.yaml", {}).cases if c.note]
    assert [n for n in notes if not n.startswith("The extractor reads the operation")] == []


def test_wrong_level_is_told(write: Write) -> None:
    """A level that differs from the clause's is a wrong field with both values, and counts as determined wrong."""
    case = run_file(write(PATTERN.format(level="4.25", expected="9/2")), {}).cases[0]
    (field,) = [f for f in case.fields if f.outcome is FieldOutcome.WRONG]
    assert (field.field, field.expected, field.got) == ("level", "9/2", "17/4")
    assert case.verdict is Verdict.WRONG
    assert [f.field for f in case.determined_wrong] == ["level"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("shall not permit", "shall ensure that", None),
        ("to exceed", "to be less than", "comparator"),
        ("Section 4.2", "Section 4.3", "target"),
        ("4.25 to 1.00.", "4.35 to 1.00.", "level"),
        ("shall not permit the Total Leverage Ratio at the end of any fiscal quarter to exceed", "may incur Debt if, after giving pro forma effect, the Total Leverage Ratio would not exceed", "op"),
    ],
)  # fmt: skip
def test_mutations_are_not_read_as_the_original(write: Write, old: str, new: str, field: str | None) -> None:
    """Another comparison, section, digit, or a condition of an action is never right."""
    clause, rest = PATTERN.format(level="4.25", expected="17/4").split("  reading:")
    assert old in clause
    clause = clause.replace(old, new)
    case = run_file(write(clause + "  reading:" + rest.split("  spans:")[0]), {}).cases[0]
    assert case.verdict is not Verdict.RIGHT
    if field is not None:
        assert field in {f.field for f in case.fields if f.outcome is not FieldOutcome.RIGHT}


def test_unknown_ids_metrics_and_words(write: Write) -> None:
    """A file with ids, metrics and names of its own runs: nothing is known of it beforehand."""
    text = """\
schema: covenant-packs/1
packs:
- id: "Zürich / 7 – März"
  metric: flurble_cover
  test_date: 2031-05-17
  known_at: 2031-06-01
  figures: {numerator: "9", denominator: "2"}
  documents:
  - {doc: "Kredit No 12", kind: facility_agreement, dated: 2030-01-01, signed_on: 2030-01-01, execution: executed, effective: {mode: on_signing}, ops: [{op: state, section: "88.17(zz)", comparator: gt, level: "4.5"}]}
  expected: {result: breach, level: "9/2", comparator: gt, governing: "Kredit No 12"}
"""
    case = run_file(write(text), {}).cases[0]
    assert case.verdict is Verdict.RIGHT, case.fields


def test_order_of_documents_does_not_matter(write: Write) -> None:
    """A pack's documents in reverse order give the same fields."""
    text = (OWN / "packs.yaml").read_text(encoding="utf-8")
    found = load_cases(OWN / "packs.yaml")
    blocks = re.split(r"(?<=\n)(?=  - \{doc:)", text)
    assert len(blocks) > 20
    reversed_text = _reverse_documents(text)
    assert reversed_text != text
    before, after = run_file(OWN / "packs.yaml", {}), run_file(write(reversed_text), {})
    assert [c.fields for c in before.cases] == [c.fields for c in after.cases]
    assert len(before.cases) == len(getattr(found, "packs", ()))


def _reverse_documents(text: str) -> str:
    def turn(match: re.Match[str]) -> str:
        return "".join(reversed(match[0].splitlines(keepends=True)))

    return re.sub(r"(?:^  - \{doc:.*\n){2,}", turn, text, flags=re.MULTILINE)


def test_broken_step_is_a_failed_case(write: Write) -> None:
    """A case that cannot be worked out fails with a sentence, and the cases after it still run."""
    second = CALCULATION.partition("cases:\n")[2].replace("id: one", "id: two")
    first = CALCULATION.replace('"debt / ebitda"', '"debt / nothing_known"')
    cases = run_file(write(first + second), {}).cases
    assert [c.verdict for c in cases] == [Verdict.FAILED, Verdict.RIGHT]
    assert "nothing_known" in cases[0].note


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("schema: covenant-patterns/9\npatterns: []\n", 1, "covenant-patterns/9"),
        ("packs: []\n", 1, "does not say which cases"),
        (CALCULATION.replace("  result: pass", "  result: pass\n  outcome: pass"), 10, "outcome"),
        (CALCULATION.replace("  result: pass\n", ""), 3, "result"),
        (CALCULATION.replace('debt: "7"', 'debt: "7e3"'), 5, "7e3"),
        (CALCULATION.replace("comparator: le", "comparator: below"), 8, "below"),
        (CALCULATION + CALCULATION.partition("cases:\n")[2], 10, "stands twice"),
        (PATTERN.format(level="4.25", expected="17/4").replace("spans: {level: 4.25", "spans: {level: 4.35"), 7, "stand 0 times"),
        (CALCULATION.replace("id: one", "id: &x one"), 3, "anchor"),
        (CALCULATION.replace("id: one", "id: \ue000"), 3, "private use"),
    ],
)
def test_malformed_file_is_refused(write: Write, text: str, line: int, words: str) -> None:
    """A malformed file is refused with file, line and what stands there."""
    path = write(text)
    with pytest.raises(PolicyError) as caught:
        load_cases(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line
    assert words in str(caught.value)


def test_null_is_nothing_and_keeps_its_place(write: Write) -> None:
    """``null`` says that nothing is established; in quotes, or inside words, it is text; what follows keeps its column."""
    text = PATTERN.format(level="4.25", expected="17/4").replace(
        'comparator: le, level: "17/4"', 'comparator: le, level: null, other: "null", wrong_key: [1'
    )
    with pytest.raises(PolicyError) as caught:
        load_cases(write(text))
    assert caught.value.line >= 6
    good = PATTERN.format(level="4.25", expected="17/4").replace('level: "17/4"', "level: null")
    case = run_file(write(good), {}).cases[0]
    (field,) = [f for f in case.fields if f.field == "level"]
    assert (field.outcome, field.expected, field.got) == (FieldOutcome.WRONG, "nothing", "17/4")


def test_command_prints_a_line_a_case(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    """The command prints each case on a line and a total, and returns 0 only when all are right."""
    assert run_command_line(["rules", "test", str(write(CALCULATION))]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^  one\s+right", told, re.MULTILINE)
    assert "1 of 1 right in every field" in told
    assert run_command_line(["rules", "test", str(write(CALCULATION.replace("result: pass", "result: breach")))]) == 1
    assert "result: expected breach; got pass" in capsys.readouterr().out


def test_command_as_json(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    """--json prints one document with every field."""
    assert run_command_line(["rules", "test", str(write(CALCULATION)), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["files"][0]["cases"][0]["verdict"] == "right"
    assert {f["field"] for f in report["files"][0]["cases"][0]["fields"]} == {"ratio", "result"}


@pytest.mark.parametrize("text", ["schema: what/1\n", "[]\n", "\tx: 1\n", ""])
def test_command_refuses_a_malformed_file(capsys: pytest.CaptureFixture[str], write: Write, text: str) -> None:
    """A malformed file is a command that cannot be carried out: exit code 2 and a sentence with the place."""
    path = write(text)
    assert run_command_line(["rules", "test", str(path)]) == 2
    assert f"{path}:1:" in capsys.readouterr().err


def test_command_without_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """No file, or one that is not there, is wrong usage."""
    assert run_command_line(["rules", "test"]) == 2
    assert run_command_line(["rules", "test", str(tmp_path / "absent.yaml")]) == 2
    assert "absent.yaml" in capsys.readouterr().err


def test_words_of_a_case_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    """Control characters of a title never reach the terminal."""
    run_command_line(["rules", "test", str(write(CALCULATION.replace("- id: one", '- id: one\n  title: "x\\u001b[2Jy"')))])
    assert "\x1b" not in capsys.readouterr().out


def test_same_files_same_bytes() -> None:
    """Two runs give the same report, byte for byte."""
    first, second = (run_files([OWN / name for name in FILES], {}).model_dump_json() for _ in range(2))
    assert first == second


def test_comparing_rows_and_sets() -> None:
    """Rows are matched by the day on which they begin; sets ignore order; numbers are compared by value."""
    expected: Plain = [{"from": "2025-01-01", "level": "4"}, {"from": "2026-01-01", "level": "3"}]
    found = compare_fields(
        "schedule", expected, [{"from": "2026-01-01", "level": "3.0"}, {"from": "2025-01-01", "level": "5"}], ()
    )
    assert [(f.field, f.outcome) for f in found if f.outcome is not FieldOutcome.RIGHT] == [
        ("schedule[1].level", FieldOutcome.WRONG)
    ]
    more = compare_fields(
        "schedule",
        expected,
        [{"from": "2025-01-01", "level": "4"}, {"from": "2026-01-01", "level": "3"}, {"from": "2027-01-01", "level": "2"}],
        (),
    )
    assert [f.outcome for f in more].count(FieldOutcome.WRONG) == 1
    assert compare_set("codes", ["b", "a"], ["a", "b"]).outcome is FieldOutcome.RIGHT
    assert compare_set("codes", ["a"], ["a", "b"]).outcome is FieldOutcome.WRONG
    assert same("3.50", "7/2")
    assert not same("3.50", "3.5O")
    silent = compare_fields("metric", "total_leverage", None, {"metric"})
    assert silent[0].outcome is FieldOutcome.UNSTATED
