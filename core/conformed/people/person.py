"""A person as the product knows one: a pseudonym, roles, and how it was found out who it is."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Identified", "Identify", "Person", "new_pseudonym"]


@dataclass(frozen=True, slots=True)
class Identified:
    """What a machine or an identity provider says of whoever is at the keys."""

    account: str
    """Their account, such as ``os:1000``: the same for one person for ever, and never a name."""
    name: str
    """Their name there; kept in the directory alone."""
    session: str
    """The session, which begins with the account and a colon."""
    method: str
    """How it was found out, such as ``os-account``."""
    behind: tuple[str, ...] = ()
    """Accounts of those for whom or through whom it acts, where the machine tells (a login that became another user)."""


class Identify(Protocol):
    """Finds out who is at the keys. Locally the operating system says so; a service asks its identity provider."""

    def __call__(self) -> Identified:
        """Who it is.

        Raises:
            UsageError: when it cannot be told.
        """
        ...


@dataclass(frozen=True, slots=True)
class Person:
    """A person, for a decision on what they may do."""

    id: str
    """Pseudonym: what records carry."""
    account: str
    """Their account; a second mark by which one person under two pseudonyms is noticed."""
    roles: tuple[str, ...]
    """Roles held now, sorted."""
    session: str = ""
    """The session."""
    method: str = ""
    """How it was found out who it is."""
    behind: tuple[str, ...] = ()
    """Pseudonyms of those for whom or through whom they act."""

    @property
    def chain(self) -> frozenset[str]:
        """The person and everyone behind them."""
        return frozenset({self.id, *self.behind})


def new_pseudonym() -> str:
    """A new pseudonym: random, it tells nothing of the person."""
    return f"p-{secrets.token_hex(6)}"
