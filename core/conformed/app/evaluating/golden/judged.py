"""One golden case judged: a class for the whole, and a vector of parts, each with its codes. Nothing is one label."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from conformed.model.base import Frozen

__all__ = ["PARTS", "Class", "Judged", "Part", "PartClass"]

PARTS = ("retrieval_coverage", "clause_precedence", "field_schema", "calculation", "claim_support", "decision_boundary")
"""The parts of the vector, in the order in which they are shown."""


class Class(IntEnum):
    """How a case came out, the worst first. WRONG is the one that must be zero."""

    WRONG = 0
    """Something was determined and is not so."""
    ERROR = 1
    """The case raised an error."""
    MISSED = 2
    """Not tested where a level governs, or the like: no figure is wrong, and no person is asked."""
    REVIEW = 3
    """For a person, without the right reading among the candidates."""
    CANDIDATE = 4
    """For a person, with the right reading among the first three."""
    RIGHT = 5
    """As expected."""


class PartClass(StrEnum):
    """How one part came out."""

    RIGHT = "right"
    OPEN = "open"
    """A person is asked where the right answer is known."""
    WRONG = "wrong"
    NOT_JUDGED = "not_judged"
    """Nothing is expected of it here."""


def _class(value: Any) -> Any:
    return Class[value.upper()] if isinstance(value, str) and value.upper() in Class.__members__ else value


ClassName = Annotated[Class, BeforeValidator(_class), PlainSerializer(lambda one: one.name.lower(), return_type=str)]


class Part(Frozen):
    """One part of the vector."""

    name: str
    """One of PARTS."""
    outcome: PartClass
    """How it came out."""
    said: str = ""
    """What differs, in words."""
    codes: tuple[str, ...] = ()
    """Reason codes that belong to it."""


class Judged(Frozen):
    """One case."""

    case: str
    """Its id."""
    outcome: ClassName
    """How it came out."""
    vector: tuple[Part, ...]
    """Its parts."""
    exceptions: tuple[str, ...] = ()
    """Errors of the run: class and sentence."""
    actions: tuple[str, ...] = ()
    """What a reviewer is asked to do."""

    def part(self, name: str) -> Part:
        """A part by its name; not judged where there is none."""
        return next((one for one in self.vector if one.name == name), Part(name=name, outcome=PartClass.NOT_JUDGED))
