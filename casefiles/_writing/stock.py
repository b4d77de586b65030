"""The clause stock: texts with places for a deal's own words.

A stock file holds clauses, each ``## key | Caption`` and its paragraphs. In the text ``{B}`` and the like are a deal's own
terms, ``{m:2.5}`` is an amount of 2.5 million on the deal's scale, ``{S:liens}`` the number of another clause and
``{X:note}`` that of an exhibit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from .texts import words

__all__ = ["Clause", "Wording", "clauses", "definitions"]

FOLDER = Path(__file__).parent / "stock"
STEP = 50_000


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the stock."""

    key: str
    caption: str
    text: str


def parse(text: str) -> dict[str, Clause]:
    """The clauses of one file by key."""
    found = {}
    for piece in text.split("## ")[1:]:
        head, _, body = piece.partition("\n")
        key, _, caption = head.partition(" | ")
        found[key.strip()] = Clause(key.strip(), caption.strip(), body.strip())
    return found


def clauses(*more: str) -> dict[str, Clause]:
    """Every clause by key: the stock, then those of the texts named, which take the place of stock clauses of the same key."""
    found: dict[str, Clause] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name != "definitions.txt":
            found |= parse(path.read_text(encoding="utf-8"))
    for place in more:
        found |= parse(words(place))
    return found


def definitions() -> list[str]:
    """Every definition of the stock, a paragraph each."""
    return [piece.strip() for piece in (FOLDER / "definitions.txt").read_text(encoding="utf-8").split("\n\n") if piece.strip()]


AMERICAN = (
    ("per cent. (?=[a-z(])", "percent "),
    ("per cent", "percent"),
    ("percent\\.\\.", "percent."),
    ("(?<=[a-z])isation", "ization"),
    ("([Aa]uthor|[Oo]rgan|[Rr]ecogn|[Rr]eal|[Mm]in[i]m|[Aa]mort|[Cc]apital|[Aa]pportion)is(e|es|ed|ing)\\b", r"\1iz\2"),
    ("([Ff]av|[Hh]on|[Ll]ab)our", r"\1or"),
    ("([Ll])icence", r"\1icense"),
    ("([Ii])nstalment", r"\1nstallment"),
    ("cheques", "checks"),
    ("trade marks", "trademarks"),
)
"""British spelling to American, for American agreements."""


class _Amount:
    """Formats ``{m:2.5}``."""

    def __init__(self, sign: str, scale: Fraction, named: Mapping[str, int]) -> None:
        self.sign, self.scale, self.named = sign, scale, named

    def __format__(self, spec: str) -> str:
        if spec in self.named:
            return f"{self.sign}{self.named[spec]:,}"
        raw = Fraction(spec) * 1_000_000 * self.scale
        return f"{self.sign}{int(raw / STEP) * STEP:,}"


class _Numbers:
    """Formats ``{S:key}`` and ``{X:key}``."""

    def __init__(self, numbers: Mapping[str, str]) -> None:
        self.numbers = numbers

    def __format__(self, spec: str) -> str:
        return self.numbers[spec]


class Wording:
    """Fills a text with a deal's words."""

    def __init__(
        self,
        terms: Mapping[str, str],
        *,
        sign: str,
        scale: Fraction,
        amounts: Mapping[str, int],
        numbers: Mapping[str, str],
        this: str,
    ) -> None:
        """Bind the words, amounts and numbers of one deal."""
        self.places: dict[str, object] = {
            **terms,
            "m": _Amount(sign, scale, amounts),
            "S": _Numbers(numbers),
            "X": _Numbers(numbers),
        }
        self.this = this

    def fill(self, text: str) -> str:
        """The text with every place filled; a place that a deal does not know stops the script."""
        filled = re.sub(r"\bthis Section\b", f"this {self.this}", text.format_map(self.places))
        filled = re.sub(r"\b([Aa])n (?=Loan )", r"\1 ", filled)
        if self.this == "Section":
            for british, american in AMERICAN:
                filled = re.sub(british, american, filled)
            return filled
        return re.sub(r"\b[Tt]he Leverage\b", "Leverage", filled)
