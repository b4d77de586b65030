"""What the tests of evaluations share: a small comparison on twelve of the demonstration items, run once."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformed.app.evaluating.report import EvaluationReport
from conformed.cli.entry import run_command_line

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "casefiles" / "short-answers"


@dataclass(frozen=True)
class Small:
    """Files of a small comparison."""

    data: Path
    comparison: Path


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Twelve items in two splits, with the file that they come from, and a comparison of every baseline."""
    folder = tmp_path_factory.mktemp("small")
    shutil.copy(DEMO / "make.py", folder)
    found = [json.loads(line) for line in (DEMO / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    kept = [one for one in found if int(one["id"][-2:]) < 4]
    assert len(kept) == 12
    for at, one in enumerate(kept):
        one["split"] = "test" if at % 2 else "development"
        if at == 0:
            one["influence"] = ["prompt_example"]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in kept), encoding="utf-8")
    text = (DEMO / "comparison.yaml").read_text(encoding="utf-8")
    comparison = text.replace("casefiles/short-answers/script.json", str(DEMO / "script.json"))
    assert comparison != text
    (folder / "comparison.yaml").write_text(comparison.replace("smallest_slice: 20", "smallest_slice: 5"), encoding="utf-8")
    return Small(folder / "items.jsonl", folder / "comparison.yaml")


@pytest.fixture(scope="session")
def ran(small: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small comparison, run by the command line."""
    folder = tmp_path_factory.mktemp("ran") / "out"
    line = ["baselines", str(small.comparison), str(small.data), "-o", str(folder), "--workspace", str(ROOT)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONFORMED_DEBUG", os.environ.get("CONFORMED_DEBUG", ""))
        assert run_command_line([*line, "--inspect", str(folder / "inspect")]) == 0
    return folder


@pytest.fixture(scope="session")
def report(ran: Path) -> EvaluationReport:
    """The report of the small comparison, as the file of data says it."""
    return EvaluationReport.model_validate_json((ran / "report.json").read_bytes())


Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs one command line in the product's own workspace: exit code, standard output, standard error."""

    def line(*words: str) -> tuple[int, str, str]:
        code = run_command_line([*words, "--workspace", str(ROOT)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return line
