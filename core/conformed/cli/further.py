"""Commands that plugins add. They are looked for only when a word is none of the built-in commands, so help stays quick."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from conformed.cli.printed import out, plain
from conformed.errors import ConformedError, PluginError

__all__ = ["run_further"]


def run_further(words: Sequence[str], built_in: Collection[str]) -> int | None:
    """Runs a plugin's command, if the first word names one.

    A plugin can never take the name of a built-in command: built-in names are looked at first.

    Args:
        words: the words after ``conformed``.
        built_in: names of the built-in commands.

    Returns:
        The command's exit code; None where the first word is an option, a built-in command, or no plugin's command either.

    Raises:
        PluginError: when the command breaks its promise.
    """
    if not words or words[0].startswith("-") or words[0] in built_in:
        return None
    from conformed.hooks import load_registry

    registry = load_registry(env=os.environ)
    if not any(one.kind == "command" and one.name == words[0] for one in registry.registrations):
        return None
    command = registry.create("command", words[0], {})
    try:
        code = command.run(list(words[1:]), lambda line: out(plain(line)))
    except (ConformedError, BrokenPipeError):  # whoever reads may stop reading: that is no fault of the command
        raise
    except Exception as problem:
        raise PluginError(f"the command {words[0]!r} failed ({type(problem).__name__}).", "Tell its author.") from problem
    if type(code) is not int or code not in (0, 1, 2):  # True is not 1 here
        raise PluginError(f"the command {words[0]!r} ended with {code!r}.", "It must return 0, 1 or 2.")
    return code
