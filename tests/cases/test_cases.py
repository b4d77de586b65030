"""The sample packs from end to end: each ends as its expected.yaml says, through the service and the command line."""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.cli.entry import run_command_line
from conformed.cli.progress import Reporter
from conformed.model.decision import Decision

ROOT = Path(__file__).parents[2]
PACKS = {"marlow-pass": 0, "kestrel-breach": 10, "tarn-not-tested": 11, "harrow-review": 12}
"""Each sample pack and the exit code of its run."""


def _differences() -> Any:
    spec = importlib.util.spec_from_file_location("expectation", Path(__file__).with_name("expectation.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.differences


differences = _differences()


def expected(pack: str) -> dict[str, Any]:
    """What a run of a pack must give."""
    return YAML(typ="safe", pure=True).load(ROOT / "casefiles" / pack / "expected.yaml")  # type: ignore[no-any-return]


class Run:
    """One run of a pack through the service, with clock and id given."""

    def __init__(self, pack: str, bank: Path) -> None:
        shutil.copytree(ROOT / "policies", bank / "policies")
        seconds = itertools.count()
        start = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)
        self.service = Service(
            Workspace(root=bank, policies=bank / "policies", origin="flag"),
            clock=lambda: start + dt.timedelta(seconds=next(seconds)),
            ids=lambda: "r-sample",
            environment={},
        )
        self.path = ROOT / "casefiles" / pack
        self.decision: Decision = self.service.run(self.path, RunOptions(), silent)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Each pack run once."""
    return {pack: Run(pack, tmp_path_factory.mktemp(pack)) for pack in PACKS}


@pytest.mark.parametrize("pack", PACKS)
def test_a_sample_pack_ends_as_expected(runs: dict[str, Run], pack: str) -> None:
    """Result, level, section, instrument, exact ratio, headroom, codes, findings and open readings are those of expected.yaml."""
    assert differences(json.loads(runs[pack].decision.model_dump_json()), expected(pack)) == []


@pytest.mark.parametrize("pack", PACKS)
def test_every_quotation_slices_back(runs: dict[str, Run], pack: str) -> None:
    """Each span of the record, cut out of the document's canonical text, is the words that it quotes; the level is among them."""
    evidence = runs[pack].service.evidence(runs[pack].path)
    spans = spans_of(json.loads(runs[pack].decision.model_dump_json()))
    assert len(spans) > 20
    for span in spans:
        text = evidence.text(span["document"])
        assert text is not None
        assert text[span["start"] : span["end"]] == span["text"]
    written = expected(pack)["covenant"]
    if written is not None:
        assert any(span["text"] == written["level_as_written"] for span in spans)


def spans_of(value: Any) -> list[dict[str, Any]]:
    """Every span of a record."""
    if isinstance(value, dict):
        own = [value] if {"document", "start", "end", "text"} <= set(value) else []
        return own + [span for part in value.values() for span in spans_of(part)]
    return [span for part in value for span in spans_of(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("pack", PACKS)
def test_a_run_has_six_checks_and_a_log_that_holds(runs: dict[str, Run], pack: str) -> None:
    """The six checks are there once each, a person is told what to do, and the log of the run verifies."""
    decision = runs[pack].decision
    assert [check.name for check in decision.checks] == [
        "retrieval_coverage", "precedence", "schema", "calculation", "claim_support", "decision_boundary",
    ]  # fmt: skip
    assert decision.next_steps
    assert runs[pack].service.log_verify("r-sample").ok


def test_what_is_open_is_said_once(runs: dict[str, Run]) -> None:
    """A person is sent to the instrument whose conditions are open, and not to a part of the record for the same reason."""
    decision = runs["harrow-review"].decision
    asked = [reason.subject for reason in decision.reasons if reason.code == "review_cp_evidence_missing"]
    assert asked == ["03_second-amendment_2024-05-24.docx"]
    assert not any("comparison" in step for step in decision.next_steps)


@pytest.mark.parametrize("pack", PACKS)
def test_the_command_line_says_the_same(pack: str, runs: dict[str, Run], bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``conformed run --json --html``: exit code, the same decision, and a report that needs nothing from outside."""
    report = bank / "report.html"
    words = ["run", str(ROOT / "casefiles" / pack), "--json", "--html", str(report), "--workspace", str(bank)]
    assert run_command_line(words) == PACKS[pack]
    found = json.loads(capsys.readouterr().out)
    assert found.pop("publication")["state"] == "published"  # beside the decision, never inside its record
    assert json.loads(json.dumps(found).replace(found["run"], "r-sample")) == json.loads(runs[pack].decision.model_dump_json())
    html = report.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in html
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:image/png;base64,)""", html)
    assert "<script" not in html
    assert str(bank) not in html
    if pack in {"marlow-pass", "kestrel-breach"}:
        assert html.count("<rect x=") > 10  # words marked on images of the pages


def test_the_command_as_a_process(bank: Path) -> None:
    """A person's screen: the result first, the level with section and instrument, ratio, headroom, and what to do."""
    line = [sys.executable, "-m", "conformed.cli", "run", str(ROOT / "casefiles" / "kestrel-breach"), "--workspace", str(bank)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert (done.returncode, done.stderr) == (10, "")
    assert done.stdout.startswith("RESULT  BREACH   3.60x against ≤ 3.50x\n")
    for words in (
        "Section   22.2(a)", "03_second-amendment-letter_2023-11-14.pdf", "Exact ratio       18/5", "debt is too high by GBP 4,400,000",
        "Levels over time", "Every sentence supported", "finding_certificate_uses_wrong_level", "Where each fact stands",
        "p. 1: “3.50:1”", "What a person must now do",
    ):  # fmt: skip
        assert words in done.stdout
    assert "\x1b" not in done.stdout


def test_a_run_that_was_stopped_goes_on(
    runs: dict[str, Run], bank: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of a sample pack, then ``--resume``: the same decision."""
    words = ["run", str(ROOT / "casefiles" / "harrow-review"), "--json", "--workspace", str(bank)]

    def stop(self: Reporter, step: str, done: int = 0, total: int = 0) -> None:
        if step == "calculate":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Reporter, "__call__", stop)
        assert run_command_line(words) == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert "conformed run PACK --resume" in said.err
    assert run_command_line([*words, "--resume"]) == 12
    found = json.loads(capsys.readouterr().out)
    assert found.pop("publication")["state"] == "published"  # beside the decision, never inside its record
    assert json.loads(json.dumps(found).replace(found["run"], "r-sample")) == json.loads(
        runs["harrow-review"].decision.model_dump_json()
    )


SEEDED = """
import datetime as dt, hashlib, itertools, sys
from pathlib import Path
from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace

bank, *packs = map(Path, sys.argv[1:])
seconds = itertools.count()
clock = lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(seconds))
service = Service(Workspace(bank, bank / "policies", "flag"), clock=clock, ids=lambda: "r-sample", environment={})
for pack in packs:
    print(pack.name, hashlib.sha256(service.run(pack, RunOptions(), silent).model_dump_json().encode()).hexdigest())
"""


def test_the_same_bytes_under_any_hash_seed(runs: dict[str, Run], tmp_path: Path) -> None:
    """No order of a set or a dictionary reaches a decision: two seeds and this process give the same bytes."""
    packs = ["marlow-pass", "tarn-not-tested"]
    wanted = [f"{p} {hashlib.sha256(runs[p].decision.model_dump_json().encode()).hexdigest()}" for p in packs]
    for seed in ("1", "4242"):
        bank = tmp_path / seed
        shutil.copytree(ROOT / "policies", bank / "policies")
        line = [sys.executable, "-c", SEEDED, str(bank), *(str(ROOT / "casefiles" / pack) for pack in packs)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=True, env=environment)
        assert done.stdout.splitlines() == wanted


@pytest.mark.parametrize("pack", PACKS)
def test_the_trace_of_a_sample_pack_is_recomputed_by_another_program(runs: dict[str, Run], pack: str, tmp_path: Path) -> None:
    """docs/recompute.py, which imports nothing of the product, finds every line of the record as it stands, and a forged one not."""
    record = json.loads(runs[pack].decision.model_dump_json())
    for name, code in (("true", 0), ("forged", 1)):
        figures = record["calculation"].get("figures")
        if name == "forged" and figures is None:
            continue  # what is not tested has no trace to forge
        if name == "forged":
            figures[0]["value"] = str(Fraction(figures[0]["value"]) + 1)
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(record))
        done = subprocess.run(
            [sys.executable, str(ROOT / "docs" / "recompute.py"), str(path)], capture_output=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stderr
