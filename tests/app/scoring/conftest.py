"""A desk over a workspace of its own, with scorers of the tests beside the built-in ones."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformed.app.scoring.desk import ScoringDesk
from conformed.app.workspace import find_workspace, init_workspace
from conformed.hooks import Registration, Registry, load_registry

ROOT = Path(__file__).parents[3]
CARD = """\
scorer_id: {name}
revision: 1.0.0
family: deterministic
plugin: {plugin}
version: 1.0.0
training_data_revision: none
target_event: answer_correct
input_schema: [prompt, response, answer]
output_schema: order
supported_slices: []
failure_slices: []
drift: {{most_changed: "1/10", most_regressed: "1/20", worse_p: "1/20", most_review_change: "1/10", most_length_correlation: "1/2"}}
owner: Tests
"""


class Told:
    """A scorer that does what it is told."""

    def __init__(self, score: Callable[[Sequence[dict[str, Any]]], Any]) -> None:
        self._score = score

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[Any, ...]:
        """Whatever the function gives."""
        return self._score(items)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def bank_maker() -> ModuleType:
    """casefiles/short-answers/bank_make.py."""
    spec = importlib.util.spec_from_file_location("bank_make", ROOT / "casefiles" / "short-answers" / "bank_make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bank_make"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bank(bank_maker: ModuleType, tmp_path: Path) -> Path:
    """A small bank."""
    file = tmp_path / "bank.jsonl"
    file.write_bytes(bank_maker.bank(0.1, 4))
    return file


@pytest.fixture(scope="session")
def installed() -> Registry:
    """The plugins that are installed."""
    return load_registry(env={})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with the packaged policies."""
    return init_workspace(tmp_path / "bank").root


@pytest.fixture
def desk(workspace: Path, installed: Registry, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScoringDesk]:
    """Makes a desk with further scorers, each with a card of its own."""

    def make(**scorers: Callable[[Sequence[dict[str, Any]]], Any]) -> ScoringDesk:
        made = []
        for name, function in scorers.items():
            made.append(Registration("scorer", name, "1.0.0", "Of the tests.", lambda _o, f=function: Told(f)))
            card = CARD.format(name=name, plugin=name)
            (workspace / "policies" / "scorers" / f"{name}.yaml").write_text(card, encoding="utf-8")
        registry = Registry(registrations=tuple(sorted((*installed.registrations, *made), key=lambda one: (one.kind, one.name))))
        found = ScoringDesk(find_workspace(workspace, {}, workspace), environment={})
        monkeypatch.setattr(found, "_registry", registry)
        return found

    return make
