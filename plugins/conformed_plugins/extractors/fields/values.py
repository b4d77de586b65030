"""What a policy answered to a sentence: a place in it, nothing, or why the answer counts for nothing."""

from __future__ import annotations

import re

from conformed.model.covenant import Doubt
from conformed.model.span import Span
from conformed_plugins.backends.asking import json_of
from conformed_plugins.extractors.fields.sentences import Sentence
from conformed_plugins.extractors.model.pointing import MALFORMED, MISMATCH, Place
from conformed_plugins.training.synth.fields import KEYS, LEAD

__all__ = ["place_of", "prompt_of"]

_LONGEST = 640


def prompt_of(sentence: str) -> str:
    """The prompt for a sentence: the form in which the policy was trained, and no other.

    White space is made single blanks, as in training. There are no marks around the sentence: a policy can only answer with words of
    it, and every word is looked for in it.
    """
    return f"{LEAD}\n{' '.join(sentence.split())}"


def place_of(text: str, sentence: Sentence) -> Place | Doubt | None:
    """The place that an answer names, once every value of it is found in the sentence, letter by letter.

    Args:
        text: what the policy said.
        sentence: what it was shown.

    Returns:
        A place of the role ``covenant`` with its level; a doubt where the answer has another form or words that are not there; None
        where it says that the sentence states no covenant.
    """
    name = sentence.piece.paper.instrument.document
    value, code = json_of(text)
    if code or type(value) is not dict or tuple(value) != KEYS or any(type(one) is not str for one in value.values()):
        said = f"The policy's answer to a sentence of {name} could not be read ({code or 'another shape'})."
        return Doubt(code=MALFORMED, sentence=said, spans=_spans(sentence))
    words = {key: " ".join(str(one).split()) for key, one in value.items()}
    if not words["level"]:
        return None
    folded, origins = _folded(sentence.text)
    for key, one in words.items():
        if len(one) > _LONGEST or one not in folded:
            said = f"The policy copied a {key} that does not stand in the sentence of {name} that it was shown."
            return Doubt(code=MISMATCH, sentence=said, spans=_spans(sentence))
    at = _alone(folded, words["level"])
    if at is None:
        said = f"The policy copied a level that does not stand whole, and once, in the sentence of {name} that it was shown."
        return Doubt(code=MISMATCH, sentence=said, spans=_spans(sentence))
    level = (sentence.start + origins[at], sentence.start + origins[at + len(words["level"]) - 1] + 1)
    return Place(sentence.piece, "covenant", sentence.start, sentence.end, level)


def _alone(text: str, words: str) -> int | None:
    """Where words stand as a whole, no letter or digit of theirs cut off, if they do so exactly once."""
    places = [one.start() for one in re.finditer(rf"(?<!\w)(?<!\d[.,:]){re.escape(words)}(?!\w|[.,:]\d)", text)]
    return places[0] if len(places) == 1 else None


def _spans(sentence: Sentence) -> tuple[Span, ...]:
    return sentence.piece.paper.view.spans(sentence.start, sentence.end)


def _folded(text: str) -> tuple[str, list[int]]:
    """The text with each run of white space as one blank, and the offset of each of its characters."""
    letters: list[str] = []
    origins: list[int] = []
    for at, letter in enumerate(text):
        blank = letter.isspace()
        if blank and letters and letters[-1] == " ":
            continue
        letters.append(" " if blank else letter)
        origins.append(at)
    return "".join(letters), origins
