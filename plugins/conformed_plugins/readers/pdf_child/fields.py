"""Values of form fields put where they stand: pdfium gives them after all other words of the page."""

from __future__ import annotations

from collections.abc import Sequence

from .areas import centred
from .letters import Letter, letters_of, squeezed
from .objects import Box
from .text import Sheet

__all__ = ["in_place"]


def in_place(
    text: int, found: str, chars: list[int] | None, fields: Sequence[tuple[Box, str]], upright: Sheet
) -> tuple[str, list[int] | None, str]:
    """The text of a page with each field's value in the line on which it stands, pdfium's index of each code point, and a doubt.

    A value that stands apart from every line, or that other words run through, stays where it is.

    Args:
        text: pdfium's text page.
        found: the text so far.
        chars: pdfium's index of each code point; None where they are the same.
        fields: rectangles of the fields in user space, each with the value that the field holds.
        upright: the page as its words stand upright.
    """
    letters = letters_of(text, found, chars, upright)
    known = sorted(((upright.shown(*box), value) for box, value in fields), key=lambda one: (one[0][1], one[0][0], one[1]))
    rects = [rect for rect, _ in known]
    doubt = ""
    inside: dict[int, int] = {}
    for number, rect in enumerate(rects):
        for item in letters:
            if item.place not in inside and centred((item.left, item.top, item.right, item.bottom), rect):
                inside[item.place] = number
    outside = [item for item in letters if item.place not in inside]
    moves: dict[int, list[tuple[int, int]]] = {}
    gone: set[int] = set()
    for number in range(len(rects)):
        mine = [item for item in letters if inside.get(item.place) == number]
        held = squeezed(known[number][1])
        if held and mine and squeezed("".join(item.letter for item in mine)) != held:
            doubt = "a form field holds another value than the one that is drawn"
        run = _run(mine, found, inside, number)
        anchor = _anchor(mine, outside) if run else None
        if run is None or anchor is None or anchor.place == _before(found, run[0]):
            continue
        moves.setdefault(anchor.place, []).append(run)
        gone.update(range(*run))
    if not moves:
        return found, chars, doubt
    order: list[int | str] = []
    for place in range(len(found)):
        if place not in gone:
            order.append(place)
        for start, end in moves.get(place, ()):
            order += [" ", *range(start, end)]
            following = found[place + 1 : place + 2]
            if following and not following.isspace() and following not in ".,;:)":
                order.append(" ")
    letters_now = "".join(one if isinstance(one, str) else found[one] for one in order)
    indices = [-1 if isinstance(one, str) else one if chars is None else chars[one] for one in order]
    trimmed = letters_now.rstrip()
    return trimmed, indices[: len(trimmed)], doubt


def _run(mine: list[Letter], found: str, inside: dict[int, int], number: int) -> tuple[int, int] | None:
    """The stretch of the text that a field's value is; None where it is in more than one line or not in one piece."""
    if not mine:
        return None
    start, end = min(item.place for item in mine), max(item.place for item in mine) + 1
    whole = all(found[place].isspace() or inside.get(place) == number for place in range(start, end))
    return (start, end) if whole and "\n" not in found[start:end] else None


def _before(found: str, start: int) -> int:
    """The place of the last character before a stretch that is on its line and no white space; -1 where there is none."""
    at = start - 1
    while at >= 0 and found[at] in " \t":
        at -= 1
    return at if at >= 0 and found[at] not in "\r\n" else -1


def _anchor(mine: list[Letter], outside: list[Letter]) -> Letter | None:
    """The last letter of the page's own words to the left of a value, on its line."""
    left, tall = min(item.left for item in mine), max(item.bottom - item.top for item in mine)
    base = mine[0].base
    row = [item for item in outside if abs(item.base - base) <= 0.45 * tall and item.right <= left + 0.3 * tall]
    return max(row, key=lambda item: (item.right, item.place)) if row else None
