"""The commands about the log, plugins, policies and workspaces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_show_prints_a_row_a_record(service: Any, typed: Any) -> None:
    """Number, time, kind, step and the beginning of the hash; JSON has the whole record."""
    said = typed("log", "show", "r-0001")
    assert said.code == 0
    assert "step.intent" in said.out
    assert "ffffffffffff" in said.out
    assert json.loads(typed("log", "show", "r-0001", "--json").out)[0]["digest"] == "f" * 64
    assert service.asked[0][:2] == ("log_show", "r-0001")


def test_verify_is_an_exit_code(service: Any, typed: Any) -> None:
    """A log that holds gives 0; one that does not gives 1 and names the record."""
    assert (typed("log", "verify").code, service.asked[-1][1]) == (0, None)
    service.log_ok = False
    said = typed("log", "verify", "r-0001")
    assert said.code == 1
    assert said.out == "DAMAGED: record 3 does not hold: its hash differs.\n"
    assert json.loads(typed("log", "verify", "--json").out)["first_bad"] == "3"


def test_plugins_lists_the_broken_one_with_its_reason(service: Any, typed: Any) -> None:
    """One that cannot be loaded stands in the list with why, and stops nothing."""
    said = typed("plugins")
    assert said.code == 0
    assert "no module named x." in said.out
    assert [row["status"] for row in json.loads(typed("plugins", "--json").out)] == ["ready", "failed"]


def test_lint_explain_diff_and_schema(typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packaged contract passes lint, is explained, does not differ from itself, and has a schema."""
    monkeypatch.chdir(tmp_path)
    assert typed("policy", "lint").code == 0
    assert typed("policy", "lint", "--json").code == 0
    assert "who decides" in typed("policy", "explain", "covenant").out
    assert json.loads(typed("policy", "explain", "covenant", "--json").out)
    assert typed("policy", "diff", "covenant", "covenant").out == "The two mean the same.\n"
    assert json.loads(typed("policy", "diff", "covenant", "covenant", "--json").out) == []
    assert "properties" in json.loads(typed("policy", "schema").out)


def test_a_changed_contract(typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A looser limit in a made workspace is named by diff; a typo is refused with its place by lint and by explain."""
    monkeypatch.chdir(tmp_path)
    assert typed("init", "bank").code == 0
    file = tmp_path / "bank" / "policies" / "covenant.yaml"
    text = file.read_text(encoding="utf-8")
    looser = tmp_path / "looser.yaml"
    looser.write_text(text.replace("wall_seconds: 900", "wall_seconds: 9000"), encoding="utf-8")
    assert "loosened" in typed("policy", "diff", str(file), str(looser)).out
    file.write_text(text.replace("consequence:", "consequense:"), encoding="utf-8")
    for line in (["policy", "lint", str(file)], ["policy", "explain", "covenant", "--workspace", "bank"]):
        said = typed(*line)
        assert said.code == 1
        assert "covenant.yaml:" in said.out + said.err


def test_init_says_what_comes_next(typed: Any, tmp_path: Path) -> None:
    """The folder is named, and a second time is refused without harm."""
    said = typed("init", str(tmp_path / "bank"))
    assert said.code == 0
    assert str(tmp_path / "bank") in said.out
    assert typed("init", str(tmp_path / "bank")).code == 2
