# ruff: noqa: ARG002 - the ports and the loader fix the signatures
"""A drafter and a verifier. A drafter only words claims that were checked; each draft goes through the same checks again."""

from pydantic import BaseModel, ConfigDict, Field

from conformed.model.claim import Claim, ClaimKind, Draft, Sentence, Verdict
from conformed.ports import DraftRequest

__all__ = ["DrafterOptions", "PlainWords", "ShortSentences", "VerifierOptions", "make_drafter", "make_verifier"]


class DrafterOptions(BaseModel):
    """Options of the drafter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    closing: str = ""
    """A last sentence, for example where to find the file. Empty for none."""
    quotes: bool = True
    """Whether reasons are given in their own words."""


class PlainWords:
    """One short sentence a claim."""

    def __init__(self, options: DrafterOptions) -> None:
        self.options = options

    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        """One draft, sentence for sentence."""
        sentences = [Sentence(text=self._word(one), kind=one.kind, claims=(one.id,)) for one in request.claims]
        if self.options.closing and request.claims:
            last = request.claims[-1]
            sentences.append(Sentence(text=self.options.closing, kind=last.kind, claims=(last.id,)))
        draft = Draft(sentences=tuple(sentences), run=request.run, pack_digest=request.pack_digest, producer="plain-words 1.0.0")
        return (draft,)

    def _word(self, claim: Claim) -> str:
        if claim.kind is ClaimKind.REASON and claim.text and self.options.quotes:
            return claim.text
        sign = {"le": "≤", "lt": "<", "ge": "≥", "gt": ">"}.get(claim.comparator, "")
        return " ".join(part for part in (f"{claim.subject}:", sign, claim.shown or claim.text) if part).rstrip(".") + "."


class VerifierOptions(BaseModel):
    """Options of the verifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_words: int = Field(default=60, ge=1)
    """Longest sentence that passes, in words."""


class ShortSentences:
    """Sends long sentences to a person. It can only tighten: the product's own checks always run."""

    def __init__(self, options: VerifierOptions) -> None:
        self.most_words = options.most_words

    def verify(self, sentence: Sentence, claims: tuple[Claim, ...]) -> Verdict:
        """accept, or review with a code."""
        if len(sentence.text.split()) <= self.most_words:
            return Verdict(outcome="accept", subject=sentence.text, verifier="short-sentences 1.0.0")
        return Verdict(
            outcome="review",
            code="review_draft_refused",
            sentence=f"The sentence has more than {self.most_words} words.",
            subject=sentence.text,
            verifier="short-sentences 1.0.0",
        )


def make_drafter(options: DrafterOptions) -> PlainWords:
    """The factory of the drafter."""
    return PlainWords(options)


def make_verifier(options: VerifierOptions) -> ShortSentences:
    """The factory of the verifier."""
    return ShortSentences(options)
