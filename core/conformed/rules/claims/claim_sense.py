"""What the words of a sentence make of its figures: duty or chance, result, document, and whether each word is understood."""

from __future__ import annotations

import re

from conformed.model.claim import Claim, ClaimKind
from conformed.rules.claims.claim_around import VALUES
from conformed.rules.claims.claim_compare import permits
from conformed.rules.claims.claim_facts import DecisionFacts, role_of
from conformed.rules.claims.claim_text import CONTRAST, Token
from conformed.rules.claims.claim_values import Refusal

__all__ = ["check_entities", "check_mood", "check_results", "check_something_said"]

_WHEN = ("while", "when", "where", "then")
"""Neutral words that make a condition of what follows a duty."""

_AGREEMENT = re.compile(r"\b(?:credit|facility|facilities|loan|note purchase|term loan)\b.*\bagreement\b", re.IGNORECASE)
_MAY_NOT = re.compile(r"\b(?:may|can)\s?not\b", re.IGNORECASE)
"""A modal verb is kept: this one may be used of a covenant that uses it itself."""
_CHANGES = re.compile(r"\b(?:amendment|waiver|letter|consent|supplement|notice|certificate|draft|form)\b", re.IGNORECASE)


def check_mood(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    """What a covenant requires is said as a duty, and nothing else is said as one; no plan, hope or chance (CC-11)."""
    level = any(role_of(c) == "level" for c in pool)
    own_modal = any(_MAY_NOT.search(span.text) for c in pool if role_of(c) == "level" for span in c.spans)
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        forbids = (
            following is not None and following.kind in ("comparator", "negator") and following.raw.lower().startswith("not")
        )
        if (
            token.value in _WHEN
            and token.kind == "neutral"
            and _bound_before(tokens[:index], whole=True)
            and not _names_the_test(following)
        ):
            return Refusal("claim_modality_drift", f"It makes what is required depend on something: {token.raw!r}.")
        if token.kind == "modal" and token.value == "to_be":  # "is required to be" says a duty, "to be used" a plan
            if _bound_before(tokens[:index]):
                continue
            return Refusal("claim_modality_drift", f"It says {token.raw!r} of what is not required.")
        if token.kind == "modal" and token.value == "will":  # a covenant's own future, where it is said to be one
            if any(t.kind == "require" for t in tokens[:index]):
                continue
            return Refusal("claim_modality_drift", f"It says {token.raw!r}.")
        kept = token.value == "may_not" and forbids and own_modal
        if token.kind == "modal" and token.value != "shall" and not kept:
            return Refusal("claim_modality_drift", f"It says {token.raw!r}.")
        if token.kind in ("modal", "require", "negator", "forbidden") and not level:
            return Refusal("claim_modality_drift", f"It says {token.raw!r} and cites no requirement.")
        if token.kind == "permit" and not permits(tokens, index, pool):
            return Refusal("claim_modality_drift", f"It says {token.raw!r} where the covenant requires.")
        if token.kind == "cause" and not (
            (following is not None and following.kind == "text") or _concludes(tokens, index, pool)
        ):
            return Refusal("claim_cause_invented", f"It says {token.raw!r}.")
    return None


def _concludes(tokens: list[Token], index: int, pool: tuple[Claim, ...]) -> bool:
    """Whether "because" joins the result to the comparison that gives it: comparison after the word, result elsewhere, all three cited."""
    cited = {role_of(c) for c in pool}
    first = next((t.kind for t in tokens[index + 1 :] if t.kind in ("comparator", "result")), "")
    return first == "comparator" and any(t.kind == "result" for t in tokens) and {"result", "level", "ratio"} <= cited


def _names_the_test(token: Token | None) -> bool:
    """Whether "when" only says when the test is made ("when tested on 30 June 2024")."""
    return token is not None and token.value in ("tested", "measured", "calculated")


def _bound_before(before: list[Token], *, whole: bool = False) -> bool:
    """Whether a word of duty stands before, in the same clause or anywhere in the sentence."""
    for token in reversed(before):
        if not whole and (token.kind == "break" or token.value in CONTRAST):
            return False
        if token.kind in ("require", "permit", "negator") or (token.kind == "modal" and token.value != "to_be"):
            return True
    return False


def check_results(tokens: list[Token], pool: tuple[Claim, ...], facts: DecisionFacts) -> Refusal | None:
    """A word for the result is the run's own result (CC-08)."""
    for token in (t for t in tokens if t.kind == "result"):
        if token.value == "tested":
            if facts.result not in ("pass", "breach"):
                return Refusal("claim_result_mismatch", f"It says {token.raw!r}; the run says {facts.result!r}.")
            continue
        if token.value != facts.result:
            return Refusal("claim_result_mismatch", f"It says {token.raw!r}; the run says {facts.result!r}.")
        if not any(c.kind is ClaimKind.RESULT for c in pool):
            return Refusal("claim_uncited", "It names the result and does not cite it.")
    return None


def check_entities(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    """Every document named is that of the evidence, and every word and number is understood (CC-02, CC-16)."""
    documents = {span.document for claim in pool for span in claim.spans}
    for index, token in enumerate(tokens):
        if token.kind == "name" and token.value.startswith("document:") and token.value[9:] not in documents:
            if _names_the_agreement(tokens, index):
                continue
            return Refusal("claim_entity_mismatch", f"{token.raw!r} is not the document of the cited evidence.")
        if token.kind == "hedge" and not any(t.kind in VALUES for t in tokens[index + 1 : index + 2]):
            return Refusal("claim_uncited", f"{token.raw!r} stands before no figure.")
        if token.value == "or" and token.kind == "neutral" and not _says_again(tokens, index):
            return Refusal("claim_uncited", f"No claim supports the word {token.raw!r}.")
        if token.value == "between" and not any(t.value in ("headroom", "gap") for t in tokens):
            return Refusal("claim_uncited", f"No claim supports the word {token.raw!r}.")
        if token.kind == "unknown":
            title = token.raw[:1].isupper() or token.value in (
                "leverage",
                "senior",
                "net",
                "total",
                "secured",
                "interest",
                "coverage",
                "lien",
            )
            code = "claim_entity_mismatch" if title else "claim_uncited"
            return Refusal(code, f"No claim supports the word {token.raw!r}.")
        if token.kind == "number":
            return Refusal("claim_number_unsupported", f"No cited claim holds {token.raw!r}.")
    return None


def _names_the_agreement(tokens: list[Token], index: int) -> bool:
    """Whether a section is said to be of the agreement itself, whichever instrument last wrote its words."""
    before = [t for t in tokens[:index] if t.raw.lower() not in ("of", "in", "the", "to")][-1:]
    title = tokens[index].raw
    after = tokens[index + 1 : index + 2]
    beside = (before and before[0].kind == "section") or (title.endswith("s") and after and after[0].kind == "section")
    return bool(beside) and bool(_AGREEMENT.search(title)) and not _CHANGES.search(title)


def _says_again(tokens: list[Token], index: int) -> bool:
    """Whether "or" puts the same figure another way: it stands right before a value, after a value or comma."""
    after = [t for t in tokens[index + 1 :] if t.kind != "hedge"][:1]
    return index > 0 and bool(after) and after[0].kind in VALUES and tokens[index - 1].kind in ("break", *VALUES)


def check_something_said(tokens: list[Token]) -> Refusal | None:
    """A sentence of names and filling words alone states nothing."""
    kinds = {t.kind for t in tokens}
    valued = kinds & {"money", "ratio", "percent", "fraction"}
    said = kinds & {"text", "quote", "comparator"} or valued or any(t.kind == "result" and t.value != "tested" for t in tokens)
    return None if said else Refusal("claim_uncited", "It states nothing that its claims say.")
