"""The words of a plugin's command: what is wrong with them is one sentence with an example, and ``--help`` goes where output goes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

from conformed.errors import UsageError

__all__ = ["Words", "understood"]


class _HelpedError(Exception):
    """Help was asked for."""


class Words(argparse.ArgumentParser):
    """A parser that neither prints nor exits. Make a class of it for each command."""

    command: ClassVar[str] = ""
    """The command's name."""
    example: ClassVar[str] = ""
    """What a person may type."""

    def error(self, message: str) -> NoReturn:
        """Refuses.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{self.command}: {message}.", f"Example: {self.example}")

    def print_help(self, file: Any = None) -> NoReturn:
        """Ends the parsing with the help's text.

        Raises:
            _HelpedError: always.
        """
        raise _HelpedError(f"{self.format_help().rstrip()}\n\nExample: {self.example}")


def understood(parser: Words, arguments: Sequence[str], write: Callable[[str], None]) -> argparse.Namespace | None:
    """What was asked; None where it was help, which then has been written.

    Raises:
        UsageError: for words that are not understood.
    """
    try:
        return parser.parse_args(list(arguments))
    except _HelpedError as help_:
        for line in str(help_).splitlines():
            write(line)
        return None
