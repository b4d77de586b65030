"""Evaluations by the command line: the report, going on, judging again, and one clear sentence for whatever cannot be."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from conformed.app.evaluating.report import EvaluationReport
from conformed.model.base import Missing
from conformed.policy.comparison import KINDS
from conformed_plugins.backends.scripted import ScriptedBackend


def _timeless(folder: Path) -> dict[str, Any]:
    """The report of a folder without what a clock decides."""
    whole: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    del whole["made_at"], whole["frontier"]
    for method in whole["methods"]:
        for result in (*method["results"], *method["choices"]):
            del result["latency_ms"]
        del method["row"]["quality"]
    return whole


@pytest.fixture
def copy(ran: Path, tmp_path: Path) -> Path:
    """A copy of the folder of the small comparison."""
    return Path(shutil.copytree(ran, tmp_path / "out"))


def test_every_baseline_is_run_on_the_same_items(report: EvaluationReport) -> None:
    """Each kind of baseline is there, over the same items and seeds, with the cheap one asked first."""
    assert {one.kind for one in report.methods} == set(KINDS)
    assert {one.row.items for one in report.methods} == {tuple(sorted(item.id for item in report.items))}
    assert report.first_line.startswith("The cheap method is not shown to be enough. direct-greedy: accuracy ")
    seeds = {(one.item, one.seed) for method in report.methods for one in method.results}
    assert len(seeds) == len(report.items)
    assert not isinstance(report.lineage, Missing)
    assert not isinstance(report.contamination, Missing)
    assert all({"prompt", "backend", "contract"} <= set(one.settings) for one in report.methods)


def test_the_calculator_is_used(report: EvaluationReport) -> None:
    """The method with a tool shows what it worked out in its raw text; the others never do."""
    used = {
        method.name for method in report.methods for one in method.results if re.search(r"</calc> = [-0-9/]+\n", one.response)
    }
    assert used == {"verified-calculator"}


def test_the_report_as_data_is_whole(ran: Path, report: EvaluationReport) -> None:
    """What is read back from the file writes the same file again."""
    assert report.model_dump_json(indent=1) + "\n" == (ran / "report.json").read_text(encoding="utf-8")


def test_json_is_the_report_and_nothing_else(small: Any, typed: Any, copy: Path) -> None:
    """--json prints the data of the report on standard output, and the exit code is 0."""
    code, out, err = typed("baselines", str(small.comparison), str(small.data), "-o", str(copy), "--rescore", "--json")
    assert (code, err) == (0, "")
    assert out == (copy / "report.json").read_text(encoding="utf-8")
    EvaluationReport.model_validate_json(out)


def test_judging_again_generates_nothing(small: Any, typed: Any, copy: Path, ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rescoring with backends that raise gives the same report, and leaves the raw responses as they were."""
    raw = {file: file.read_bytes() for file in copy.rglob("responses.jsonl")}
    assert len(raw) == len(KINDS)

    def never(*_given: object, **_named: object) -> None:
        raise AssertionError("generated")

    monkeypatch.setattr(ScriptedBackend, "generate", never)
    code, out, _err = typed("baselines", str(small.comparison), str(small.data), "-o", str(copy), "--rescore")
    assert code == 0
    assert out.startswith("The cheap method is not shown to be enough.")
    assert {file: file.read_bytes() for file in raw} == raw
    assert _timeless(copy) == _timeless(ran)


def test_an_interrupted_run_goes_on(small: Any, typed: Any, copy: Path, ran: Path) -> None:
    """A run that lost its end, its last line cut in the middle, and a whole method gives the same report when it is resumed."""
    raw = copy / "plurality" / "responses.jsonl"
    kept = raw.read_bytes()
    raw.write_bytes(kept[: len(kept) * 2 // 3])
    shutil.rmtree(copy / "verified")
    line = ("baselines", str(small.comparison), str(small.data), "-o", str(copy))
    code, out, err = typed(*line, "--rescore")
    assert (code, out) == (2, "")
    assert "are not there. Finish it: --resume." in err
    assert typed(*line, "--resume", "--workers", "3")[0] == 0
    assert _timeless(copy) == _timeless(ran)


def test_slices_are_those_that_were_declared(small: Any, typed: Any, copy: Path, tmp_path: Path) -> None:
    """Other slices, another seed or another prompt are another run: neither --resume nor --rescore takes the folder for it."""
    text = small.comparison.read_text(encoding="utf-8")
    for old, new, named in (
        ("slices: [subject, difficulty]", "slices: [difficulty]", "slices differs"),
        ("seed: 20260331", "seed: 1", "seed differs"),
        ("{prompt} Answer as", "{prompt} Say as", "settings differs"),
    ):
        assert old in text
        (tmp_path / "other.yaml").write_text(text.replace(old, new), encoding="utf-8")
        for option in ("--resume", "--rescore"):
            code, out, err = typed("baselines", str(tmp_path / "other.yaml"), str(small.data), "-o", str(copy), option)
            assert (code, out) == (2, "")
            assert named in err
            assert len(err.splitlines()) == 1


def test_changed_references_are_another_data_set(small: Any, typed: Any, copy: Path, tmp_path: Path) -> None:
    """Responses are not judged against other references under the old data set's hash."""
    other = tmp_path / "items.jsonl"
    other.write_text(small.data.read_text(encoding="utf-8").replace('"reference": "', '"reference": "1', 1), encoding="utf-8")
    code, _out, err = typed("baselines", str(small.comparison), str(other), "-o", str(copy), "--rescore")
    assert code == 2
    assert "was another: data differs" in err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["evaluate", "DATA", "-o", "NEW", "--policy", "nonesuch"], 2, "There is no contract 'nonesuch'"),
        (["evaluate", "DATA", "-o", "NEW", "--policy", "covenant"], 2, "conformed policy test"),
        (["evaluate", "absent.jsonl", "-o", "NEW"], 2, "absent.jsonl cannot be read"),
        (["evaluate", "COMPARISON", "-o", "NEW"], 2, "comparison.yaml:1: no JSON object"),
        (["evaluate", "DATA", "-o", "NEW", "--slice", "difficulty"], 2, "Slices by a measure need edges"),
        (["evaluate", "DATA", "-o", "NEW", "--slice", "nonesuch"], 2, "No item has the slice 'nonesuch'"),
        (["evaluate", "DATA", "-o", "DATA"], 2, "cannot be made"),
        (["evaluate", "DATA", "-o", "NEW", "--rescore"], 2, "There is no run in"),
        (["evaluate", "DATA", "-o", "NEW", "--rescore", "--resume"], 2, "--resume generates and --rescore does not"),
        (["baselines", "COMPARISON", "DATA", "-o", "RAN"], 2, "Go on with it by --resume"),
        (["baselines", "DATA", "DATA", "-o", "NEW"], 1, "items.jsonl"),
        (["baselines", "absent.yaml", "DATA", "-o", "NEW"], 1, "there is no such file"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    small: Any, ran: Path, typed: Any, tmp_path: Path, line: list[str], code: int, said: str
) -> None:
    """Exit code, one line on standard error that names what is wrong, nothing on standard output, and no run is begun."""
    places = {"DATA": str(small.data), "COMPARISON": str(small.comparison), "NEW": str(tmp_path / "new"), "RAN": str(ran)}
    found, out, err = typed(*(places.get(word, word) for word in line))
    assert (found, out) == (code, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_missing_baseline_is_refused(small: Any, typed: Any, tmp_path: Path) -> None:
    """A comparison without one of the baselines is refused before anything runs, by name."""
    text = small.comparison.read_text(encoding="utf-8")
    (tmp_path / "c.yaml").write_text(text.replace("kind: rules", "kind: other"), encoding="utf-8")
    code, out, err = typed("baselines", str(tmp_path / "c.yaml"), str(small.data), "-o", str(tmp_path / "new"))
    assert (code, out) == (1, "")
    assert "no method is the baseline rules" in err
    assert not (tmp_path / "new").exists()


def test_a_contract_by_itself_is_evaluated(small: Any, typed: Any, tmp_path: Path) -> None:
    """The command runs the contract's own method: one method, its report, and no comparison."""
    code, out, _err = typed("evaluate", str(small.data), "-o", str(tmp_path / "new"), "--show-slices")
    assert code == 0
    assert out.startswith("contract: accuracy ")
    assert "too small to read" in out
    report = EvaluationReport.model_validate_json((tmp_path / "new" / "report.json").read_bytes())
    assert [one.name for one in report.methods] == ["contract"]
    assert isinstance(report.values, Missing)
    assert (tmp_path / "new" / "report.html").is_file()


def test_the_report_names_no_folder_of_the_machine(small: Any, typed: Any, tmp_path: Path) -> None:
    """A source that is not there is named as the items name it, so that a report says the same wherever it was made."""
    shutil.copy(small.data, tmp_path / "items.jsonl")
    assert typed("evaluate", str(tmp_path / "items.jsonl"), "-o", str(tmp_path / "new"))[0] == 0
    said = (tmp_path / "new" / "report.json").read_text(encoding="utf-8")
    assert "make.py cannot be read" in said
    assert str(tmp_path) not in said
    assert str(tmp_path) not in (tmp_path / "new" / "report.html").read_text(encoding="utf-8")
