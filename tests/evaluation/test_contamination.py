"""Planted duplicates are found, exact and near, in text, formulas and code; honest neighbours are not."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.evaluation.contamination import Contamination, Entry, contamination, entries_of
from conformed.evaluation.contamination.entries import Kind, tokens
from conformed.evaluation.contamination.near import banding, jaccard, near_pairs, shingles
from conformed.evaluation.items import Item

pytest.importorskip("datasketch")

TEXT = (
    "A dairy delivers 240 bottles of milk to a hotel every weekday and half as many on Saturdays. On Sundays nothing is "
    "delivered. How many bottles does the hotel receive over a period of five weeks?"
)
NEAR_TEXT = TEXT.replace("dairy", "farm").replace("receive over", "receive in")
OTHER_TEXT = (
    "A printer binds 240 copies of a report every weekday and twice as many on Saturdays. On Sundays the shop is shut. How "
    "many copies are bound in a month that has four Sundays and begins on a Monday?"
)
CODE = """
def total(prices, rate):
    # sum with tax
    result = 0
    for price in prices:
        result += price * (1 + rate)
    return result
"""
RENAMED = """
def amount(values, factor):
    out = 0
    for v in values:
        out += v * (1 + factor)   # same thing
    return out
"""
OTHER_CODE = """
def longest(words):
    best = ""
    for word in words:
        if len(word) > len(best):
            best = word
    return best.strip().upper()
"""


def entry(item: str, content: str, kind: str = "text") -> Entry:
    """An entry."""
    return Entry(item=item, kind=Kind(kind), content=content)


def found(train: list[Entry], test: list[Entry], **options: Any) -> list[tuple[str, str, str, str]]:
    """What two splits share: kind, match, and the items of test and train."""
    report = contamination({"train": train, "test": test}, seed=1, **options)
    return [(one.kind, one.match, one.left, one.right) for one in report.pairs]


def test_text() -> None:
    """The same bytes, the same words otherwise written, and two words changed are found; another question is not."""
    train = [entry("t1", TEXT)]
    test = [
        entry("a", TEXT),
        entry("b", "  " + TEXT.upper().replace(".", " . ")),
        entry("c", NEAR_TEXT),
        entry("d", OTHER_TEXT),
    ]
    assert found(train, test) == [
        ("text", "same_bytes", "a", "t1"),
        ("text", "same_tokens", "b", "t1"),
        ("text", "near", "c", "t1"),
    ]


def test_numbers_make_another_question() -> None:
    """Where a short question differs in each of its numbers it is another one."""
    assert found([entry("t", "Add 17 and 25 and halve 9.")], [entry("a", "Add 18 and 26 and halve 7.")]) == []


def test_formulas() -> None:
    """Spacing, sizes and the signs of one operator do not make another formula; another exponent in a short one does."""
    train = [entry("t", r"\frac{x^2 + 3 \cdot x}{2} \leq \left( y - 1 \right) \times 4", "formula")]
    test = [
        entry("a", "\\dfrac{x^2+3·x}{2} ≤ (y−1)*4", "formula"),
        entry("b", r"\frac{x^3 - 5 \cdot z}{7} \geq (w + 1) \times 6", "formula"),
        entry("c", "x + y", "formula"),
    ]
    assert found(train, test) == [("formula", "same_tokens", "a", "t")]


def test_code() -> None:
    """Renamed variables and other comments are the same program; a small addition is near; another program is none."""
    longer = RENAMED.replace("    return out", "    print(out)\n    return out")
    test = [entry("a", RENAMED, "code"), entry("b", OTHER_CODE, "code"), entry("c", longer, "code")]
    assert found([entry("t", CODE, "code")], test) == [("code", "same_tokens", "a", "t"), ("code", "near", "c", "t")]


def test_comments_by_language() -> None:
    """// divides in Python and begins a comment elsewhere; what is never closed does not run away."""
    assert tokens(Kind.CODE, "def f(a):\n    return a // 3  # third")[-3:] == ("/", "/", "3")
    assert tokens(Kind.CODE, "int f(int a) { return a; // 3\n}")[-3:] == ("v1", ";", "}")
    assert tokens(Kind.CODE, "x = 1; /* never closed") == ("v0", "=", "1", ";")


def test_the_report_says_what_was_checked() -> None:
    """Every kind and pair of splits has its row, with counts, what was too short, and how likely a pair was missed."""
    report = contamination(
        {"train": [entry("t", TEXT)], "test": [entry("a", TEXT), entry("b", "4 + 4")], "development": []}, seed=5
    )
    rows = {(one.left_split, one.right_split, one.kind): one for one in report.checked}
    assert len(rows) == 9
    row = rows["test", "train", Kind.TEXT]
    assert (row.left, row.right, row.too_short) == (1, 1, 1)
    assert row.threshold == Fraction(7, 10)
    assert 0 < float(row.escape) <= 0.001
    assert rows["development", "test", Kind.TEXT].left == 0
    assert report.touched("test") == ("a",)
    assert report.touched("train") == ("t",)
    assert report.touched("development") == ()
    assert any("Paraphrases" in one for one in report.not_known)
    assert "seed 5" in report.method
    assert Contamination.model_validate_json(report.model_dump_json()) == report


def test_same_bytes_whatever_the_order_and_the_process() -> None:
    """The report is the same in another order of entries and in a process with another hash seed."""
    splits = {
        "train": [entry("t1", TEXT), entry("t2", OTHER_TEXT), entry("t3", CODE, "code")],
        "test": [entry("a", NEAR_TEXT), entry("b", RENAMED, "code"), entry("c", TEXT)],
    }
    text = contamination(splits, seed=1).model_dump_json()
    turned = {name: entries[::-1] for name, entries in reversed(splits.items())}
    assert contamination(turned, seed=1).model_dump_json() == text
    plain = {name: [one.model_dump(mode="json") for one in entries] for name, entries in splits.items()}
    program = (
        "import sys\nfrom conformed.evaluation.contamination import Entry, contamination\n"
        f"splits = {{name: [Entry(**one) for one in entries] for name, entries in {plain!r}.items()}}\n"
        "sys.stdout.write(contamination(splits, seed=1).model_dump_json())\n"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7", "PATH": ""}
    )
    assert other.stdout == text


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=14)


@settings(deadline=None)  # a signature takes its time on a busy machine
@given(st.lists(words, min_size=1, max_size=6), st.lists(words, min_size=1, max_size=6), st.integers(0, 3))
def test_near_pairs_are_what_brute_force_finds(left: list[list[str]], right: list[list[str]], seed: int) -> None:
    """Nothing is reported that is below the threshold, with its exact similarity; every equal pair is reported."""
    ours, theirs = [shingles(one, 2) for one in left], [shingles(one, 2) for one in right]
    threshold = Fraction(7, 10)
    pairs = {(one.left, one.right): one.similarity for one in near_pairs(ours, theirs, threshold=threshold, seed=seed)}
    every = {(i, j): jaccard(a, b) for i, a in enumerate(ours) for j, b in enumerate(theirs)}
    assert all(every[key] == similarity >= threshold for key, similarity in pairs.items())
    assert {key for key, similarity in every.items() if similarity == 1} <= pairs.keys()


def test_few_near_pairs_escape() -> None:
    """Of 300 planted pairs at a similarity of 0.75 or a little more, all but one or two are found."""
    left = [frozenset(f"{n}-{place}" for place in range(100)) for n in range(300)]
    right = [frozenset(sorted(one)[:86] + [f"other-{n}-{place}" for place in range(14)]) for n, one in enumerate(left)]
    assert jaccard(left[0], right[0]) == Fraction(86, 114)
    assert len(near_pairs(left, right, threshold=Fraction(3, 4), seed=4)) >= 298


def test_banding() -> None:
    """At the threshold one pair in a thousand escapes at most; a threshold too low for the signature is refused."""
    for threshold in (Fraction(1), Fraction(9, 10), Fraction(7, 10), Fraction(1, 2), Fraction(3, 10)):
        net = banding(threshold, 128)
        assert net.bands * net.rows <= 128
        assert net.escape == float((1 - threshold**net.rows) ** net.bands) <= 0.001
    with pytest.raises(ValueError, match="escape"):
        banding(Fraction(1, 100), 128)
    for bad in (Fraction(0), Fraction(-1), Fraction(11, 10)):
        with pytest.raises(ValueError):
            banding(bad, 128)


@pytest.mark.parametrize(
    "changed",
    [{"splits": {}}, {"splits": {"test": []}}, {"seed": -1}, {"seed": True}, {"thresholds": {Kind.TEXT: Fraction(1, 2)}}],
)
def test_refusals(changed: dict[str, Any]) -> None:
    """One split alone, a seed that is none and a kind without threshold are refused."""
    fields: dict[str, Any] = {"splits": {"a": [], "b": []}, "seed": 1} | changed
    with pytest.raises((ValueError, TypeError)):
        contamination(fields.pop("splits"), **fields)


def test_entries_of_items() -> None:
    """Prompts are text, what stands between dollar signs formulas, a program's reference code; a short answer is nothing."""
    base = {"split": "test", "source": "a.jsonl", "source_revision": "r"}
    items = [
        Item(id="b", prompt="Write a sum.", reference=CODE, form="code", **base),
        Item(id="a", prompt="Solve $x^2 = 4$ and $y = 2$ for $5.", reference="4", **base),
    ]
    made = entries_of(items)
    assert [(one.item, one.kind) for one in made] == [
        ("a", "text"),
        ("a", "formula"),
        ("a", "formula"),
        ("b", "text"),
        ("b", "code"),
    ]
    assert made[1].content == "x^2 = 4"


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(
    "hostile", ["/*", "'", '"', "\\'", "'\\", "$", "\\", "# ", "a", "1.", "if :  x", "\n", "٣", "{", "\ud800"]
)
def test_tokens_are_linear(kind: Kind, hostile: str) -> None:
    """A quarter of a megabyte of what would lead a pattern astray is broken up in little time."""
    began = time.process_time()
    tokens(kind, hostile * (250_000 // len(hostile)))
    assert time.process_time() - began < 2
