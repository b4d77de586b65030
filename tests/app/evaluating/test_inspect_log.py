"""Logs for the inspect_ai viewer: what inspect_ai itself reads out of them is what the report says."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from conformed.app.evaluating.inspect_log import write_logs
from conformed.app.evaluating.report import EvaluationReport
from conformed.errors import UsageError
from conformed.evaluation.intervals import Proportion
from conformed.model.answer import Outcome

_WORDS = {Outcome.CORRECT: "C", Outcome.INCORRECT: "I", Outcome.REVIEW: "N"}


@pytest.fixture(scope="module")
def log() -> Any:
    """The log module of inspect_ai."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports
        return pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed: pip install inspect_ai")


@pytest.fixture(scope="module")
def failing(report: EvaluationReport) -> EvaluationReport:
    """The report with one sample whose check failed."""
    method = report.methods[1]
    broken = method.results[0].model_copy(update={"outcome": Outcome.ERROR, "code": "verify_exception:ValueError"})
    changed = method.model_copy(update={"results": (broken, *method.results[1:])})
    return report.model_copy(update={"methods": (report.methods[0], changed, *report.methods[2:])})


def test_inspect_ai_lists_and_reads_every_method(log: Any, failing: EvaluationReport, tmp_path: Path) -> None:
    """One log a method; its samples, answers, scores, tokens, times and metrics are those of the report; errors are errors."""
    write_logs(failing, tmp_path)
    listed = {one.task: one for one in log.list_eval_logs(str(tmp_path))}
    assert set(listed) == {method.name for method in failing.methods}
    for method in failing.methods:
        read = log.read_eval_log(listed[method.name].name)
        assert read.status == "success"
        assert read.eval.task_id == listed[method.name].task_id
        assert read.eval.dataset.samples == len(failing.items)
        assert read.eval.config.epochs == method.row.method.n
        assert read.eval.metadata["data_sha256"] == failing.data_digest
        assert read.eval.task_args["prompt"] == method.settings["prompt"]
        assert len(read.samples) == len(method.results)
        items = {item.id: item for item in failing.items}
        for sample, result in zip(read.samples, method.results, strict=True):
            assert (sample.id, sample.epoch) == (result.item, result.sample + 1)
            assert (sample.input, sample.target) == (items[result.item].prompt, items[result.item].reference)
            assert sample.output.completion == result.response
            assert sample.output.usage.output_tokens == result.response_tokens
            assert sample.output.usage.input_tokens == result.prompt_tokens
            assert sample.total_time == result.latency_ms / 1000
            if result.outcome is Outcome.ERROR:
                assert sample.error.message == "verify_exception:ValueError"
                assert not sample.scores
            else:
                score = sample.scores["conformed"]
                assert (score.value, score.answer, score.explanation) == (_WORDS[result.outcome], result.answer, result.code)
        (scored,) = read.results.scores
        accuracy = method.samples.accuracy
        assert isinstance(accuracy, Proportion)
        assert scored.metrics["accuracy"].value == accuracy.value
        assert scored.metrics["accuracy"].metadata["trials"] == accuracy.trials
        assert f"pass_at_{method.pass_at[-1].k}" in scored.metrics
        assert read.results.total_samples - read.results.completed_samples == sum(
            one.outcome is Outcome.ERROR for one in method.results
        )
        assert read.stats.model_usage[read.eval.model].output_tokens == sum(one.response_tokens for one in method.results)


def test_a_header_can_be_read_alone(log: Any, report: EvaluationReport, tmp_path: Path) -> None:
    """A list of runs needs no samples: the header holds model, task and metrics."""
    write_logs(report, tmp_path)
    for one in log.list_eval_logs(str(tmp_path)):
        head = log.read_eval_log(one.name, header_only=True)
        assert head.samples is None
        assert head.eval.task == one.task
        assert "accuracy" in head.results.scores[0].metrics


def test_the_same_report_gives_the_same_files(report: EvaluationReport, tmp_path: Path, ran: Path) -> None:
    """Names and bytes are those of the report alone, and the command wrote the same."""
    write_logs(report, tmp_path / "a")
    mine = {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()}
    write_logs(report, tmp_path / "a")
    assert {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()} == mine
    assert {file.name: file.read_bytes() for file in (ran / "inspect").iterdir()} == mine
    assert len(mine) == len(report.methods)


def test_two_methods_whose_names_look_alike_do_not_meet(report: EvaluationReport, tmp_path: Path) -> None:
    """Names that are equal after cleaning still give two files, and no name leaves the folder."""
    first, second = (
        one.model_copy(update={"name": name}) for one, name in zip(report.methods[:2], ("../a", "..\\a"), strict=True)
    )
    write_logs(report.model_copy(update={"methods": (first, second)}), tmp_path / "in")
    assert len(list((tmp_path / "in").iterdir())) == 2
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_what_is_for_a_person_is_neither_right_nor_wrong(report: EvaluationReport, tmp_path: Path) -> None:
    """A sample without an answer is N, in plain JSON that any reader understands."""
    write_logs(report, tmp_path)
    rules = next(file for file in tmp_path.iterdir() if "_rules_" in file.name)
    whole = json.loads(rules.read_text(encoding="utf-8"))
    method = next(one for one in report.methods if one.name == "rules")
    assert [one["scores"]["conformed"]["value"] for one in whole["samples"]] == [_WORDS[one.outcome] for one in method.results]
    assert "N" in {one["scores"]["conformed"]["value"] for one in whole["samples"]}


def test_a_folder_that_cannot_be_written_is_one_sentence(report: EvaluationReport, tmp_path: Path) -> None:
    """A file in the folder's place is an error of usage that names it."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        write_logs(report, tmp_path / "file")
