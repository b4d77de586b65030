"""What changed between two conformed copies: words put in and words taken out, provision by provision, with their instruments."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from conformed.app.pages import shown
from conformed.app.pages.pen import Pen
from conformed.model.base import Frozen
from conformed.model.decision import Conformed

__all__ = ["Asked", "Change", "CopyDiff", "Piece", "ProvisionDiff", "compare_copies", "diff_text"]

_WORD = re.compile(r"\w+(?:[.,:'’/-]\w+)*|[^\w\s]")
_NEAR = 12


class Change(StrEnum):
    """What happened to a run of words, or to a whole provision."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Asked(Frozen):
    """For which dates a copy was made."""

    test_date: dt.date
    """Legal date."""
    known_at: dt.date
    """Knowledge date."""


class Piece(Frozen):
    """Consecutive words that share a fate and an instrument."""

    change: Change
    """same, added or removed."""
    text: str
    """The words, each white space as one blank, with one at the beginning where it stands before the first word."""
    document: str
    """Instrument of the words: the later copy's, or for removed words the earlier copy's."""
    was: str = ""
    """For words that stayed: the instrument that held them in the earlier copy, where it is another."""


class ProvisionDiff(Frozen):
    """One provision or definition in both copies."""

    section: str
    """Provision in normal form, or the defined term."""
    heading: str
    """Caption."""
    definition: bool
    """Whether it is a defined term."""
    change: Change
    """same, added, removed or changed."""
    added: int = 0
    """How many words were put in; a mark of punctuation counts as a word."""
    removed: int = 0
    """How many were taken out."""
    pieces: tuple[Piece, ...] = ()
    """All its words in order; empty where nothing changed."""

    @property
    def count(self) -> str:
        """How much changed, in words: ``1 word in, 24 words out``."""
        return ", ".join(f"{n} word{'' if n == 1 else 's'} {way}" for n, way in ((self.added, "in"), (self.removed, "out")))


class CopyDiff(Frozen):
    """The difference between two conformed copies of one covenant."""

    schema_version: str = "conformed.copy_diff/1"
    """Shape of this record."""
    before: Asked
    """The copy compared with."""
    after: Asked
    """The copy asked for."""
    instruments: tuple[str, ...] = ()
    """Instruments whose words were put in or taken out, sorted by name."""
    provisions: tuple[ProvisionDiff, ...] = ()
    """Every provision of either copy: in the order of the later one, then what only the earlier one has."""

    @property
    def changed(self) -> tuple[ProvisionDiff, ...]:
        """Provisions that do not read the same."""
        return tuple(one for one in self.provisions if one.change is not Change.SAME)


@dataclass(frozen=True, slots=True)
class _Word:
    """One word and who put it there."""

    text: str
    document: str
    spaced: bool
    """Whether white space stands before it."""


def compare_copies(before: Sequence[Conformed], after: Sequence[Conformed], *, dates: tuple[Asked, Asked]) -> CopyDiff:
    """Compares two copies word by word. Line breaks and spacing do not count; every letter and mark does.

    Args:
        before: the copy to compare with.
        after: the copy asked for.
        dates: for which dates each was made, in that order.
    """
    old, new = _by_key(before), _by_key(after)
    provisions = tuple(_provision(old.get(key), new.get(key)) for key in dict.fromkeys((*new, *old)))
    touched = {piece.document for one in provisions for piece in one.pieces if piece.change is not Change.SAME}
    return CopyDiff(before=dates[0], after=dates[1], instruments=tuple(sorted(touched)), provisions=provisions)


def _by_key(copies: Sequence[Conformed]) -> dict[tuple[bool, str, int], Conformed]:
    """Provisions by kind and name; where a copy has one name twice, by their order as well."""
    found: dict[tuple[bool, str, int], Conformed] = {}
    for copy in copies:
        name, turn = copy.section.casefold(), 0
        while (copy.definition, name, turn) in found:
            turn += 1
        found[copy.definition, name, turn] = copy
    return found


def _words(copy: Conformed | None) -> list[_Word]:
    """The words of a copy. A word that two instruments share belongs to the one that its first letter comes from."""
    if copy is None:
        return []
    text = "".join(run.text for run in copy.runs)
    ends, at = [], 0
    for run in copy.runs:
        at += len(run.text)
        ends.append((at, run.document))
    found, place = [], 0
    for match in _WORD.finditer(text):
        while match.start() >= ends[place][0]:
            place += 1
        found.append(_Word(match[0], ends[place][1], match.start() > 0 and text[match.start() - 1].isspace()))
    return found


def _provision(old: Conformed | None, new: Conformed | None) -> ProvisionDiff:
    shape = new or old
    assert shape is not None
    a, b = _words(old), _words(new)
    fates = list(_fates(a, b))
    added = sum(fate is Change.ADDED for fate, _, _ in fates)
    removed = sum(fate is Change.REMOVED for fate, _, _ in fates)
    if old is None or new is None:
        change = Change.ADDED if old is None else Change.REMOVED
    else:
        change = Change.CHANGED if added or removed else Change.SAME
    moved = any(was and was != word.document for _, word, was in fates)
    pieces = _pieces(fates) if change is not Change.SAME or moved else ()
    return ProvisionDiff(
        section=shape.section, heading=shape.heading, definition=shape.definition, change=change,
        added=added, removed=removed, pieces=pieces,
    )  # fmt: skip


def _fates(a: list[_Word], b: list[_Word]) -> Iterator[tuple[Change, _Word, str]]:
    """What becomes of each word, in reading order; removed words come before those put in their place."""
    left, right = [word.text for word in a], [word.text for word in b]
    head = 0
    while head < min(len(left), len(right)) and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < min(len(left), len(right)) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(None, left[head : len(left) - tail], right[head : len(right) - tail], autojunk=False)
    codes = [("equal", 0, head, 0, head)]
    codes += [(tag, i + head, j + head, k + head, m + head) for tag, i, j, k, m in middle.get_opcodes()]
    codes.append(("equal", len(a) - tail, len(a), len(b) - tail, len(b)))
    for tag, i, j, k, m in codes:
        if tag == "equal":
            yield from ((Change.SAME, b[k + n], a[i + n].document) for n in range(j - i))
        else:
            yield from ((Change.REMOVED, word, "") for word in a[i:j])
            yield from ((Change.ADDED, word, "") for word in b[k:m])


def _pieces(fates: Sequence[tuple[Change, _Word, str]]) -> tuple[Piece, ...]:
    found: list[Piece] = []
    for change, word, was in fates:
        other = was if was != word.document else ""
        last = found[-1] if found else None
        spaced = (" " if word.spaced else "") + word.text
        if last is not None and (last.change, last.document, last.was) == (change, word.document, other):
            found[-1] = last.model_copy(update={"text": last.text + spaced})
        else:
            found.append(Piece(change=change, text=spaced, document=word.document, was=other))
    return tuple(found)


def diff_text(diff: CopyDiff, *, width: int = 100, colour: bool = False) -> str:
    """The difference for a screen: a line for each run of words that came or went, with the words around it.

    Args:
        diff: what changed.
        width: columns of the terminal.
        colour: whether to colour; nothing is said by colour alone.
    """
    pen = Pen(width, colour=colour)
    pen.line((f"From {_dates(diff.before)} to {_dates(diff.after)}", "bold"))
    for one in diff.changed:
        pen.heading(f"{_name(one)}: {one.change.value}, {one.count}")
        for number, piece in enumerate(one.pieces):
            if piece.change is Change.SAME:
                pen.say(_around(piece.text, first=number == 0, last=number == len(one.pieces) - 1), indent=4)
            else:
                pen.item("+" if piece.change is Change.ADDED else "−", f"{piece.text.strip()}  [{piece.document}]")
    moved = [_name(one) for one in diff.provisions if one.change is Change.SAME and one.pieces]
    if moved:
        pen.gap()
        pen.say(f"Same words by another instrument: {', '.join(moved)}.")
    if not diff.changed:
        pen.gap()
        pen.say(f"No word differs in {len(diff.provisions)} provisions and definitions.")
    return pen.text()


def _dates(asked: Asked) -> str:
    return f"{shown.day(asked.test_date)} (as known on {shown.day(asked.known_at)})"


def _name(one: ProvisionDiff) -> str:
    return f"“{one.section}”" if one.definition else " ".join(part for part in (one.section, one.heading) if part)


def _around(text: str, *, first: bool, last: bool) -> str:
    """The words next to a change; the middle of a long stretch is left out."""
    words = text.split()
    if first and last:
        return text if len(words) <= 2 * _NEAR else " ".join([*words[:_NEAR], "…", *words[-_NEAR:]])
    if len(words) <= (_NEAR if first or last else 2 * _NEAR):
        return text
    head = [] if first else words[:_NEAR]
    tail = [] if last else words[-_NEAR:]
    return " ".join([*head, "…", *tail])
