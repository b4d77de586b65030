"""The checks of a draft (rules CC-01 to CC-22): a sentence is read back into records and compared with its claims as records.

Checks are ordered so that the code names the worst fault. Whatever is not understood to its last word is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from conformed.model.claim import Claim, ClaimKind, Draft, Sentence, Verdict
from conformed.model.codes import code_class, sentence_of
from conformed.model.span import Span
from conformed.rules.claims import claim_forbidden as forbidden
from conformed.rules.claims.claim_compare import check_comparators
from conformed.rules.claims.claim_facts import DecisionFacts, SpanLookup, role_of
from conformed.rules.claims.claim_identity import check_identities
from conformed.rules.claims.claim_said import fold_space, joined_to_reason, said, without
from conformed.rules.claims.claim_sense import check_entities, check_mood, check_results, check_something_said
from conformed.rules.claims.claim_text import lex, quotes_in, result_words
from conformed.rules.claims.claim_values import Refusal, check_values

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
    verbatim = tuple(text for claim in pool for text in (*_own_phrases(claim), claim.condition) if text)
    free = _free_text(sentence.text, verbatim, facts, pool)
    checks: tuple[Callable[[], Refusal | None], ...] = (
        lambda: _prohibited(free, sentence, facts),
        lambda: _evidence(pool, spans, facts, sentence),
        lambda: _quotes(without(sentence.text, tuple(_own_words(claim) for claim in pool)), pool, spans),
        lambda: _conditions(sentence.text, pool),
        lambda: _kinds(sentence, pool),
    )
    for check in checks:
        refusal = check()
        if refusal is not None:
            return refusal
    tokens = lex(re.sub(r"\b([Cc]an)not\b", r"\1 not", sentence.text), facts.names(), verbatim, facts.currency)
    return (
        check_values(tokens, pool, facts)
        or check_mood(tokens, pool)
        or check_comparators(tokens, pool)
        or check_identities(tokens, pool)
        or check_results(tokens, pool, facts)
        or check_entities(tokens, pool)
        or check_something_said(tokens)
    )


def _own_words(claim: Claim) -> str:
    """The words of a claim that a draft may repeat without quotation marks: those that the rules wrote themselves."""
    return (
        claim.text.rstrip(".?")
        if claim.kind in (ClaimKind.REASON, ClaimKind.OPEN_POINT) or claim.subject in ("overlay", "currency")
        else ""
    )


def _own_phrases(claim: Claim) -> tuple[str, ...]:
    """A claim's own words, and of an overlay, which is two statements, each alone."""
    whole = _own_words(claim)
    return (whole, *whole.split(", and ")) if claim.subject == "overlay" else (whole,)


def _free_text(text: str, verbatim: tuple[str, ...], facts: DecisionFacts, pool: tuple[Claim, ...]) -> str:
    """The sentence without quotations, without the claims' own words and without names: what the drafter wrote."""
    for start, end, _ in reversed(quotes_in(text)):
        text = text[:start] + " " * (end - start) + text[end:]
    text = joined_to_reason(text, _reasons(pool))
    if {"result", "level", "ratio"} <= {role_of(c) for c in pool}:  # what they join is checked word by word
        text = re.sub(r"\b(?:because|since)\b", " ", text, flags=re.IGNORECASE)
    return without(text, (*verbatim, *(name for name in facts.names() if name != "leverage")))


def _reasons(pool: tuple[Claim, ...]) -> tuple[str, ...]:
    """The run's own reasons for a result that is cited with them: what "because" may join to it."""
    if not any(claim.kind is ClaimKind.RESULT for claim in pool):
        return ()
    return tuple(_own_words(c) for c in pool if c.kind is ClaimKind.REASON and code_class(c.subject) in ("review", "not_tested"))


def _prohibited(free: str, sentence: Sentence, facts: DecisionFacts) -> Refusal | None:
    free = re.sub(r"\bcompliance certificate\b", " ", free, flags=re.IGNORECASE)
    for label, file in facts.documents:
        if file in facts.not_effective and label.lower() in sentence.text.lower() and forbidden.EFFECT.search(free):
            return Refusal("claim_modality_drift", f"{label} has no effect, so it changes nothing.")
    for pattern, code in (
        (forbidden.LEGAL, "claim_prohibited_legal_conclusion"),
        (forbidden.RECOMMENDATION, "claim_prohibited_recommendation"),
        (forbidden.CAUSE, "claim_cause_invented"),
        (forbidden.ABSENCE, "claim_modality_drift"),
    ):
        match = pattern.search(result_words(free) if pattern is forbidden.ABSENCE else free)
        if match:
            return Refusal(code, f"It says {match[0]!r}.")
    return None


def _evidence(pool: tuple[Claim, ...], spans: SpanLookup, facts: DecisionFacts, sentence: Sentence) -> Refusal | None:
    places = [span for claim in pool for span in claim.spans]
    for span in places:
        if fold_space(spans(span)) != fold_space(span.text):
            return Refusal("claim_quote_mismatch", f"{span.document} does not read as cited at {span.start}.")
        past = [(s, e) for d, s, e in facts.superseded if d == span.document and s < span.end and span.start < e]
        if any(_rests_on(span, s, e, sentence.text) for s, e in past) and not _PAST.search(sentence.text):
            return Refusal("claim_superseded_source", f"{span.document} at {span.start} is no longer in force.")
    if places and all(_ORDERS.search(span.text) for span in places):
        return Refusal("claim_uncited", "Its only support is an instruction inside a document.")
    supported = all(claim.spans or claim.cites or claim.kind is ClaimKind.RESULT for claim in pool)
    return None if supported else Refusal("claim_uncited", "A claim that it cites has no evidence.")


def _rests_on(span: Span, start: int, end: int, text: str) -> bool:
    """Whether a sentence rests on a stretch that no longer counts: all of the evidence lies in it, or words of it are quoted.

    A provision of which a row or a figure was replaced still counts as to its other words.
    """
    if start <= span.start and span.end <= end:
        return True
    gone = fold_space(span.text[max(0, start - span.start) : end - span.start])
    said = [fold_space(inner) for _, _, inner in quotes_in(text)]
    return any(gone in inner or inner in gone for inner in said)


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
        if claim.condition and not said(claim.condition, text):
            return Refusal("claim_modality_drift", f"It drops the condition {claim.condition!r}.")
    return None


def _kinds(sentence: Sentence, pool: tuple[Claim, ...]) -> Refusal | None:
    if sentence.kind is ClaimKind.OPEN_POINT:
        tied = [c for c in pool if c.kind is ClaimKind.OPEN_POINT and any(code_class(code) == "review" for code in c.cites)]
        if not tied:
            return Refusal("claim_uncited", "An open point must be tied to a review code.")
    stands = [c for c in pool if c.kind in (ClaimKind.REASON, ClaimKind.OPEN_POINT)]
    for claim in stands:
        if not said(_own_words(claim), sentence.text):
            return Refusal("claim_uncited", f"It does not say what {claim.subject} says.")
    return None


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
