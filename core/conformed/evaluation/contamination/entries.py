"""What is compared across splits: the text, formulas and code of items, each broken into tokens in the way of its kind.

Tokens forget what does not make another question: case and punctuation of text, spacing of formulas and the ways to write the
same operator, comments, layout and the names of variables in code. Numbers are kept: another number is another question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

from conformed.evaluation.items import Item
from conformed.model.base import Frozen

__all__ = ["NORMALISER", "Entry", "Kind", "entries_of", "tokens"]

NORMALISER = "contamination-tokens/1"
"""Version of how tokens are made."""


class Kind(StrEnum):
    """What an entry is."""

    TEXT = "text"
    FORMULA = "formula"
    CODE = "code"


class Entry(Frozen):
    """One piece of an item."""

    item: str
    """Id of the item."""
    kind: Kind
    """Text, formula or code."""
    content: str
    """The piece itself. Data: never evaluated."""


_WORD = re.compile(r"[^\W_]+(?:[.,][0-9]+)*")
_SYMBOL = re.compile(r"\\[A-Za-z]+|[0-9]+(?:\.[0-9]+)?|[A-Za-z]|[^\sA-Za-z0-9]")
_FORMULA_SAME = {
    "\\cdot": "*",
    "\\times": "*",
    "\\div": "/",
    "\\le": "<=",
    "\\leq": "<=",
    "\\ge": ">=",
    "\\geq": ">=",
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "−": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "{": "(",
    "}": ")",
    "[": "(",
    "]": ")",
}
_FORMULA_NOTHING = frozenset({"\\left", "\\right", "\\displaystyle", "\\quad", "$", "\\", ",", ";", "."})
"""Spacing and sizes. A full stop or comma here is never a number's, which the pattern has taken already."""
_PYTHON = re.compile(
    r"^[ \t]*(?:(?:def|import|from)[ \t]|(?:class|elif|else|for|if|try|while|with)\b[^{;\n]*:[ \t]*$)", re.MULTILINE
)
"""How a program looks in which // divides and # begins a comment; in any other, // begins a comment and # does not."""
_REST = r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|[^\W\d]\w*|[0-9][\w.]*|[^\s\w]"
# What is never closed runs to the end of the line or of the program, so that no start is scanned twice.
_HASH = re.compile(r"(?P<comment>#[^\n]*)" + _REST, re.DOTALL)
_SLASH = re.compile(r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))" + _REST, re.DOTALL)
_KEPT = frozenset(
    """and as assert async await break case class const continue def del do elif else except false finally for from function if
    import in is lambda let new none not null or pass raise return self switch this throw true try var void while with yield
    abs all any dict enumerate float int len list map max min print range reversed round set sorted str sum tuple zip""".split()  # noqa: SIM905 - a list would fill a page
)
"""Words of common languages that say what a program does; other names are replaced by their order of appearance."""
_FORMULA_IN_TEXT = re.compile(r"\$([^$\n]+)\$")


def _text(content: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(content.casefold()))


def _formula(content: str) -> tuple[str, ...]:
    content = content.replace("**", "^")
    found = (_FORMULA_SAME.get(one, one) for one in _SYMBOL.findall(content))
    return tuple(one for one in found if one not in _FORMULA_NOTHING)


def _code(content: str) -> tuple[str, ...]:
    names: dict[str, str] = {}
    made = []
    for found in (_HASH if _PYTHON.search(content) else _SLASH).finditer(content):
        one = found[0]
        if found["comment"] is not None:
            continue
        if (one[0].isalpha() or one[0] == "_") and one.casefold() not in _KEPT:
            one = names.setdefault(one, f"v{len(names)}")
        made.append(one)
    return tuple(made)


_WAYS = {Kind.TEXT: _text, Kind.FORMULA: _formula, Kind.CODE: _code}


def tokens(kind: Kind, content: str) -> tuple[str, ...]:
    """Breaks a piece into the tokens that are compared. Linear in its length.

    Args:
        kind: text, formula or code.
        content: the piece.
    """
    return _WAYS[kind](unicodedata.normalize("NFKC", content))


def entries_of(items: Iterable[Item]) -> tuple[Entry, ...]:
    """What of items is compared: each prompt as text, each formula between dollar signs in it, and the reference of a program.

    Short references are not: two items may share the answer 4 and nothing else.

    Args:
        items: items, in any order; their entries come sorted by id.
    """
    made = []
    for item in sorted(items, key=lambda one: one.id):
        made.append(Entry(item=item.id, kind=Kind.TEXT, content=item.prompt))
        made += [Entry(item=item.id, kind=Kind.FORMULA, content=one) for one in _FORMULA_IN_TEXT.findall(item.prompt)]
        if item.form == "code" and item.reference.strip():
            made.append(Entry(item=item.id, kind=Kind.CODE, content=item.reference))
    return tuple(made)
