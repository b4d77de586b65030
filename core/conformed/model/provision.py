"""The numbered provisions of a document, as a tree."""

from __future__ import annotations

from conformed.model.base import Frozen

__all__ = ["Provision", "ProvisionTree"]


class Provision(Frozen):
    """One numbered provision (Article, Section, clause, sub-clause, schedule) or one defined term.

    Offsets are of the document's canonical text.
    """

    index: int
    """Place in the tree's list; parents come before children."""
    parent: int | None
    """Index of the enclosing provision."""
    label: str
    """Number in normal form: ``7.11``, ``7.11(a)``, ``ARTICLE VII``, ``Schedule 3``; empty for a definition."""
    heading: str
    """Caption as written, without the number; the term itself for a definition."""
    start: int
    """First code point, at the number or the opening quotation mark of the term."""
    body: int
    """First code point after number and caption."""
    end: int
    """One past the last code point."""
    depth: int
    """0 for the outermost."""
    kind: str = "section"
    """``article``, ``section``, ``clause``, ``definition``, ``schedule`` or ``exhibit``."""
    quoted: bool = False
    """Whether it stands inside the payload of an amending instruction and so is not the document's own provision."""


class ProvisionTree(Frozen):
    """All provisions of one document in reading order."""

    document: str
    """Name of the document."""
    provisions: tuple[Provision, ...]
    """In order of their start."""

    def children(self, index: int | None) -> tuple[Provision, ...]:
        """The provisions directly under one, or the outermost ones."""
        return tuple(p for p in self.provisions if p.parent == index)

    def find(self, label: str, *, quoted: bool | None = False) -> tuple[Provision, ...]:
        """Provisions with a number in normal form; ``quoted=None`` looks everywhere."""
        return tuple(p for p in self.provisions if p.label == label and (quoted is None or p.quoted == quoted))
