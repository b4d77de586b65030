"""Sentences made to slip past the checks: values in each other's place, requirements without comparator, equality in disguise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.model.claim import Claim, ClaimKind, Sentence
from conformed.model.span import Span
from conformed.rules.claims.claims import DecisionFacts, check_sentence

WORDS = "Net Leverage shall not exceed 3.50 to 1.00"
PLACE = Span(document="facility.html", sha256="0" * 64, page=None, start=0, end=len(WORDS), text=WORDS)
PAPER = Span(document="certificate.docx", sha256="1" * 64, page=None, start=0, end=4, text="3.61")


def claim(name: str, kind: ClaimKind, subject: str, value: str = "", unit: str = "", **more: object) -> Claim:
    """A claim of 31 December 2024 under section 7.11(a)."""
    spans = (PLACE,) if name == "l" else (PAPER,) if name in "cv" else ()
    fields = {"period": "2024-12-31", "clause": "7.11(a)", "cites": (subject,), "spans": spans, **more}
    return Claim(id=name, kind=kind, subject=subject, value=Fraction(value) if value else None, unit=unit, **fields)  # type: ignore[arg-type]


CLAIMS = {
    c.id: c
    for c in (
        claim("l", ClaimKind.FACT, "Net Leverage", "3.5", "x", comparator="le", shown="3.50x"),
        claim("r", ClaimKind.CALCULATION, "Net Leverage", "3.4999", "x", comparator="eq", shown="3.4999x"),
        claim("s", ClaimKind.RESULT, "result", text="pass"),
        claim("n", ClaimKind.CALCULATION, "tested debt", "349990000", "USD", comparator="eq"),
        claim("e", ClaimKind.CALCULATION, "EBITDA", "100000000", "USD", comparator="eq"),
        claim("d", ClaimKind.CALCULATION, "debt headroom", "10000", "USD", comparator="eq"),
        claim("h", ClaimKind.CALCULATION, "EBITDA headroom", "1/35000", "share", comparator="eq", shown="0.00%"),
        claim("c", ClaimKind.FACT, "certificate ratio", "3.61", "x", comparator="eq", shown="3.61x"),
        claim("v", ClaimKind.FACT, "certificate level", "3.75", "x", comparator="eq", shown="3.75x"),
        claim("a", ClaimKind.REASON, "accept_calculation_complete", text="Every input is cited"),
    )
}
FACTS = DecisionFacts(
    run="r",
    pack_digest="p",
    result="pass",
    test_date="2024-12-31",
    known_at="2025-03-01",
    metric="Net Leverage",
    borrower="Harbour Mills plc",
    documents=(("Facility Agreement", "facility.html"), ("Amendment No. 2", "draft.pdf")),
    currency="USD",
)


def accepted(text: str, cites: str) -> bool:
    """Whether a sentence that cites some claims passes."""
    return (
        check_sentence(
            Sentence(text=text, kind=ClaimKind.FACT, claims=tuple(cites)), CLAIMS, lambda span: span.text, FACTS
        ).outcome
        == "accept"
    )


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("Net Leverage was 3.50x, and the level is 3.4999x.", "rl"),
        ("The level of 3.50x is below Net Leverage of 3.4999x.", "rl"),
        ("Net Leverage exceeds the level of 3.50x.", "rl"),
        ("Net Leverage does not exceed the level of 3.4999x.", "rl"),
        ("The maximum Net Leverage is 3.4999x.", "rl"),
        ("The required level is 3.4999x.", "rl"),
        ("Net Leverage shall be 3.4999x.", "rl"),
        ("Net Leverage is required to be 3.4999x.", "rl"),
        ("Net Leverage must be 3.50x.", "l"),
        ("Net Leverage must be equal to 3.50x.", "l"),
        ("Net Leverage must be 3.50x or more.", "l"),
        ("Net Leverage must exceed 3.50x.", "l"),
        ("The Borrower shall permit Net Leverage to exceed 3.50x.", "l"),
        ("The Borrower shall not permit Net Leverage to be less than 3.50x.", "l"),
        ("The covenant sets Net Leverage at 3.50x.", "l"),
        ("Net Leverage is 3.4999x, equal to the level of 3.50x.", "rl"),
        ("Net Leverage is 3.4999x, exactly the level of 3.50x.", "rl"),
        ("Net Leverage equals the level.", "rl"),
        ("Net Leverage was 3.4999x, equal to the required 3.50x.", "rl"),
        ("Net Leverage was 3.4999x, or 3.50x.", "rl"),
        ("Net Leverage was above, and is, 3.4999x.", "rl"),
        ("Net Leverage was 3.4999x as known on 2024-12-31.", "r"),
        ("It was 3.4999x on the test date 2025-03-01.", "r"),
        ("Net Leverage of 3.4999x must not exceed 3.50x before 2024-12-31.", "rl"),
        ("Net Leverage was 3.4999x of debt.", "r"),
        ("Debt was 3.4999x.", "r"),
        ("Net Leverage was 3.4999x for the Agent.", "r"),
        ("EBITDA is USD 349,990,000 and tested debt is USD 100,000,000.", "ne"),
        ("Tested debt is about USD 349.9 million.", "n"),
        ("Tested debt is below EBITDA.", "ne"),
        ("EBITDA exceeds tested debt.", "ne"),
        ("Tested debt less EBITDA is 3.4999x.", "rne"),
        ("EBITDA headroom exceeds debt headroom: USD 10,000.", "dh"),
        ("There is USD 10,000 of headroom.", "d"),
        ("There is USD 10,000 of EBITDA headroom.", "d"),
        ("The compliance certificate states a ratio of 3.4999x.", "cr"),
        ("The compliance certificate states a level of 3.50x.", "vl"),
        ("The certificate ratio of 3.61x is equal to the calculated ratio.", "cr"),
        ("The certificate ratio of 3.4999x differs from the calculated ratio of 3.61x.", "cr"),
        ("Amendment No. 2 sets the level of 3.50x.", "l"),
        ("The result is not pass.", "s"),
        ("The result is review.", "s"),
        ("Every input is cited, and the result is breach.", "as"),
        ("Every input is cited and the pack is not given.", "a"),
        ("Every input is cited.", "s"),
        ("Net Leverage must not exceed 3.50x; it was waived.", "l"),
    ],
)
def test_what_must_not_pass(text: str, cites: str) -> None:
    """A wrong or unsupported sentence is refused although each of its numbers stands in a cited claim."""
    assert not accepted(text, cites)


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("Net Leverage of 3.4999x is below the 3.50x maximum.", "rl"),
        ("At 3.4999x, Net Leverage was lower than the maximum level of 3.50x.", "rl"),
        ("On December 31, 2024 Net Leverage stood at 3.4999x against a maximum of 3.50x.", "rl"),
        ("Net Leverage (3.4999x) does not exceed 3.50x.", "rl"),
        ("3.4999x is less than 3.50x.", "rl"),
        ("The covenant in section 7.11(a) requires that Net Leverage not exceed 3.50 to 1.00.", "l"),
        ("Under section 7.11(a) the Borrower must not permit Net Leverage to exceed 3.50x.", "l"),
        ("Net Leverage must be 3.50x or less.", "l"),
        ("A maximum of 3.50x applies under section 7.11(a).", "l"),
        ("The calculation gives a ratio of 3.4999x; the certificate states 3.61x.", "rc"),
        ("The certificate tests against 3.75x; the level in force is 3.50x.", "vl"),
        ("The run's result is pass.", "s"),
        ("For the test date 31 December 2024, the covenant is met.", "s"),
        ("There is USD 10,000 of debt headroom.", "d"),
        ("Debt headroom stands at $10,000.", "d"),
        ("EBITDA was USD 100 million for the test date.", "e"),
        ("The exact ratio is 34999/10000.", "r"),
        ("Harbour Mills plc's Net Leverage was 3.4999x.", "r"),
        ("The level under the Facility Agreement is 3.50x.", "l"),
        ("Net Leverage for the test period ended 31 December 2024 was 3.4999x.", "r"),
    ],
)
def test_what_may_pass(text: str, cites: str) -> None:
    """Plain right sentences of other shapes than the templates' are accepted."""
    assert accepted(text, cites)


TRUE_OF_BELOW = {
    "below",
    "less than",
    "lower than",
    "not more than",
    "at most",
    "not above",
    "does not exceed",
    "different from",
    "not equal to",
}
"""What may be said of 3.4999x as against 3.50x."""


@pytest.mark.parametrize(
    "said",
    sorted(
        TRUE_OF_BELOW - {"different from", "not equal to"}
        | {"above", "more than", "at least", "not less than", "not below", "equal to", "exactly", "exceeds"}
    ),
)
def test_an_observed_comparator_is_true(said: str) -> None:
    """Of all comparators only the true ones pass, and turned round only the other ones."""
    verb = "" if said in ("does not exceed", "exceeds") else "is "
    assert accepted(f"Net Leverage {verb}{said} the level.", "rl") is (said in TRUE_OF_BELOW)
    if said not in ("exactly", "equal to"):
        assert accepted(f"The level {verb}{said} Net Leverage.", "rl") is (said not in TRUE_OF_BELOW)
