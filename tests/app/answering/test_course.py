"""The steps of a short answer as a contract binds them: its plugins, its sampling, its verifiers; anything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed.app.answering.course import AnswerCourse
from conformed.app.binding import Bound, bound_contract
from conformed.engine.workflow import Kind
from conformed.errors import PluginError, PolicyError, UsageError
from conformed.hooks import load_registry
from conformed.model.answered import AnswerRecord, Task
from conformed.policy.bind import bind
from conformed.policy.load import load_model
from conformed.policy.schema import Application, TaskContract
from conformed_plugins.backends.arithmetic import ArithmeticBackend

TASK = Task(id="t", prompt="What is 6*7?", form="numeric", check="42", facts={})


def course(path: Path) -> AnswerCourse:
    """The course of a contract."""
    return AnswerCourse(bound_contract(path, load_registry(env={}), Application.SHORT_ANSWER), TASK)


@pytest.fixture
def contract(bank: Path) -> Path:
    """The workspace's contract."""
    return bank / "policies" / "short-answers.yaml"


def edit(path: Path, old: str, new: str) -> Path:
    """Edits a contract."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_steps_are_the_contracts(contract: Path) -> None:
    """All five in order, the plugins named with their versions, and the record of this application."""
    workflow = course(contract).workflow()
    assert workflow.names == ("route", "generate", "answer", "verify", "select")
    assert workflow.record is AnswerRecord
    assert workflow.step("generate").plugins == ("arithmetic 1.0.0",)
    assert workflow.step("verify").plugins == ("numeric 1.0.0", "symbolic 1.0.0", "code 1.0.0")
    request = course(contract).request()
    assert (request.task, request.contract, request.contract_digest) == (TASK, "short-answers 1.0.0", workflow.digest)


@pytest.mark.parametrize(("repeatable", "kind"), [(True, Kind.PURE), (False, Kind.READ), (None, Kind.READ), ("yes", Kind.READ)])
def test_only_a_backend_that_says_so_repeats_itself(
    contract: Path, monkeypatch: pytest.MonkeyPatch, repeatable: object, kind: Kind
) -> None:
    """Anything but True makes generation a step that is served from the record and never done again."""
    monkeypatch.setattr(ArithmeticBackend, "repeatable", repeatable)
    assert course(contract).workflow().step("generate").kind is kind


def test_one_backend_and_no_more(contract: Path) -> None:
    """Two backends are no choice that a run may make."""
    pinned = "      - {plugin: arithmetic, version: 1.0.0}\n"
    edit(contract, pinned, pinned + "      - {plugin: scripted, version: 1.0.0}\n")
    with pytest.raises(PolicyError, match="names 2 backends"):
        course(contract).workflow()


def test_a_backend_that_cannot_be_made_stops_the_run(contract: Path, tmp_path: Path) -> None:
    """Its own refusal is passed on, and no run is begun."""
    edit(
        contract,
        "{plugin: arithmetic, version: 1.0.0}",
        f"{{plugin: scripted, version: 1.0.0, options: {{script: {tmp_path}/no}}}}",
    )
    with pytest.raises(PluginError, match="could not be made"):
        course(contract).workflow()


def test_a_covenants_contract_has_no_such_course(bank: Path) -> None:
    """Refused when it is loaded for this application, and again when it is bound by other means."""
    path, registry = bank / "policies" / "covenant.yaml", load_registry(env={})
    with pytest.raises(UsageError, match="is for covenants and not for short answers"):
        course(path)
    with pytest.raises(UsageError, match="is for covenants and not for short answers"):
        AnswerCourse(Bound(bind(load_model(path, TaskContract), registry)), TASK)
