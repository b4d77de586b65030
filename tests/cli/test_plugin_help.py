"""Help of the commands that plugins add."""

from __future__ import annotations

import pytest

from conformed.errors import UsageError
from conformed.hooks import NoOptions
from conformed.ports import Command
from conformed_plugins.backends.bench.command import BenchCommand
from conformed_plugins.training.actor.command import TrainCommand
from conformed_plugins.training.runs.command import RunsCommand
from conformed_plugins.training.synth.command import SynthCommand

COMMANDS = [(BenchCommand, "bench"), (TrainCommand, "train"), (RunsCommand, "runs"), (SynthCommand, "synth")]


@pytest.mark.parametrize(("kind", "name"), COMMANDS)
def test_help_is_written_and_nothing_is_done(kind: type, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` goes where a command's output goes, names the command, ends with an example, and gives 0."""
    command: Command = kind(NoOptions())
    said: list[str] = []
    assert command.run(["--help"], said.append) == 0
    assert said[0].startswith(f"usage: conformed {name}")
    assert said[-1].startswith(f"Example: conformed {name}")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.parametrize(("kind", "name"), COMMANDS)
def test_words_that_are_not_understood_are_one_sentence(kind: type, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed and nothing exits: the error names the command, and the mend is an example."""
    command: Command = kind(NoOptions())
    with pytest.raises(UsageError) as caught:
        command.run(["--no-such-word"], [].append)
    assert caught.value.found.startswith(f"{name}: ")
    assert f"conformed {name}" in caught.value.mend
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")
