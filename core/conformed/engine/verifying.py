"""Further verifiers of sentences. Whatever they do wrong becomes the contract's outcome for it, and never accept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformed.model.claim import Claim, Draft, Sentence, Verdict
from conformed.policy.guard import settle
from conformed.ports import Verifier

__all__ = ["Verifiers"]


@dataclass(frozen=True, slots=True)
class Verifiers:
    """Verifiers of a contract, in its order. They can only tighten: the product's own checks always run."""

    each: Sequence[tuple[str, Verifier]] = ()
    """Name and version of each, and itself."""
    on_error: str = "review"
    """The contract's on_verifier_error: review or reject. Anything else is taken for review."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name and version of each."""
        return tuple(name for name, _verifier in self.each)

    def judge(self, draft: Draft, claims: tuple[Claim, ...]) -> tuple[Verdict, ...]:
        """One verdict a verifier and sentence."""
        return tuple(self._judge(draft, claims))

    def _judge(self, draft: Draft, claims: tuple[Claim, ...]) -> Iterator[Verdict]:
        for name, verifier in self.each:
            for sentence in draft.sentences:
                yield self._one(name, verifier, sentence, claims)

    def _one(self, name: str, verifier: Verifier, sentence: Sentence, claims: tuple[Claim, ...]) -> Verdict:
        return settle(self.on_error, lambda: verifier.verify(sentence, claims), verifier=name, subject=sentence.text)
