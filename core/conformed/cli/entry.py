"""Runs a command and turns whatever goes wrong into one clear sentence on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from typer import Abort, TyperException

from conformed.cli.further import run_further
from conformed.cli.tree import BUILT_IN, EXAMPLE, app
from conformed.errors import ConformedError, UsageError

__all__ = ["ERROR", "INTERRUPTED", "STOPPED", "USAGE", "run_command_line"]

ERROR = 1
"""Something failed: the sentence says what and how to mend it."""
USAGE = 2
"""The command cannot be carried out as typed."""
INTERRUPTED = 130
"""Stopped from the keyboard."""
STOPPED = "Stopped. What was already written to the log is kept; conformed run PACK --resume goes on."
"""What is said then."""


def run_command_line(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and gives its exit code. Never raises, never prints a traceback unless CONFORMED_DEBUG is set.

    Args:
        arguments: words after ``conformed``; None takes the process's.
    """
    _any_character()
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        further = run_further(words, BUILT_IN) if "_CONFORMED_COMPLETE" not in os.environ else None
        code = further if further is not None else app(args=words, prog_name="conformed", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as problem:
        if type(problem).__name__ == "NoArgsIsHelpError":  # a group alone: its help is the answer
            print(problem.format_message(), file=sys.stderr)
            return problem.exit_code
        return _say(_usage(problem), problem.exit_code)
    except (Abort, KeyboardInterrupt):
        return _say(STOPPED, INTERRUPTED)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else ERROR
    except UsageError as problem:
        return _say(str(problem), USAGE, problem)
    except ConformedError as problem:
        return _say(str(problem), ERROR, problem)
    except BrokenPipeError:
        # The reader of our output went away (``| head``): no fault of anybody's, and nothing more can be said to it.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - kept open until the process ends
        return ERROR
    except OSError as problem:
        return _say(_system(problem), ERROR, problem)
    except MemoryError as problem:
        return _say("There is not enough memory. Close other programs, or run fewer documents at a time.", ERROR, problem)
    except Exception as problem:  # noqa: BLE001 - the last line of defence: a person gets a sentence, not a stack
        where = "Set CONFORMED_DEBUG=1 and run it again to see where, then report it."
        return _say(f"A fault of the program stopped the command ({type(problem).__name__}). {where}", ERROR, problem)
    if code == INTERRUPTED:
        return _say(STOPPED, INTERRUPTED)
    return code if isinstance(code, int) else 0


def _any_character() -> None:
    """Lets a terminal that cannot show a character show a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _say(sentence: str, code: int, problem: BaseException | None = None) -> int:
    if problem is not None and os.environ.get("CONFORMED_DEBUG"):
        import traceback

        traceback.print_exception(problem)
    if problem is not None and os.environ.get("CONFORMED_LOG"):
        from conformed.app.keeping.operational import Event, say

        say(Event.COMMAND_FAILED, error=type(problem).__name__, exit=code)
    from conformed.cli.printed import plain

    print("conformed: " + plain(sentence), file=sys.stderr)
    return code


def _usage(problem: TyperException) -> str:
    """What was wrong with the words typed, and what to type instead."""
    context: Any = getattr(problem, "ctx", None)
    parameter: Any = getattr(problem, "param", None)
    said = problem.format_message().rstrip(".")
    if type(problem).__name__ == "MissingParameter" and parameter is not None:
        said = f"{parameter.metavar or parameter.name} is missing"
    said = said if said.endswith("?") else f"{said}."
    if context is None:
        return f"{said} Type: conformed --help"
    example = getattr(context.command, "epilog", None) or ""
    instead = example.removeprefix(EXAMPLE) if example.startswith(EXAMPLE) else f"{context.command_path} --help"
    return f"{said} Type: {instead}"


def _system(problem: OSError) -> str:
    import errno

    name = f" ({problem.filename})" if problem.filename else ""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full{name}. Free some space; conformed run PACK --resume then goes on."
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"Not allowed to read or write{name}. Choose a folder that you may write to, or ask for the right."
    return f"{problem.strerror or type(problem).__name__}{name}. Check the path and run it again."
