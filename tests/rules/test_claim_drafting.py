"""Sentences as a credit analyst drafts them (passive, other forms of numbers and dates, headroom), each with eight wrong versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest

from conformed.model.claim import Claim, ClaimKind, Sentence
from conformed.model.span import Span
from conformed.rules.claims.claims import DecisionFacts, check_sentence


@dataclass(frozen=True)
class Run:
    """One run of ours."""

    metric: str
    comparator: str
    ratio: str
    level: str
    section: str
    day: str
    currency: str
    debt: str = ""
    share: str = ""
    words: str = "shall keep to the level of"

    @property
    def result(self) -> str:
        """Pass or breach, by the exact values."""
        ratio, level = Fraction(self.ratio), Fraction(self.level)
        met = {"le": ratio <= level, "lt": ratio < level, "ge": ratio >= level}[self.comparator]
        return "pass" if met else "breach"

    def claims(self) -> dict[str, Claim]:
        """Level, ratio, result and both headrooms, as the record holds them."""
        words = f"The {self.metric} {self.words} {self.level} to 1.00"
        span = Span(document="facility.html", sha256="0" * 64, page=None, start=0, end=len(words), text=words)
        common = {"period": self.day, "clause": self.section}
        made = [
            Claim(id="l", kind=ClaimKind.FACT, subject=self.metric, comparator=self.comparator, value=Fraction(self.level), unit="x",
                  shown=f"{self.level}x", spans=(span,), **common),
            Claim(id="r", kind=ClaimKind.CALCULATION, subject=self.metric, comparator="eq", value=Fraction(self.ratio), unit="x",
                  shown=f"{self.ratio}x", cites=("ratio",), **common),
            Claim(id="s", kind=ClaimKind.RESULT, subject="result", text=self.result, period=self.day, cites=("accept_calculation_complete",)),
        ]  # fmt: skip
        if self.debt:
            made += [
                Claim(id="d", kind=ClaimKind.CALCULATION, subject="debt headroom", comparator="eq", value=Fraction(self.debt),
                      unit=self.currency, cites=("headroom_debt",), **common),
                Claim(id="e", kind=ClaimKind.CALCULATION, subject="EBITDA headroom", comparator="eq", value=Fraction(self.share),
                      unit="share", cites=("headroom_ebitda",), **common),
            ]  # fmt: skip
        return {claim.id: claim for claim in made}

    def code(self, text: str, cites: str) -> str:
        """The code under which a sentence is refused; empty where it is accepted."""
        facts = DecisionFacts(
            run="r", pack_digest="p", result=self.result, test_date=self.day, known_at="2026-02-28", metric=self.metric,
            borrower="Larkfield Timber plc", documents=(("facility.html", "facility.html"),), currency=self.currency,
        )  # fmt: skip
        kind = {"l": ClaimKind.FACT, "s": ClaimKind.RESULT}.get(cites, ClaimKind.CALCULATION)
        found = check_sentence(Sentence(text=text, kind=kind, claims=tuple(cites)), self.claims(), lambda span: span.text, facts)
        return "" if found.outcome == "accept" else found.code or found.outcome


A = Run("Total Net Leverage Ratio", "le", "3.745", "3.75", "7.11(a)", "2024-12-31", "USD")
B = Run(
    "Consolidated Total Leverage Ratio", "le", "3.20", "4.00", "6.08", "2024-09-30", "USD", "80000000", "1/5", "may not exceed"
)
C = Run("Senior Net Leverage", "lt", "3.00", "3.00", "22.2(b)", "2025-06-30", "EUR")
D = Run("Interest Cover", "ge", "2.10", "2.50", "21.2(c)", "2024-03-31", "GBP")
E = Run("First Lien Leverage Ratio", "le", "4.30", "4.25", "7.1", "2024-12-31", "USD")

SENTENCES: tuple[tuple[Run, str, str], ...] = (
    (B, "Under section 6.08, the Consolidated Total Leverage Ratio may not exceed 4.00 to 1.00 as at 30 September 2024.", "l"),
    (B, "Section 6.08 caps the Consolidated Total Leverage Ratio at 4.00x for the test date 30 September 2024.", "l"),
    (B, "The maximum Consolidated Total Leverage Ratio permitted by section 6.08 on September 30, 2024 is 4.00:1.", "l"),
    (B, "On 30 September 2024 the ceiling for the Consolidated Total Leverage Ratio under section 6.08 was 4.00x.", "l"),
    (
        B,
        "At the test date of 30 September 2024, a Consolidated Total Leverage Ratio of up to and including 4.00x is permitted by section 6.08.",
        "l",
    ),
    (B, "The Consolidated Total Leverage Ratio is required by section 6.08 not to exceed 4.00 times on 30 September 2024.", "l"),
    (C, "Clause 22.2(b) requires that Senior Net Leverage be less than 3.00:1 on 30 June 2025.", "l"),
    (C, "Senior Net Leverage had to be below 3.00x on 30 June 2025 under clause 22.2(b).", "l"),
    (C, "For 30 June 2025, Senior Net Leverage is required to be lower than 3.00x by clause 22.2(b).", "l"),
    (D, "Clause 21.2(c) sets a minimum Interest Cover of 2.50x on 31 March 2024.", "l"),
    (D, "Interest Cover must not fall below 2.50:1 on 31 March 2024 (clause 21.2(c)).", "l"),
    (D, "On 31 March 2024 Interest Cover had to be at least 2.50 times under clause 21.2(c).", "l"),
    (E, "The First Lien Leverage Ratio shall not be greater than 4.25 to 1.00 as of December 31, 2024, under Section 7.1.", "l"),
    (A, "The Total Net Leverage Ratio is limited to no more than 3.75x at 31 December 2024 by section 7.11(a).", "l"),
    (B, "The Consolidated Total Leverage Ratio was calculated at 3.20x as at 30 September 2024.", "r"),
    (B, "As of 30 September 2024 the Consolidated Total Leverage Ratio came to 3.20 to 1.00.", "r"),
    (C, "Senior Net Leverage for 30 June 2025 works out at exactly 3.00x.", "r"),
    (A, "The Total Net Leverage Ratio at 31 December 2024 was 3.745x.", "r"),
    (D, "Interest Cover at 31 March 2024 was 2.10 times.", "r"),
    (E, "At December 31, 2024 the First Lien Leverage Ratio was computed as 4.30:1.", "r"),
    (
        B,
        "At 3.20x on 30 September 2024, the Consolidated Total Leverage Ratio was below the maximum of 4.00x set by section 6.08.",
        "lr",
    ),
    (B, "The Consolidated Total Leverage Ratio of 3.20x at 30 September 2024 is within the 4.00x maximum of section 6.08.", "lr"),
    (
        B,
        "The Consolidated Total Leverage Ratio, 3.20x on 30 September 2024, does not exceed the 4.00x permitted by section 6.08.",
        "lr",
    ),
    (E, "The First Lien Leverage Ratio was 4.30x on December 31, 2024, which exceeds the 4.25x maximum in section 7.1.", "lr"),
    (
        E,
        "On December 31, 2024 the First Lien Leverage Ratio, at 4.30x, was higher than the maximum of 4.25x under section 7.1.",
        "lr",
    ),
    (C, "Senior Net Leverage was exactly 3.00x on 30 June 2025 and so was not below 3.00x, as clause 22.2(b) requires.", "lr"),
    (D, "Interest Cover was 2.10x on 31 March 2024, short of the minimum of 2.50x in clause 21.2(c).", "lr"),
    (D, "On 31 March 2024 Interest Cover of 2.10x fell below the 2.50x minimum required by clause 21.2(c).", "lr"),
    (A, "Total Net Leverage Ratio at 31 December 2024: 3.745x against a maximum of 3.75x (section 7.11(a)).", "lr"),
    (
        A,
        "The Total Net Leverage Ratio of 3.745x on 31 December 2024 compares with a maximum of 3.75x under section 7.11(a).",
        "lr",
    ),
    (E, "Measured on December 31, 2024, the First Lien Leverage Ratio is 4.30x; section 7.1 allows no more than 4.25x.", "lr"),
    (B, "On 30 September 2024 there was debt headroom of USD 80,000,000.", "d"),
    (B, "Debt headroom at 30 September 2024 amounted to USD 80.0 million.", "d"),
    (B, "At the thirtieth of September 2024, debt headroom of US$80m remained.", "d"),
    (B, "EBITDA headroom stood at 20% as at 30 September 2024.", "e"),
    (B, "Headroom in EBITDA of 20 per cent. existed on 30 September 2024.", "e"),
    (B, "Headroom measured in EBITDA is twenty per cent on 30th September 2024.", "e"),
    (B, "The test at 30 September 2024 is passed.", "s"),
    (E, "The result of the test on December 31, 2024 is breach.", "s"),
    (D, "For the test date 31 March 2024 the outcome is a breach.", "s"),
)
"""Run, sentence, claims that it cites."""

_DATE = r"(?:\d{1,2}(?:st|nd|rd|th)? (?:[A-Z][a-z]+) 20\d\d|[A-Z][a-z]+ \d{1,2}, 20\d\d|thirtieth of September 2024)"
_VALUE = r"(?:US\$80m|USD 80,000,000|USD 80\.0 million|20%|20 per cent\.|twenty per cent|\d\.\d+(?:x| to 1\.00|:1| times))"

Fault = Callable[[Run, str, str], str]
"""Makes a sentence wrong, or gives it back where it has nothing of the kind."""


def _sub(pattern: str, new: str) -> Fault:
    return lambda run, text, cites: re.sub(pattern, new, text, count=1)


def _values(text: str) -> list[re.Match[str]]:
    dates = [m.span() for m in re.finditer(_DATE, text)]
    return [m for m in re.finditer(_VALUE, text) if not any(a <= m.start() < b for a, b in dates)]


def one_digit(run: Run, text: str, cites: str) -> str:
    """The last figure is another one."""
    last = _values(text)[-1] if _values(text) else None
    if last is None:
        return text
    new = (
        "thirty per cent"
        if last[0].startswith("twenty")
        else re.sub(r"\d", lambda m: str((int(m[0]) + 3) % 10), last[0], count=1)
    )
    return text[: last.start()] + new + text[last.end() :]


def first_digit(run: Run, text: str, cites: str) -> str:
    """The first of two figures is another one."""
    found = _values(text)
    if len(found) < 2:
        return text
    return text[: found[0].start()] + str((int(found[0][0][0]) + 1) % 10) + text[found[0].start() + 1 :]


def swapped(run: Run, text: str, cites: str) -> str:
    """Two different figures change places."""
    found = _values(text)
    if len(found) < 2 or found[0][0] == found[1][0]:
        return text
    a, b = found[:2]
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def other_day(run: Run, text: str, cites: str) -> str:
    """Another test date."""
    return re.sub(r"20(\d\d)(?!\d)(?!,)", lambda m: f"20{int(m[1]) - 1}", text, count=1)


def other_section(run: Run, text: str, cites: str) -> str:
    """Another provision."""
    return text.replace(run.section, "9.14")


def other_metric(run: Run, text: str, cites: str) -> str:
    """Another figure is named."""
    return text.replace(run.metric, "Senior Secured Leverage Ratio" if "Senior" not in run.metric else "Total Leverage")


def flipped(run: Run, text: str, cites: str) -> str:
    """The comparison is turned round, or treats equality otherwise."""
    for old, new in (
        ("up to and including", "less than"), ("not exceed", "exceed"), ("not be greater", "be greater"), ("no more", "no less"),
        ("not below", "below"), ("be below", "be no more than"), ("less than", "not more than"), ("lower than", "at most"),
        ("at least", "more than"), ("not fall below", "exceed"), ("caps", "floors"), ("maximum", "minimum"), ("ceiling", "floor"),
        ("minimum", "maximum"), ("exceeds", "is below"), ("higher", "lower"), ("short of", "above"), ("was below", "was above"),
    ):  # fmt: skip
        if old in text:
            return text.replace(old, new, 1)
    return text


def other_mood(run: Run, text: str, cites: str) -> str:
    """A fact becomes a guess, a duty a permission, a result a prospect."""
    for old, new in ((" shall not ", " may "), (" must not ", " may "), (" shall ", " should "), (" must ", " may "), ("requires", "would require"), (" had to ", " was expected to "),
                     (" was ", " may have been "), (" is ", " is likely to be "), ("caps", "might cap"), ("sets", "is proposed to set"),
                     ("was calculated", "is forecast"), ("came to", "could come to"), ("works out", "should work out"),
                     ("stood", "will stand"), ("existed", "could exist"), ("amounted", "is expected to amount"),
                     ("compares", "would compare"), ("fell", "may fall"), ("remained", "would remain"), ("may not", "need not")):  # fmt: skip
        if old in text:
            return text.replace(old, new, 1)
    return text


def other_unit(run: Run, text: str, cites: str) -> str:
    """Another unit, currency or form."""
    found = _values(text)
    if not found:
        return text
    raw = found[-1][0]
    new = re.sub(r"US\$|USD ", "EUR ", raw) if "US" in raw else re.sub(r"(?:x| to 1\.00|:1| times)$", "%", raw)
    new = re.sub(r"%$| per cent\.?$", "x", raw) if new == raw else new
    return text[: found[-1].start()] + new + text[found[-1].end() :]


def denied(run: Run, text: str, cites: str) -> str:
    """A denial is put in, or taken out."""
    for old, new in ((" is ", " is not "), (" was ", " was not "), (" requires ", " does not require "), (" caps ", " no longer caps "),
                     (" had to ", " did not have to "), (" shall not ", " shall "), (" must not ", " must "), (" may not ", " may "),
                     (" sets ", " does not set "), (" came ", " never came "), (" works ", " hardly works "), (" fell ", " never fell "),
                     (" compares ", " no longer compares "), (" stood ", " never stood "), (" existed ", " never existed "),
                     (" amounted ", " never amounted "), (" remained", " no longer remained"), (": ", ": not ")):  # fmt: skip
        if old in text:
            return text.replace(old, new, 1)
    return text


FAULTS: tuple[Fault, ...] = (
    one_digit, first_digit, swapped, other_day, other_section, other_metric, flipped, other_mood, other_unit, denied,
    _sub(r"\.$", " because trading was weak."),
    _sub(r"\.$", ", which is an acceptable risk."),
    _sub(r"\.$", ", and no Event of Default has occurred."),
    _sub(r"\.$", " after one further waiver."),
    _sub(r"\.$", " on average."),
)  # fmt: skip


def wrong_versions(run: Run, text: str, cites: str) -> list[str]:
    """The first eight faults that change the sentence."""
    made = [changed for fault in FAULTS if (changed := fault(run, text, cites)) != text]
    return list(dict.fromkeys(made))[:8]


def test_there_are_forty_sentences_with_eight_faults_each() -> None:
    """The bank is as large as it says."""
    assert len({text for _, text, _ in SENTENCES}) == 40
    assert {len(set(wrong_versions(*case))) for case in SENTENCES} == {8}


@pytest.mark.parametrize(("run", "text", "cites"), SENTENCES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_right_sentence_is_accepted_and_none_of_its_wrong_versions(run: Run, text: str, cites: str) -> None:
    """A true sentence passes in its drafter's own wording, and with any one thing changed it does not."""
    assert run.code(text, cites) == ""
    assert [wrong for wrong in wrong_versions(run, text, cites) if run.code(wrong, cites) == ""] == []
