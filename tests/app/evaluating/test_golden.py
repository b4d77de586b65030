"""Golden cases: each part of the vector is judged by itself, what is determined and wrong always fails, and a slice may not get worse."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.app.answer import CovenantAnswer, CovenantShape, Quote
from conformed.app.evaluating.golden.bench import Bench
from conformed.app.evaluating.golden.cases import Dated, Expected, GoldenCase, golden_cases
from conformed.app.evaluating.golden.dated import judge_answer
from conformed.app.evaluating.golden.deciding import judge_decision
from conformed.app.evaluating.golden.judged import PARTS, Class, Judged, Part, PartClass
from conformed.app.evaluating.golden.regression import baseline_of, changes, fails, read_baseline, write_baseline
from conformed.app.evaluating.golden.running import judge_cases
from conformed.app.options import RunOptions, silent
from conformed.cli.entry import run_command_line
from conformed.errors import ConformedError, UsageError
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.covenant import Covenant
from conformed.model.decision import CheckOutcome, Decision, Result

ROOT = Path(__file__).parents[3]
PACK = ROOT / "casefiles" / "kestrel-breach"


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Decision:
    """A run of a sample pack."""
    bench = Bench(ROOT / "policies", tmp_path_factory.mktemp("bench"), environment={})
    return bench.run(PACK, RunOptions(), silent)


@pytest.fixture(scope="module")
def right() -> Expected:
    """What is expected of it."""
    (case,) = golden_cases(PACK)
    assert isinstance(case.right, Expected)
    return case.right


def outcomes(judged: Judged) -> dict[str, str]:
    """Parts that are not right."""
    return {part.name: part.outcome.value for part in judged.vector if part.outcome is not PartClass.RIGHT}


def test_a_run_as_expected_is_right_in_every_part(decided: Decision, right: Expected) -> None:
    """All six parts are judged right, and the reviewer's actions are carried."""
    judged = judge_decision("kestrel", decided, right)
    assert (judged.outcome, outcomes(judged)) == (Class.RIGHT, {})
    assert tuple(part.name for part in judged.vector) == PARTS
    assert judged.actions == decided.next_steps


def changed(decision: Decision, **changes: Any) -> Decision:
    """A record with parts changed."""
    return decision.model_copy(update=changes)


def other_level(covenant: Covenant | Missing, level: str) -> Covenant:
    """The covenant with another level."""
    assert isinstance(covenant, Covenant)
    return covenant.model_copy(update={"limit": covenant.limit.model_copy(update={"value": Fraction(level)})})


NONE = Missing(reason="None governs.", code="review_schedule_gap")


def test_a_level_that_is_determined_and_wrong_is_wrong(decided: Decision, right: Expected) -> None:
    """Whatever else is right."""
    judged = judge_decision("k", changed(decided, covenant=other_level(decided.covenant, "17/4")), right)
    assert (judged.outcome, outcomes(judged)) == (Class.WRONG, {"clause_precedence": "wrong"})
    assert "level 17/4 instead of 7/2" in judged.part("clause_precedence").said


def test_a_review_is_a_candidate_where_the_right_reading_is_shown(decided: Decision, right: Expected) -> None:
    """Among the first three; without it the case is a review."""
    asked = {"result": Result.REVIEW, "covenant": NONE}
    shown = changed(decided, candidates=(other_level(decided.covenant, "4"), decided.covenant), **asked)
    assert judge_decision("k", shown, right).outcome is Class.CANDIDATE
    late = changed(shown, candidates=(*[other_level(decided.covenant, str(n)) for n in (4, 5, 6)], decided.covenant))
    assert judge_decision("k", late, right).outcome is Class.REVIEW
    assert judge_decision("k", changed(shown, candidates=()), right).outcome is Class.REVIEW


def test_the_calculation_is_judged_apart(decided: Decision, right: Expected) -> None:
    """Another ratio is wrong; none is open, and the other parts stay right."""
    assert isinstance(decided.calculation, Calculation)
    other = decided.calculation.model_copy(update={"ratio": Fraction(7, 2)})
    judged = judge_decision("k", changed(decided, calculation=other), right)
    assert (judged.outcome, outcomes(judged)) == (Class.WRONG, {"calculation": "wrong"})
    judged = judge_decision("k", changed(decided, calculation=NONE), right)
    assert outcomes(judged) == {"calculation": "open"}
    assert judged.outcome is Class.MISSED


@pytest.mark.parametrize(
    ("changes", "part", "outcome", "whole"),
    [
        ({"result": Result.PASS}, "decision_boundary", "wrong", Class.WRONG),
        ({"result": Result.REVIEW}, "decision_boundary", "open", Class.REVIEW),
        ({"findings": ()}, "decision_boundary", "open", Class.MISSED),
        ({"documents": ()}, "retrieval_coverage", "wrong", Class.WRONG),
    ],
)
def test_each_part_is_judged_by_itself(
    decided: Decision, right: Expected, changes: dict[str, Any], part: str, outcome: str, whole: Class
) -> None:
    """One part that differs is named, and no other."""
    judged = judge_decision("k", changed(decided, **changes), right)
    assert outcomes(judged) == {part: outcome}
    assert judged.outcome is whole


@pytest.mark.parametrize(("check", "part"), [("schema", "field_schema"), ("claim_support", "claim_support")])
def test_a_check_that_failed_is_wrong_and_one_that_is_open_is_open(
    decided: Decision, right: Expected, check: str, part: str
) -> None:
    """The run's own checks are not covered up by a right figure."""
    for found, outcome in ((CheckOutcome.FAIL, "wrong"), (CheckOutcome.REVIEW, "open"), (CheckOutcome.NOT_RUN, "open")):
        rows = tuple(one.model_copy(update={"outcome": found}) if one.name == check else one for one in decided.checks)
        assert outcomes(judge_decision("k", changed(decided, checks=rows), right)) == {part: outcome}


def test_a_covenant_determined_where_none_can_be_is_wrong(decided: Decision, right: Expected) -> None:
    """Where review is right, a determined level is the one figure that must be zero."""
    nothing = right.model_copy(update={"covenant": None, "result": "review"})
    judged = judge_decision("k", decided, nothing)
    assert judged.part("clause_precedence").outcome is PartClass.WRONG


QUOTE = Quote(document="a.pdf", page=1, start=0, end=4, text="3.50")


def shape(
    level: str = "7/2", comparator: str = "le", document: str = "a.pdf", spans: tuple[Quote, ...] = (QUOTE,)
) -> CovenantShape:
    """A covenant as an answer has it."""
    return CovenantShape(
        name="Leverage", section="7.1", metric="net_leverage", comparator=comparator, level=level, document=document, spans=spans
    )


def answered(result: str, covenant: CovenantShape | None = None, candidates: tuple[CovenantShape, ...] = (), overlay: str = "none") -> CovenantAnswer:  # fmt: skip
    """An answer."""
    return CovenantAnswer(
        pack="p", test_date="2024-06-30", known_at="2024-07-30", result=result, overlay=overlay, reason="", covenant=covenant,
        candidates=candidates,
    )  # type: ignore[arg-type]  # fmt: skip


def dated(expect: str, **fields: Any) -> Dated:
    """A question."""
    plain = {"id": "q", "pack": "p", "test_date": "2024-06-30", "expect": expect, "level": "7/2", "comparator": "le", **fields}
    return Dated.model_validate(plain)


@pytest.mark.parametrize(
    ("answer", "want", "outcome"),
    [
        (answered("determined", shape()), dated("level"), Class.RIGHT),
        (answered("determined", shape(comparator="lt")), dated("level"), Class.RIGHT),
        (answered("determined", shape(comparator="ge")), dated("level"), Class.WRONG),
        (answered("determined", shape("15/4")), dated("level"), Class.WRONG),
        (answered("determined", shape(spans=())), dated("level"), Class.WRONG),
        (answered("determined", shape()), dated("level", document="b.pdf"), Class.WRONG),
        (answered("determined"), dated("level"), Class.WRONG),
        (answered("review", None, (shape("4"), shape())), dated("level"), Class.CANDIDATE),
        (answered("review", None, (shape("4"), shape("5"), shape("6"), shape())), dated("level"), Class.REVIEW),
        (answered("not_tested"), dated("level"), Class.MISSED),
        (answered("review"), dated("review"), Class.RIGHT),
        (answered("determined", shape()), dated("review"), Class.WRONG),
        (answered("not_tested"), dated("suspended"), Class.RIGHT),
        (answered("determined", shape()), dated("suspended"), Class.WRONG),
        (answered("review"), dated("not_in_force"), Class.REVIEW),
        (answered("determined", shape(), overlay="waived"), dated("waived"), Class.RIGHT),
        (answered("determined", shape()), dated("waived"), Class.WRONG),
        (answered("review"), dated("not_tested_or_review"), Class.RIGHT),
        (answered("determined", shape()), dated("not_tested_or_review"), Class.WRONG),
    ],
)
def test_a_dated_answer_falls_in_one_class(answer: CovenantAnswer, want: Dated, outcome: Class) -> None:
    """Right only with level, direction, source and words; determined otherwise is wrong."""
    assert judge_answer("q", answer, want).outcome is outcome


def judged(case: str, outcome: Class, **parts: PartClass) -> Judged:
    """A judged case."""
    return Judged(case=case, outcome=outcome, vector=tuple(Part(name=name, outcome=one) for name, one in parts.items()))


@pytest.mark.parametrize(
    ("old", "new", "worse"),
    [
        (judged("a", Class.RIGHT), judged("a", Class.RIGHT), False),
        (judged("a", Class.RIGHT), judged("a", Class.CANDIDATE), True),
        (judged("a", Class.CANDIDATE), judged("a", Class.REVIEW), True),
        (judged("a", Class.REVIEW), judged("a", Class.RIGHT), False),
        (judged("a", Class.REVIEW, calculation=PartClass.RIGHT), judged("a", Class.REVIEW, calculation=PartClass.OPEN), True),
        (judged("a", Class.REVIEW, calculation=PartClass.RIGHT), judged("a", Class.REVIEW), True),
        (judged("a", Class.REVIEW, calculation=PartClass.OPEN), judged("a", Class.REVIEW), False),
        (judged("a", Class.WRONG), judged("a", Class.WRONG), True),
        (judged("a", Class.ERROR), judged("a", Class.ERROR), True),
        (judged("b", Class.RIGHT), judged("a", Class.RIGHT), True),
    ],
)
def test_a_slice_may_not_get_worse(tmp_path: Path, old: Judged, new: Judged, worse: bool) -> None:
    """A case or a part that falls, a case that is gone, and anything wrong or failed: each fails the test of a contract."""
    place = tmp_path / "baselines" / "c.json"
    write_baseline(place, baseline_of("c 1", {"s": [old]}))
    found = changes(read_baseline(place), {"s": [new]})
    assert fails(found, {"s": [new]}) is worse


def test_a_baseline_is_the_same_bytes_and_read_back(tmp_path: Path) -> None:
    """Recording twice changes nothing; something else in its place is refused."""
    place = tmp_path / "c.json"
    write_baseline(place, baseline_of("c 1", {"s": [judged("b", Class.RIGHT), judged("a", Class.REVIEW)]}))
    first = place.read_bytes()
    write_baseline(place, baseline_of("c 1", {"s": [judged("a", Class.REVIEW), judged("b", Class.RIGHT)]}))
    assert place.read_bytes() == first
    place.write_text("{}")
    with pytest.raises(UsageError, match="is no baseline"):
        read_baseline(place)


def test_one_case_that_fails_does_not_end_the_others(tmp_path: Path) -> None:
    """A pack that cannot be opened is that case's error, with its sentence."""
    (good,) = golden_cases(PACK)
    bad = GoldenCase("absent", tmp_path / "absent", good.right)
    seen: list[str] = []
    found = judge_cases((bad, good), ROOT / "policies", "covenant", environment={}, told=lambda one: seen.append(one.case))
    assert [one.outcome for one in found] == [Class.ERROR, Class.RIGHT]
    assert seen == ["absent", "kestrel-breach"]
    assert found[0].exceptions[0].startswith("PackError: ")


def test_the_command_fails_when_a_slice_got_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``policy test`` records, holds against what was recorded, and ends with 1 when a case fell; nothing is left in the log."""
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    shutil.rmtree(tmp_path / "policies" / "baselines", ignore_errors=True)
    shutil.copytree(PACK, tmp_path / "casefiles" / PACK.name)
    words = ["policy", "test", "covenant", "--workspace", str(tmp_path)]
    assert run_command_line([*words, "--record"]) == 0
    assert "no baseline" in capsys.readouterr().out
    expected = tmp_path / "casefiles" / PACK.name / "expected.yaml"
    expected.write_text(expected.read_text().replace("- accept_substituted_text", "- accept_amended_provision"))
    assert run_command_line([*words, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {one["direction"] for one in told["changes"]} == {"worse"}
    assert not (tmp_path / ".conformed").exists()
    assert run_command_line([*words, "--slice", "none"]) == 2


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "holds no golden case"),
        ({"expected.yaml": "result: pass\n"}, "overlay"),
        ({"expected.yaml": "result: [\n"}, "this is no YAML"),
        ({"checks.json": "{"}, "is no list of questions"),
        ({"checks.json": '[{"id": "x"}]'}, "pack"),
        ({"items.jsonl": "{}\n"}, "id"),
        ({"items.jsonl": '{"id": "a", "id": "b"}\n'}, "twice"),
        ({"items.jsonl": "\n"}, "holds no item"),
    ],
)
def test_a_folder_that_is_none_is_refused_by_name(tmp_path: Path, files: dict[str, str], says: str) -> None:
    """What is wrong with golden cases is one sentence with the place."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ConformedError, match=says):
        golden_cases(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        golden_cases(tmp_path / "absent")
