"""The rule book's own data files, run as rule cases. They lie outside the project and are skipped where absent."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conformed.app.rule_cases.outcome import FileResult
from conformed.app.rule_cases.running import run_file

_ROOT = os.environ.get("CONFORMED_SHARED", "")
_FOLDER = (Path(_ROOT) if _ROOT else Path(__file__).resolve().parents[3] / "shared") / "domain"


def _ran(name: str, capsys: pytest.CaptureFixture[str]) -> FileResult:
    path = _FOLDER / f"{name}.yaml"
    if not path.is_file():
        pytest.skip(f"the rule book's {name} are not here")
    result = run_file(path, {})
    right, compared = result.counts
    with capsys.disabled():
        sys.stdout.write(
            f"\n{name}: {result.right} of {len(result.cases)} right in every field; {right} of {compared} fields right\n"
        )
    return result


@pytest.mark.parametrize(("name", "least"), [("patterns", 28), ("packs", 14), ("calculations", 22)])
def test_rule_book(name: str, least: int, capsys: pytest.CaptureFixture[str]) -> None:
    """No case is determined wrong (level, comparison, window or result, with no review code), and the score does not fall."""
    result = _ran(name, capsys)
    assert [(c.id, c.determined_wrong) for c in result.cases if c.determined_wrong] == []
    assert result.right >= least
