"""What a model answered: places in the passage that it was shown, or a reason why its answer points nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.model.covenant import Doubt
from conformed.model.span import Span
from conformed_plugins.backends.asking import json_of
from conformed_plugins.extractors.model.pieces import Piece

__all__ = ["Place", "places_of"]

MOST_PLACES = 64
"""Most places that one answer may point at."""
MISMATCH = "review_span_mismatch"
MALFORMED = "review_step_malformed"


class _Place(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    role: Literal["covenant", "change", "relief"]
    quote: str = Field(min_length=1, max_length=6_000)
    level: str = Field(default="", max_length=200)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    places: list[_Place] = Field(max_length=MOST_PLACES)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a model pointed at, found in the passage."""

    piece: Piece
    role: str
    """covenant, change or relief: the model's word for it."""
    start: int
    """First offset of the view."""
    end: int
    """One past the last."""
    level: tuple[int, int] | None
    """Where the level stands that the model names; None where it names none."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The words pointed at."""
        return self.piece.paper.view.spans(self.start, self.end)


def places_of(text: str, piece: Piece) -> tuple[list[Place], list[Doubt]]:
    """The places of an answer, and why any of it was refused. A quotation counts only where it stands exactly once in the passage.

    Args:
        text: what the model said.
        piece: what it was shown.
    """
    answer = _answer(text)
    if isinstance(answer, str):
        said = f"The model's answer to a passage of {piece.paper.instrument.document} could not be read ({answer})."
        return [], [Doubt(code=MALFORMED, sentence=said, spans=_head(piece))]
    folded, origins = _folded(piece.text)
    found: list[Place] = []
    doubts: list[Doubt] = []
    for one in answer.places:
        quote, level = " ".join(one.quote.split()), " ".join(one.level.split())
        times = _times(folded, quote)
        inside = _times(quote, level) if level else 1
        if times != 1 or inside == 0:
            doubts.append(_mismatch(piece, times, inside))
            continue
        at = folded.index(quote)
        in_quote = quote.index(level) if level else -1
        where = (
            (piece.start + origins[at + in_quote], piece.start + origins[at + in_quote + len(level) - 1] + 1) if level else None
        )
        place = Place(piece, one.role, piece.start + origins[at], piece.start + origins[at + len(quote) - 1] + 1, where)
        if place not in found:
            found.append(place)
    return found, doubts


def _answer(text: str) -> _Answer | str:
    value, code = json_of(text)
    if code:
        return code
    try:
        return _Answer.model_validate(value)
    except ValidationError:
        return "another shape"


def _mismatch(piece: Piece, times: int, inside: int) -> Doubt:
    what = "words that do not stand in it" if times == 0 else "words that stand in it more than once"
    what = what if times != 1 or inside else "a level that does not stand in the words that it quotes"
    said = f"Shown a passage of {piece.paper.instrument.document}, the model pointed at {what}."
    return Doubt(code=MISMATCH, sentence=said, spans=_head(piece))


def _head(piece: Piece) -> tuple[Span, ...]:
    return piece.paper.view.spans(piece.start, min(piece.end, piece.start + 200))


def _times(text: str, words: str) -> int:
    """0, 1 or 2 for more."""
    at = text.find(words) if words else -1
    return 0 if at < 0 else 1 if text.find(words, at + 1) < 0 else 2


def _folded(text: str) -> tuple[str, list[int]]:
    """The text with each white space as one blank, and the offset behind each of its characters."""
    letters: list[str] = []
    origins: list[int] = []
    for at, letter in enumerate(text):
        if not letter.isspace():
            letters.append(letter)
            origins.append(at)
        elif letters and letters[-1] != " ":
            letters.append(" ")
            origins.append(at)
    return "".join(letters), origins
