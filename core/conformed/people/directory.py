"""The directory of people: the one file in which a name, an account and roles stand beside a pseudonym. It can be erased.

Records carry pseudonyms alone. Whoever takes a name out of the file makes every record of that person nameless for ever;
what the person did then counts as done by somebody who can no longer be told apart.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from conformed.errors import PolicyError, UsageError
from conformed.model.base import Frozen
from conformed.people.locking import locked
from conformed.people.person import Identified, Person
from conformed.policy.load import load_model
from conformed.policy.parts import Name

__all__ = ["Directory", "Entry", "People"]

_HEAD = """# The people of this workspace. Names stand here and nowhere else; records carry the id.
# Roles are given here: roles: [credit_officer]. To forget a person, take their account and name out.
# Whoever may write to this file decides who is who: keep it as you keep the log.
"""
_NOT_YET = "p-000000000000"


class Entry(Frozen):
    """One person."""

    id: Annotated[str, Field(pattern=r"^p-[0-9a-f]{12}$")]
    """Pseudonym: random, it tells nothing."""
    account: Annotated[str, Field(max_length=200)] = ""
    """Account by which the person is known again; empty once forgotten, or for somebody who has none here."""
    name: Annotated[str, Field(max_length=200)] = ""
    """Name; empty once forgotten."""
    roles: tuple[Name, ...] = ()
    """Roles held."""


class People(Frozen):
    """The file."""

    people: tuple[Entry, ...] = ()
    """Everyone."""


class Directory:
    """The people of one workspace.

    Args:
        file: where they stand.
        make: makes a new pseudonym.
    """

    def __init__(self, file: Path, make: Callable[[], str]) -> None:
        self._file, self._make = file, make

    @property
    def file(self) -> Path:
        """Where the people stand."""
        return self._file

    def person(self, who: Identified) -> Person:
        """The person at the keys, under their pseudonym; entered under a new one, without any role, when they are new.

        Raises:
            UsageError: when a new person cannot be entered.
            PolicyError: when the file is not a directory of people.
        """
        mine = self._with(who.account, who.name)
        behind = [self._with(account, "") for account in who.behind]
        return Person(
            id=mine.id, account=who.account, roles=tuple(sorted(set(mine.roles))), session=who.session, method=who.method,
            behind=tuple(sorted({one.id for one in behind if one.id != mine.id})),
        )  # fmt: skip

    def named(self, name: str) -> str:
        """The pseudonym of somebody who is named, whether or not they have an account here; entered when they are new.

        Raises:
            UsageError: when a new person cannot be entered.
            PolicyError: when the file is not a directory of people.
        """
        plain = " ".join(name.split()).casefold()
        return self._of(lambda one: one.name.casefold() == plain, Entry(id=_NOT_YET, name=" ".join(name.split()))).id

    def forgotten(self, ids: Iterable[str]) -> frozenset[str]:
        """Those pseudonyms that can no longer be told apart from others: no entry, or one without account and name."""
        known = {one.id for one in self._read().people if one.account or one.name}
        return frozenset(ids) - known

    def shown(self, id_: str) -> str:
        """A person for the screen: the name, or the pseudonym where it was forgotten."""
        return next((one.name for one in self._read().people if one.id == id_ and one.name), id_)

    def digest(self) -> str:
        """A digest of who is who and which roles each holds; it changes when the file does, and tells no name."""
        rows = sorted([one.id, one.account, *sorted(one.roles)] for one in self._read().people)
        return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()

    def _with(self, account: str, name: str) -> Entry:
        return self._of(lambda one: one.account == account, Entry(id=_NOT_YET, account=account, name=name))

    def _of(self, fits: Callable[[Entry], bool], new: Entry) -> Entry:
        """The entry that fits, or a new one. Two processes that meet the same new person enter one."""
        found = [one for one in self._read().people if fits(one)]
        if not found:
            found = [self._enter(fits, new)]
        if len(found) > 1:
            raise UsageError(f"{self._file} has {found[0].id} and {found[1].id} for one person.", "Keep one of the two entries.")
        return found[0]

    def _enter(self, fits: Callable[[Entry], bool], new: Entry) -> Entry:
        try:
            with locked(self._file):
                people = self._read().people
                found = next((one for one in people if fits(one)), None)
                if found is None:
                    found = new.model_copy(update={"id": self._fresh({one.id for one in people})})
                    self._write((*people, found))
                return found
        except OSError as problem:
            why = problem.strerror or str(problem) or type(problem).__name__
            raise UsageError(
                f"You are not in the directory of people, {self._file}, and cannot be entered: {why}.",
                "Ask whoever keeps it to enter you with your account.",
            ) from problem

    def _fresh(self, taken: set[str]) -> str:
        for _ in range(9):
            made = self._make()
            if made not in taken:
                return made
        raise UsageError("No new pseudonym could be made.", "Try again.")

    def _read(self) -> People:
        try:
            people = load_model(self._file, People).value if self._file.exists() else People()
        except PolicyError as problem:
            if "the file is empty" in problem.found:
                return People()
            raise
        ids = [one.id for one in people.people]
        if len(set(ids)) != len(ids):
            raise UsageError(f"{self._file} has a pseudonym twice.", "Each person has one of their own.")
        return people

    def _write(self, people: Iterable[Entry]) -> None:
        lines = [_HEAD, "people:\n"]
        for one in people:
            lines.append(f"- id: {one.id}\n")
            lines += [
                f"  {key}: {json.dumps(value, ensure_ascii=False)}\n"
                for key, value in (("account", one.account), ("name", one.name))
                if value
            ]
            lines.append(f"  roles: [{', '.join(one.roles)}]\n" if one.roles else "")
        half = self._file.with_name(f".{self._file.name}.part")
        with half.open("w", encoding="utf-8") as to:
            to.write("".join(lines))
            to.flush()
            os.fsync(to.fileno())
        half.replace(self._file)
