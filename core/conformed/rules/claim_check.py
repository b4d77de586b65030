"""The checks of a draft (rules CC-01 to CC-22): a sentence is read back into records and compared with its claims as records.

Checks are ordered so that the code names the worst fault. Whatever is not understood to its last word is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from conformed.model.claim import Claim, ClaimKind, Draft, Sentence, Verdict
from conformed.model.codes import code_class, sentence_of
from conformed.rules import claim_words as words
from conformed.rules.claim_compare import check_comparators
from conformed.rules.claim_facts import DecisionFacts, SpanLookup, role_of
from conformed.rules.claim_text import Token, fold_space, lex, quotes_in
from conformed.rules.claim_values import Refusal, check_values

__all__ = ["VERIFIER", "check_draft", "check_sentence"]

VERIFIER = "claims 1.0.0"
_DROPS = re.compile(r"\b(?:not|unless|except|provided|no|without|only|if)\b|\d", re.IGNORECASE)
_PAST = re.compile(r"\b(?:formerly|until|replaced|no longer|previously|superseded|before)\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"\b(?:ignore|disregard) (?:all |any )?(?:previous|prior|above|other)|\b(?:you|the (?:model|system|assistant|reader|"
    r"tool)) (?:must|shall|should|are to|is to)\b",
    re.IGNORECASE,
)


def _verdict(sentence: Sentence, refusal: Refusal | None) -> Verdict:
    if refusal is None:
        return Verdict(outcome="accept", subject=sentence.text, verifier=VERIFIER)
    said = f"{sentence_of(refusal.code)} {refusal.detail}".strip()
    return Verdict(outcome="reject", code=refusal.code, sentence=said, subject=sentence.text, verifier=VERIFIER)


def check_sentence(
    sentence: Sentence, claims: Mapping[str, Claim] | Iterable[Claim], spans: SpanLookup, facts: DecisionFacts
) -> Verdict:
    """Checks one sentence against the claims that it cites.

    Args:
        sentence: the sentence with its kind and the ids of its claims.
        claims: the claims of this run.
        spans: gives the words that stand at a span.
        facts: facts of the run.
    """
    known = claims if isinstance(claims, Mapping) else {claim.id: claim for claim in claims}
    return _verdict(sentence, _refusal(sentence, known, spans, facts))


def _refusal(sentence: Sentence, known: Mapping[str, Claim], spans: SpanLookup, facts: DecisionFacts) -> Refusal | None:
    if not sentence.text.strip():
        return Refusal("claim_uncited", "The sentence is empty.")
    missing = [name for name in sentence.claims if name not in known]
    if missing or not sentence.claims:
        return Refusal("claim_uncited", f"It cites {', '.join(missing) or 'nothing'}.")
    pool = tuple(known[name] for name in sentence.claims)
    verbatim = tuple(text for claim in pool for text in (_own_words(claim), claim.condition) if text)
    free = _free_text(sentence.text, verbatim, facts)
    checks: tuple[Callable[[], Refusal | None], ...] = (
        lambda: _prohibited(free, sentence, facts),
        lambda: _evidence(pool, spans, facts, sentence),
        lambda: _quotes(_without(sentence.text, tuple(_own_words(claim) for claim in pool)), pool, spans),
        lambda: _conditions(sentence.text, pool),
        lambda: _kinds(sentence, pool),
    )
    for check in checks:
        refusal = check()
        if refusal is not None:
            return refusal
    tokens = lex(sentence.text, facts.names(), verbatim, facts.currency)
    return (
        check_values(tokens, pool, facts)
        or _mood(tokens, pool)
        or check_comparators(tokens, pool)
        or _results(tokens, pool, facts)
        or _entities(tokens, pool)
        or _said_something(tokens)
    )


def _own_words(claim: Claim) -> str:
    """The words of a claim that a draft may repeat without quotation marks: those that the rules wrote themselves."""
    return claim.text.rstrip(".?") if claim.kind in (ClaimKind.REASON, ClaimKind.OPEN_POINT) or claim.subject == "overlay" else ""


def _free_text(text: str, verbatim: tuple[str, ...], facts: DecisionFacts) -> str:
    """The sentence without quotations, without the claims' own words and without names: what the drafter wrote."""
    for start, end, _ in reversed(quotes_in(text)):
        text = text[:start] + " " * (end - start) + text[end:]
    return _without(text, (*verbatim, *(name for name in facts.names() if name != "leverage")))


def _without(text: str, phrases: tuple[str, ...]) -> str:
    """A text without some phrases, whatever their white space."""
    for phrase in sorted(phrases, key=len, reverse=True):
        if phrase:
            pattern = re.sub(r"\\?\s+", r"\\s+", re.escape(fold_space(phrase)))
            text = re.sub(rf"(?<![A-Za-z]){pattern}(?:['’]s)?(?![A-Za-z])", " ", text, flags=re.IGNORECASE)
    return text


def _prohibited(free: str, sentence: Sentence, facts: DecisionFacts) -> Refusal | None:
    free = re.sub(r"\bcompliance certificate\b", " ", free, flags=re.IGNORECASE)
    for label, file in facts.documents:
        if file in facts.not_effective and label.lower() in sentence.text.lower() and words.EFFECT.search(free):
            return Refusal("claim_modality_drift", f"{label} has no effect, so it changes nothing.")
    for pattern, code in (
        (words.LEGAL, "claim_prohibited_legal_conclusion"),
        (words.RECOMMENDATION, "claim_prohibited_recommendation"),
        (words.CAUSE, "claim_cause_invented"),
        (words.ABSENCE, "claim_modality_drift"),
    ):
        match = pattern.search(free)
        if match:
            return Refusal(code, f"It says {match[0]!r}.")
    return None


def _evidence(pool: tuple[Claim, ...], spans: SpanLookup, facts: DecisionFacts, sentence: Sentence) -> Refusal | None:
    places = [span for claim in pool for span in claim.spans]
    for span in places:
        if fold_space(spans(span)) != fold_space(span.text):
            return Refusal("claim_quote_mismatch", f"{span.document} does not read as cited at {span.start}.")
        if any(d == span.document and s < span.end and span.start < e for d, s, e in facts.superseded) and not _PAST.search(
            sentence.text
        ):
            return Refusal("claim_superseded_source", f"{span.document} at {span.start} is no longer in force.")
    if places and all(_ORDERS.search(span.text) for span in places):
        return Refusal("claim_uncited", "Its only support is an instruction inside a document.")
    supported = all(claim.spans or claim.cites or claim.kind is ClaimKind.RESULT for claim in pool)
    return None if supported else Refusal("claim_uncited", "A claim that it cites has no evidence.")


def _quotes(text: str, pool: tuple[Claim, ...], spans: SpanLookup) -> Refusal | None:
    if len(re.findall('[“"”]', text)) != 2 * len(quotes_in(text)):
        return Refusal("claim_quote_mismatch", "Its quotation marks do not pair.")
    sources = [fold_space(spans(span)) for claim in pool for span in claim.spans]
    for _, _, inner in quotes_in(text):
        if not any(_quoted(fold_space(inner), source) for source in sources):
            return Refusal("claim_quote_mismatch", f"No cited span reads {inner!r}.")
    return None


def _quoted(quote: str, source: str) -> bool:
    """Whether a quotation is the whole span, or a part that drops no "not", "unless", "except", "provided" or number."""
    if quote == source:
        return True
    pieces = [piece.strip() for piece in re.split(r"\s*(?:…|\.\.\.)\s*", quote) if piece.strip()]
    dropped, at = "", 0
    for piece in pieces:
        found = re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", source[at:])
        if found is None:
            return False
        dropped += " " + source[at : at + found.start()]
        at += found.end()
    return bool(pieces) and not _DROPS.search(dropped + " " + source[at:])


def _conditions(text: str, pool: tuple[Claim, ...]) -> Refusal | None:
    for claim in pool:
        if claim.condition and fold_space(claim.condition).lower() not in fold_space(text).lower():
            return Refusal("claim_modality_drift", f"It drops the condition {claim.condition!r}.")
    return None


def _kinds(sentence: Sentence, pool: tuple[Claim, ...]) -> Refusal | None:
    if sentence.kind is ClaimKind.OPEN_POINT:
        tied = [c for c in pool if c.kind is ClaimKind.OPEN_POINT and any(code_class(code) == "review" for code in c.cites)]
        if not tied:
            return Refusal("claim_uncited", "An open point must be tied to a review code.")
    stands = [c for c in pool if c.kind in (ClaimKind.REASON, ClaimKind.OPEN_POINT)]
    for claim in stands:
        if fold_space(_own_words(claim)).lower() not in fold_space(sentence.text).lower():
            return Refusal("claim_uncited", f"It does not say what {claim.subject} says.")
    return None


def _mood(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    for token in tokens:
        if token.kind == "modal" and token.value != "shall":
            return Refusal("claim_modality_drift", f"It says {token.raw!r}.")
        if token.kind in ("modal", "require", "negator") and not any(role_of(c) == "level" for c in pool):
            return Refusal("claim_modality_drift", f"It says {token.raw!r} and cites no requirement.")
    return None


def _results(tokens: list[Token], pool: tuple[Claim, ...], facts: DecisionFacts) -> Refusal | None:
    for token in (t for t in tokens if t.kind == "result"):
        if token.value != facts.result:
            return Refusal("claim_result_mismatch", f"It says {token.raw!r}; the run says {facts.result!r}.")
        if not any(c.kind is ClaimKind.RESULT for c in pool):
            return Refusal("claim_uncited", "It names the result and does not cite it.")
    return None


def _entities(tokens: list[Token], pool: tuple[Claim, ...]) -> Refusal | None:
    documents = {span.document for claim in pool for span in claim.spans}
    for token in tokens:
        if token.kind == "name" and token.value.startswith("document:") and token.value[9:] not in documents:
            return Refusal("claim_entity_mismatch", f"{token.raw!r} is not the document of the cited evidence.")
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


def _said_something(tokens: list[Token]) -> Refusal | None:
    """A sentence of names and filling words alone states nothing."""
    kinds = {t.kind for t in tokens}
    valued = kinds & {"money", "ratio", "percent", "fraction"}
    said = kinds & {"text", "quote", "result", "comparator"} or valued
    return None if said else Refusal("claim_uncited", "It states nothing that its claims say.")


def check_draft(draft: Draft, claims: Iterable[Claim], spans: SpanLookup, facts: DecisionFacts) -> tuple[Verdict, ...]:
    """Checks a draft as a whole: one verdict a sentence, then one for each thing that the draft must not leave out."""
    known = {claim.id: claim for claim in claims}
    if draft.run != facts.run or draft.pack_digest != facts.pack_digest:
        stale = sentence_of("claim_stale_run")
        return (Verdict(outcome="reject", code="claim_stale_run", sentence=stale, subject=draft.run, verifier=VERIFIER),)
    verdicts = [check_sentence(sentence, known, spans, facts) for sentence in draft.sentences]
    cited = [known[name] for sentence in draft.sentences for name in sentence.claims if name in known]
    if not any(claim.kind is ClaimKind.RESULT and claim.subject == "result" for claim in cited):
        verdicts.append(_left_out("claim_result_mismatch", "The draft does not name the result.", "result"))
    if facts.overlay != "none" and not any(claim.subject == "overlay" for claim in cited):
        verdicts.append(_left_out("claim_result_mismatch", f"The draft does not name the overlay ({facts.overlay}).", "overlay"))
    explained = {code for claim in cited if claim.kind is ClaimKind.REASON for code in claim.cites}
    verdicts += [
        _left_out("claim_reason_missing", f"The draft does not explain {code}.", code)
        for code in facts.explain
        if code not in explained
    ]
    return tuple(verdicts)


def _left_out(code: str, said: str, subject: str) -> Verdict:
    return Verdict(outcome="reject", code=code, sentence=said, subject=subject, verifier=VERIFIER)
