"""The claim-support verifier: every sentence of a candidate says what the claims that it cites say, and nothing else.

It is no second edition of the product's claim check, which reads English and needs the facts of a run: that one always runs on
drafts and no plugin replaces it. This one is for answers whose claims are given as wordings. It accepts a sentence only where
its words are the wordings of cited claims, joined by a closed list of connecting words; it calls a sentence wrong only where
something definite is wrong (a claim that is not there, a figure or a quotation that no cited claim has, a conclusion that is a
person's); everything between goes to a person.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed_plugins.verifiers.options import ClaimSupportOptions
from conformed_plugins.verifiers.strict_json import plain, read_json

__all__ = ["ClaimSupportVerifier"]

VERSION = "1.0.0"
_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_QUOTED = re.compile(r"[“\"]([^“”\"]*)[”\"]")
_MARK = re.compile(r"[“”\"]")
_WORD = re.compile(r"\w+", re.UNICODE)
_JOINING = frozenset(
    {"and", "also", "moreover", "further", "furthermore", "that", "is", "as", "stated", "in", "summary", "the", "record", "says"}
)
"""Words that may stand between claims. None of them turns, limits or strengthens what it joins."""
_CONCLUSION = re.compile(
    r"\b(?:approv\w*|declin\w*|reject\w*|recommend\w*|waiv\w*|accelerat\w*|creditworth\w*|event\s+of\s+default|defaults?|defaulted)\b",
    re.IGNORECASE,
)
"""What only a person may conclude: allowed in a claim's own words, never beside them."""


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Claim(_Closed):
    id: Annotated[str, Field(min_length=1, max_length=100)]
    texts: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    quotes: list[str] = []


class _Facts(_Closed):
    claims: Annotated[list[_Claim], Field(min_length=1)]
    required: list[str] = []


class _Sentence(_Closed):
    text: str
    claims: list[str]


class _Answer(_Closed):
    sentences: Annotated[list[_Sentence], Field(min_length=1)]


class ClaimSupportVerifier:
    """Checks sentences. The candidate is JSON: ``{"sentences": [{"text": "...", "claims": ["c1"]}]}``.

    Facts: ``claims`` (each ``id``, ``texts``: its wordings, of which one must stand whole; ``quotes``: words of documents that may be
    quoted with it) and ``required`` (ids that must be cited). The reference is not used.

    Args:
        options: limits.
    """

    def __init__(self, options: ClaimSupportOptions | None = None) -> None:
        self._options = options or ClaimSupportOptions()

    def check(self, request: AnswerCheck) -> AnswerVerdict:
        """correct: every sentence is supported; incorrect: one is certainly not; review: words that it cannot place; error: bad facts."""
        outcome, code = self._found(request)
        return AnswerVerdict(outcome=outcome, code=code, verifier="claim_support", version=VERSION)

    def _found(self, request: AnswerCheck) -> tuple[Outcome, str]:
        given = {name: plain(value) for name, value in request.facts.items() if name in ("claims", "required")}
        try:
            facts = _Facts.model_validate(given)
        except ValidationError:
            return Outcome.ERROR, "facts_malformed" if "claims" in given else "claims_missing"
        known = {claim.id: claim for claim in facts.claims}
        if len(known) < len(facts.claims) or not set(facts.required) <= set(known):
            return Outcome.ERROR, "facts_malformed"
        read, code = read_json(request.candidate)
        if code:
            return Outcome.REVIEW, code
        try:
            sentences = _Answer.model_validate(read).sentences
        except ValidationError:
            return Outcome.REVIEW, "answer_malformed"
        if len(sentences) > self._options.sentences or any(len(one.text) > self._options.characters for one in sentences):
            return Outcome.REVIEW, "answer_too_long"
        found = [(number, *_supported(one, known)) for number, one in enumerate(sentences, 1)]
        for outcome in (Outcome.INCORRECT, Outcome.REVIEW):
            for number, said, code in found:
                if said is outcome:
                    return outcome, f"{code}:{number}"
            if outcome is Outcome.INCORRECT and not set(facts.required) <= {name for one in sentences for name in one.claims}:
                return Outcome.INCORRECT, "claim_left_out"
        return Outcome.CORRECT, "every_sentence_supported"


def _supported(sentence: _Sentence, known: dict[str, _Claim]) -> tuple[Outcome, str]:
    if not sentence.claims or not set(sentence.claims) <= set(known):
        return Outcome.INCORRECT, "claim_uncited"
    cited = [known[name] for name in dict.fromkeys(sentence.claims)]
    rest, said = _folded(sentence.text), set[str]()
    wordings = sorted(
        ((_folded(text).rstrip("."), claim.id) for claim in cited for text in claim.texts), key=lambda one: (-len(one[0]), one)
    )
    for wording, name in wordings:  # the longest first, so that a wording inside another is not torn out of it
        rest, count = re.subn(rf"(?<![\w.,:/-]){re.escape(wording)}(?![\w]|[.,:/-]\w)", "\n", rest)
        said |= {name} if count else set()
    for inner in _QUOTED.findall(rest):
        if not any(inner.strip() and _folded(inner) == _folded(quote) for claim in cited for quote in claim.quotes):
            return Outcome.INCORRECT, "quote_differs"
    rest = _QUOTED.sub("\n", rest)
    if _CONCLUSION.search(rest):
        return Outcome.INCORRECT, "conclusion_of_a_person"
    if _FIGURE.search(rest):
        return Outcome.INCORRECT, "figure_unsupported"
    if len(said) < len(cited):
        return Outcome.REVIEW, "claim_not_said"
    if _MARK.search(rest) or not {word.lower() for word in _WORD.findall(rest)} <= _JOINING or re.search(r"[^\w\s.,;:\n]", rest):
        return Outcome.REVIEW, "words_unsupported"
    return Outcome.CORRECT, ""


def _folded(text: str) -> str:
    """Text with every run of spaces as one."""
    return " ".join(text.split())
