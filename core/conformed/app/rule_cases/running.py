"""Runs files of rule cases. A case that cannot be run is a failed case and never stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from conformed.app.rule_cases.calculations import run_calculation
from conformed.app.rule_cases.loading import load_cases
from conformed.app.rule_cases.outcome import CaseResult, FileResult, Report, Verdict
from conformed.app.rule_cases.pack_shapes import PackFile
from conformed.app.rule_cases.packs import run_pack
from conformed.app.rule_cases.patterns import run_pattern
from conformed.app.rule_cases.second_reader import extractor_reader
from conformed.app.rule_cases.shapes import Case, PatternFile
from conformed.errors import ConformedError

__all__ = ["run_file", "run_files"]

C = TypeVar("C", bound=Case)


def run_files(paths: Sequence[Path], env: Mapping[str, str]) -> Report:
    """Runs files, each in the order of its cases. Every file is loaded before the first case runs.

    Args:
        paths: the files.
        env: environment, for what it says of plugins.

    Raises:
        UsageError: when a file does not exist.
        PolicyError: when a file is malformed, with file, line and column.
    """
    for path in paths:
        load_cases(path)
    return Report(files=tuple(run_file(path, env) for path in paths))


def run_file(path: Path, env: Mapping[str, str]) -> FileResult:
    """Runs one file.

    Raises:
        UsageError, PolicyError: as ``run_files``.
    """
    found = load_cases(path)
    if isinstance(found, PatternFile):
        second = extractor_reader(env)
        return FileResult(file=str(path), kind="patterns", cases=_each(found.patterns, lambda case: run_pattern(case, second)))
    if isinstance(found, PackFile):
        return FileResult(file=str(path), kind="packs", cases=_each(found.packs, run_pack))
    return FileResult(file=str(path), kind="calculations", cases=_each(found.cases, run_calculation))


def _each(cases: Sequence[C], run: Callable[[C], CaseResult]) -> tuple[CaseResult, ...]:
    results = []
    for case in cases:
        try:
            results.append(run(case))
        except ConformedError as problem:
            results.append(_failed(case, str(problem)))
        except Exception as problem:  # noqa: BLE001 - one case must not stop the rest, and a case that raises is never right
            results.append(_failed(case, f"A fault of the program stopped the case ({type(problem).__name__})."))
    return tuple(results)


def _failed(case: Case, sentence: str) -> CaseResult:
    return CaseResult(id=case.id, title=case.title, verdict=Verdict.FAILED, doubts=("review_step_failed",), note=sentence)
