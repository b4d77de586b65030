"""Commands that plugins add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformed import hooks
from conformed.cli.further import run_further
from conformed.cli.tree import BUILT_IN
from conformed.errors import PackError
from conformed.hooks import NoOptions, Registration, Registry


class Greet:
    """A command of a plugin."""

    def __init__(self, ends: object) -> None:
        self.ends = ends

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> Any:
        """Greets with a control character, then ends as it was told to."""
        write(f"hello\x1b[31m {' '.join(arguments)}")
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """How the plugin's command ends, settable by the test."""
    how: dict[str, object] = {"how": 0}

    def registry(**_: object) -> Registry:
        def make(options: NoOptions) -> object:
            return Greet(how["how"])

        offered = (Registration("command", name, "1.0.0", "Greets.", make) for name in ("greet", "run"))
        return Registry(registrations=tuple(offered))

    monkeypatch.setattr(hooks, "load_registry", registry)
    return how


def test_a_plugins_command_runs(ends: dict[str, object], typed: Any) -> None:
    """Its words arrive, its lines are printed clean, and its exit code is the command line's."""
    ends["how"] = 1
    said = typed("greet", "you", "--loud")
    assert said.code == 1
    assert said.out == "hello [31m you --loud\n"


def test_a_built_in_name_cannot_be_taken(ends: dict[str, object], typed: Any) -> None:
    """A plugin that registers ``run`` changes nothing."""
    assert "PACK is missing" in typed("run").err
    assert run_further(["run"], BUILT_IN) is None


@pytest.mark.parametrize("how", [RuntimeError("boom"), None, True, 7, "0"])
def test_a_command_that_breaks_its_promise(ends: dict[str, object], typed: Any, how: object) -> None:
    """One that raises or ends with anything but 0, 1 or 2 is an error in one sentence that names it."""
    ends["how"] = how
    said = typed("greet")
    assert said.code == 1
    assert "the command 'greet'" in said.err
    assert len(said.err.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_fault_of_the_command(ends: dict[str, object]) -> None:
    """``conformed greet | head``: it is for the command line to end quietly, as with its own commands."""
    ends["how"] = BrokenPipeError()
    with pytest.raises(BrokenPipeError):
        run_further(["greet"], BUILT_IN)


def test_an_error_of_ours_passes_through(ends: dict[str, object], typed: Any) -> None:
    """A plugin may raise the product's own errors, whose sentence is shown."""
    ends["how"] = PackError("No such pack.", "Name another.")
    assert typed("greet").err == "conformed: No such pack. Name another.\n"


def test_built_in_names_are_the_commands_that_help_lists(typed: Any) -> None:
    """The list of protected names is the list of commands, no more and no less."""
    commands = typed("--help").out.partition("Commands:")[2].partition("Exit codes")[0]
    listed = {line.split()[0] for line in commands.splitlines() if line.startswith("  ") and line[2:3].isalpha()}
    assert listed == set(BUILT_IN)
