"""A bank of sentences about runs of our own, each with eight wrong versions: no wrong one may pass, right ones should."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from conformed.model.claim import Claim, ClaimKind, Sentence
from conformed.model.span import Span
from conformed.rules.claims.claims import DecisionFacts, check_sentence

WORDS = {"le": "not more than", "lt": "less than", "ge": "not less than"}


class Run:
    """One run: its claims and facts, and how its figures are written."""

    def __init__(
        self,
        metric: str,
        comparator: str,
        ratio: str,
        level: str,
        section: str,
        day: tuple[str, str],
        condition: str,
        currency: str,
    ) -> None:
        self.metric, self.comparator, self.section, self.condition, self.currency = (
            metric,
            comparator,
            section,
            condition,
            currency,
        )
        self.iso, self.long = day
        exact, limit = Fraction(ratio), Fraction(level)
        self.shown, self.level = f"{ratio}x", f"{level}x"
        self.side = "equal to" if exact == limit else "below" if exact < limit else "above"
        self.met = {"le": exact <= limit, "lt": exact < limit, "ge": exact >= limit}[comparator]
        verb = {
            "le": "shall not permit the ratio to exceed",
            "lt": "shall ensure that the ratio is less than",
            "ge": "shall not permit the ratio to be less than",
        }
        self.quote = f"The Company {verb[comparator]} {level} to 1.00"
        span = Span(document="facility.html", sha256="0" * 64, page=None, start=10, end=10 + len(self.quote), text=self.quote)
        common = {"period": self.iso, "clause": section}
        level_claim = Claim(
            id="l",
            kind=ClaimKind.FACT,
            subject=metric,
            comparator=comparator,
            value=limit,
            unit="x",
            shown=self.level,
            condition=condition,
            spans=(span,),
            **common,
        )
        ratio_claim = Claim(
            id="r",
            kind=ClaimKind.CALCULATION,
            subject=metric,
            comparator="eq",
            value=exact,
            unit="x",
            shown=self.shown,
            cites=("ratio",),
            **common,
        )
        result = Claim(
            id="s",
            kind=ClaimKind.RESULT,
            subject="result",
            text="pass" if self.met else "breach",
            period=self.iso,
            cites=("accept_calculation_complete",),
        )
        room = Claim(
            id="d",
            kind=ClaimKind.CALCULATION,
            subject="debt headroom",
            comparator="eq",
            value=Fraction(12_400_000),
            unit=currency,
            shown=f"{currency} 12,400,000",
            condition=condition,
            cites=("headroom_debt",),
            **common,
        )
        share = Claim(
            id="e",
            kind=ClaimKind.CALCULATION,
            subject="EBITDA headroom",
            comparator="eq",
            value=Fraction(1, 16),
            unit="share",
            shown="6.25%",
            condition=condition,
            cites=("headroom_ebitda",),
            **common,
        )
        self.claims = {c.id: c for c in (level_claim, ratio_claim, result, room, share)}
        self.facts = DecisionFacts(
            run="r",
            pack_digest="p",
            result=result.text,
            test_date=self.iso,
            known_at="2025-06-30",
            metric=metric,
            borrower="Larkfield Timber plc",
            documents=(("facility.html", "facility.html"),),
            currency=currency,
        )

    def accepted(self, text: str, cites: str) -> bool:
        kind = ClaimKind.FACT if cites == "l" else ClaimKind.CALCULATION
        sentence = Sentence(text=text, kind=kind, claims=tuple(cites))
        return check_sentence(sentence, self.claims, lambda span: span.text, self.facts).outcome == "accept"


RUNS = (
    Run(
        "Consolidated Total Leverage Ratio",
        "le",
        "3.4999",
        "3.50",
        "7.11(a)",
        ("2024-12-31", "December 31, 2024"),
        "under a temporary level",
        "USD",
    ),
    Run(
        "Consolidated Total Net Leverage Ratio",
        "le",
        "4.305",
        "4.25",
        "7.09",
        ("2025-03-31", "March 31, 2025"),
        "under an elected increase",
        "USD",
    ),
    Run(
        "Adjusted Leverage",
        "lt",
        "2.75",
        "3.25",
        "22.2(b)",
        ("2024-06-30", "30 June 2024"),
        "while more than 40% of the revolver is drawn",
        "GBP",
    ),
    Run(
        "First Lien Net Leverage Ratio",
        "le",
        "5.00",
        "5.00",
        "6.10",
        ("2023-09-30", "September 30, 2023"),
        "under a temporary level",
        "EUR",
    ),
    Run("Total Debt Cover", "lt", "3.751", "3.75", "20.3", ("2025-01-03", "3 January 2025"), "under an elected increase", "GBP"),
    Run("Debt Yield", "ge", "2.25", "2.10", "5.4(c)", ("2024-03-31", "March 31, 2024"), "under a temporary level", "USD"),
)

COMPARE = {
    "le": ("not more than", "no more than", "not greater than", "at most"),
    "lt": ("less than", "below", "lower than", "less than"),
    "ge": ("not less than", "no less than", "not lower than", "at least"),
}


def required(run: Run) -> list[str]:
    """Ways to say what the covenant requires; all cite the level claim alone."""
    c, m, v, s, k = COMPARE[run.comparator], run.metric, run.level, run.section, run.condition
    ratio = f"{run.level[:-1]} to 1.00"
    return [
        f"{m} must be {c[0]} {v} on the test date {run.iso} (section {s}), {k}.",
        f"Under section {s}, {m} shall be {c[1]} {ratio} for the test date {run.long}, {k}.",
        f"On {run.long}, {k}, section {s} requires {m} to be {c[2]} {v}.",
        f"For {run.iso} the covenant in section {s} is that {m} must be {c[3]} {ratio}, {k}.",
        f"Section {s} states that {m} on {run.long} shall be {c[0]} {v}, {k}.",
        f"The level that governs on {run.long} is {v} (section {s}): {m} must stay {c[1]} {v}, {k}.",
    ]


def observed(run: Run) -> list[str]:
    """Ways to say how ratio and level stand; all cite both claims."""
    m, v, lev, s, k, side = run.metric, run.shown, run.level, run.section, run.condition, run.side
    other = {"below": "above", "above": "below", "equal to": "equal to"}[side]
    more = {"below": "less than", "above": "more than", "equal to": "equal to"}[side]
    return [
        f"{m} was {v} on {run.long}, {side} the level of {lev} that must be kept {k} (section {s}).",
        f"On the test date {run.iso}, {m} is {v}, {more} the required level of {lev} (section {s}), {k}.",
        f"For {run.long} the calculation gives {m} of {v}; the level section {s} requires {k} is {lev}, and {v} is {side} {lev}.",
        f"{m} stood at {v} on {run.iso}: {side} the required {lev} of section {s}, {k}.",
        f"Against the required level of {lev} {k} (section {s}), {m} was {v} for {run.iso}, and the level is {other} the ratio.",
        f"The ratio on {run.long} is {v}, {more} {lev}, the level that {m} must keep {k} under section {s}.",
        f"At {run.long}, {m} is {run.shown[:-1]} to 1.00, which is {side} the limit of {lev} that section {s} requires, {k}.",
        f"{m} on {run.iso} equals {v} and is {side} the required level, {lev}, {k} (section {s}).",
    ]


BANK = [(run, text, "l") for run in RUNS for text in required(run)] + [
    (run, text, "lr") for run in RUNS for text in observed(run)
]


def _swap(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        changed = re.sub(rf"(?<![A-Za-z]){old}(?![A-Za-z])", new, text, count=1)
        if changed != text:
            return changed
    raise AssertionError(text)


def one_digit(run: Run, text: str) -> str:
    """One digit of the last value becomes another."""
    at = max(text.rfind(run.level[:-1]), text.rfind(run.shown[:-1]))
    digit = text[at]
    return text[:at] + str((int(digit) + 1) % 10) + text[at + 1 :]


def flipped(run: Run, text: str) -> str:
    """The comparator is turned, or equality is treated the other way."""
    return _swap(
        text,
        (
            ("not more than", "more than"),
            ("no more than", "not less than"),
            ("not greater than", "less than"),
            ("at most", "at least"),
            ("not less than", "not more than"),
            ("no less than", "no more than"),
            ("not lower than", "lower than"),
            ("at least", "at most"),
            ("less than", "not less than"),
            ("more than", "less than"),
            ("lower than", "not more than"),
            ("below", "above"),
            ("above", "below"),
            ("equal to", "below"),
        ),
    )


def softened(run: Run, text: str) -> str:
    """An obligation becomes a permission, a finding a possibility."""
    return _swap(
        text, (("must", "may"), ("shall", "may"), ("requires", "may require"), ("required", "permitted"), ("is", "could be"))
    )


def other_unit(run: Run, text: str) -> str:
    """Times becomes per cent."""
    return re.sub(r"(\d)x", r"\1%", text, count=1) if re.search(r"\dx", text) else re.sub(r"(\d) to 1\.00", r"\1%", text, count=1)


def other_subject(run: Run, text: str) -> str:
    """Another metric is named."""
    return text.replace(run.metric, "Consolidated Senior Secured Leverage Ratio")


def other_period(run: Run, text: str) -> str:
    """Another test date is named."""
    return text.replace(run.iso, "2022-12-31").replace(run.long, "December 31, 2022")


def other_clause(run: Run, text: str) -> str:
    """Another section is named."""
    return text.replace(f"ection {run.section}", "ection 7.12")


def without_condition(run: Run, text: str) -> str:
    """The words that limit the level are dropped."""
    return re.sub(rf",? ?{re.escape(run.condition)}", "", text)


MUTATIONS: tuple[Callable[[Run, str], str], ...] = (
    one_digit,
    flipped,
    softened,
    other_unit,
    other_subject,
    other_period,
    other_clause,
    without_condition,
)


def test_the_bank_is_large_enough() -> None:
    """There are at least eighty different sentences."""
    assert len({text for _, text, _ in BANK}) >= 80


def test_right_paraphrases_are_accepted() -> None:
    """At least 95 in a hundred right paraphrases pass."""
    refused = [text for run, text, cites in BANK if not run.accepted(text, cites)]
    assert len(refused) <= len(BANK) * 0.05, refused[:10]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
def test_no_wrong_version_is_accepted(mutation: Callable[[Run, str], str]) -> None:
    """Of every sentence's version with this fault, none passes."""
    wrong = [(run, mutation(run, text), cites) for run, text, cites in BANK]
    assert all(changed != text for (_, changed, _), (_, text, _) in zip(wrong, BANK, strict=True))
    assert [text for run, text, cites in wrong if run.accepted(text, cites)] == []


def test_every_single_digit_counts() -> None:
    """Whichever digit of a sentence is changed, the sentence is refused (a shown level may not become another)."""
    passed = []
    for run, text, cites in BANK:
        for at in [m.start() for m in re.finditer(r"\d", text)]:
            changed = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
            if run.accepted(changed, cites):
                passed.append(changed)
    assert passed == []


def test_no_word_can_be_slipped_in() -> None:
    """Words that turn a sentence (not, never, only, unless, almost, formerly) are refused wherever they are put."""
    passed = []
    for run, text, cites in BANK[::3]:
        pieces = text.split(" ")
        for word in ("not", "never", "only", "unless", "almost", "formerly", "no", "except", "projected"):
            for at in range(1, len(pieces)):
                changed = " ".join([*pieces[:at], word, *pieces[at:]])
                if run.accepted(changed, cites):
                    passed.append(changed)
    assert passed == []


@pytest.mark.parametrize("cites", ["d", "e"])
def test_headroom_says_which(cites: str) -> None:
    """Headroom passes with its kind, unit and exact value, and with none of them changed (CC-19)."""
    for run in RUNS:
        word, value = ("Debt", f"{run.currency} 12,400,000") if cites == "d" else ("EBITDA", "6.25%")
        assert run.accepted(f"{word} headroom is {value} on {run.iso}, {run.condition}.", cites)
        other = {"Debt": "EBITDA", "EBITDA": "Debt"}[word]
        for wrong in (
            f"{other} headroom is {value}",
            f"Headroom is {value}",
            f"{word} headroom is {value.replace('12,400', '12,401').replace('6.2', '6.3')}",
            f"{word} headroom is {value.replace(run.currency, 'CHF').replace('%', 'x')}",
            f"{word} headroom is CHF 12.4 billion",
        ):
            assert not run.accepted(f"{wrong} on {run.iso}, {run.condition}.", cites), wrong
