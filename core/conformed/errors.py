"""The tree of errors.

ConformedError
├── UsageError        the person asked for something that cannot be done as asked
├── DeniedError       a person may not do what they asked for; recorded as such
├── PackError         a pack, or a document in it, cannot be read
├── PolicyError       a contract or another YAML file is refused (file, line, column)
├── PluginError       a plugin cannot be loaded, clashes, or breaks a rule of the registry
├── MirrorError       a model's folder is not what was pinned, or holds what is never loaded
├── StepError         a step of a run did not hand over what it owes
├── RuleError         the rules were given something that they cannot work on
├── InexactError      a number that is not exact was about to touch money or a ratio
├── JournalError      the log could not be written or read
├── ReplayError       a recorded run and today's code differ
├── GivenValueError   a function was given a value outside its range; also a ValueError
└── GivenTypeError    a function was given another type than it takes (1 for True); also a TypeError

Disagreement about a *case* is never an exception: it is a value (a Finding, a Missing, a reason code). An exception
means that this run, or this part of it, must stop. Messages say what was found, where, what was expected and the mend.
"""

from __future__ import annotations

__all__ = [
    "ConformedError",
    "DeniedError",
    "GivenTypeError",
    "GivenValueError",
    "InexactError",
    "JournalError",
    "MirrorError",
    "PackError",
    "PluginError",
    "PolicyError",
    "ReplayError",
    "RuleError",
    "StepError",
    "UsageError",
]


class ConformedError(Exception):
    """Root of every error that this product raises on purpose.

    Args:
        found: what was found, and where (file, line, key or page).
        mend: what to do about it; empty where nothing can be done.
    """

    def __init__(self, found: str, mend: str = "") -> None:
        self.found = found
        self.mend = mend
        super().__init__(f"{found} {mend}".strip())


class UsageError(ConformedError):
    """A command, option or argument that cannot be carried out as typed."""


class DeniedError(ConformedError):
    """A person may not do what they asked for. The denial is in the log.

    Args:
        found: why not.
        mend: what to do instead.
        reasons: codes of why not.
    """

    def __init__(self, found: str, mend: str = "", *, reasons: tuple[str, ...] = ()) -> None:
        self.reasons = reasons
        super().__init__(found, mend)


class PackError(ConformedError):
    """A pack as a whole cannot be read: it is absent, empty, or its manifest is wrong."""


class PolicyError(ConformedError):
    """A policy file is refused.

    Args:
        found: what was found.
        mend: the mend.
        file: the file's path.
        line: 1-based line, 0 where unknown.
        column: 1-based column, 0 where unknown.
    """

    def __init__(self, found: str, mend: str = "", *, file: str = "", line: int = 0, column: int = 0) -> None:
        self.file, self.line, self.column = file, line, column
        place = f"{file}:{line}:{column}: " if file else ""
        super().__init__(place + found, mend)


class PluginError(ConformedError):
    """A plugin clashes with another, is misspelt, or breaks a rule of the registry."""


class MirrorError(ConformedError):
    """A model's folder is not what was pinned, or holds what is never loaded: pickles, code, links."""


class StepError(ConformedError):
    """A step did not hand over what the contract says it gives.

    Args:
        found: what happened.
        mend: the mend.
        code: the reason code under which the run goes to a person.
    """

    def __init__(self, found: str, mend: str = "", *, code: str = "review_step_failed") -> None:
        self.code = code
        super().__init__(found, mend)


class RuleError(ConformedError):
    """A rule was given input that breaks its own precondition (a program's fault, not the case's)."""


class InexactError(RuleError):
    """A binary float, NaN or infinity was offered where only exact numbers may go."""


class JournalError(ConformedError):
    """The append-only log could not be written or read back."""


class ReplayError(ConformedError):
    """A recorded run and today's code and policy do not give the same step."""


class GivenValueError(ConformedError, ValueError):
    """A function was given a value of the right type and outside its range."""


class GivenTypeError(ConformedError, TypeError):
    """A function was given another type than it takes: a bool for a number, 1 for True, a number for a text."""
