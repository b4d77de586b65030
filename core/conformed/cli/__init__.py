"""The command line. Nothing is imported here that a quick ``conformed --help`` does not need."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``conformed`` command: runs it and exits with its code."""
    from conformed.cli.entry import run_command_line

    raise SystemExit(run_command_line())
