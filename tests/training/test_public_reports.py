"""Faults that others reported in public, each with the small input that shows it. The further ones are tests of the parts that they concern.

docs/training-reports.md lists all of them by number, with the test of each.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformed.compute.votes import plurality_is_locked, plurality_vote
from conformed.evaluation.answers import extract_final
from conformed.evaluation.metrics import scores
from conformed.model.answer import AnswerCheck, Outcome
from conformed_plugins.verifiers.numeric import verify_numeric
from conformed_plugins.verifiers.symbolic import SymbolicVerifier, verify_symbolic

ROOT = Path(__file__).parents[2]
UNEQUAL = [
    ("3.75 to 1.00", "4.75 to 1.00"), ("3.75 to 1.00", "2.00 to 1.00"), ("2026-06-30", "2026-06-29"), ("35", "35%"),
    ("3.75", "3.7500001"), ("1.005", "1.0050000001"), ("0.1", "0.1000001"), ("0.3", "0.30000000000000004"), ("1e400", "1e401"),
    ("2021", "+-2021"), ("1/2^99", "1/2^98"), ("3x-y+13=0", "3x+4y+14=0"), ("3.75", "3.75x"), ("0.35", "35%"),
]  # fmt: skip


@pytest.fixture(scope="module")
def symbolic() -> Iterator[SymbolicVerifier]:
    """One verifier."""
    made = SymbolicVerifier()
    yield made
    made.close()


def test_report_6_what_reaches_the_mass_exactly_keeps_no_further_token() -> None:
    """Of 0.5, 0.3, 0.1 and 0.1 two tokens reach 0.8."""
    torch = pytest.importorskip("torch")
    from conformed_plugins.backends.sampling import nucleus_probabilities

    logits = torch.tensor([[0.5, 0.3, 0.1, 0.1]], dtype=torch.float64).log()
    assert [one > 0 for one in nucleus_probabilities(logits, temperature=1.0, top_p=0.8)[0].tolist()] == [
        True,
        True,
        False,
        False,
    ]
    assert nucleus_probabilities(logits, temperature=1.0, top_p=0.8)[0].tolist() == pytest.approx([0.625, 0.375, 0, 0])


def test_report_10_a_thread_gets_the_verdict_of_the_main_thread(symbolic: SymbolicVerifier) -> None:
    """Numbers, ratios and algebra, right and wrong: the same in four threads at once."""
    pairs = [("1/8", "0.125"), ("1/8", "0.126"), ("2x", "x+x"), ("2x", "3x"), ("?", "1")]

    def verdicts(_: int = 0) -> list[tuple[object, ...]]:
        found = [symbolic.check(AnswerCheck(candidate=one, reference=other, facts={})) for one, other in pairs]
        return [*(verify_numeric(*pair) for pair in pairs), *((one.outcome, one.code) for one in found)]

    here = verdicts()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(verdicts, range(8))) == [here] * 8


def test_report_11_a_tower_of_powers_is_refused_and_the_next_answer_is_checked(symbolic: SymbolicVerifier) -> None:
    """Refused by its size, before any algebra; it holds nobody up."""
    began = time.perf_counter()
    found = symbolic.check(AnswerCheck(candidate="5^(5^(5^(5^5)))", reference="5", facts={}))
    assert time.perf_counter() - began < 5
    assert found.outcome is Outcome.REVIEW
    assert verify_numeric("5^(5^(5^(5^5)))", "5")[0] == "review"
    assert symbolic.check(AnswerCheck(candidate="x+1", reference="1+x", facts={})).outcome is Outcome.CORRECT


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_report_26_what_differs_is_never_accepted(one: str, other: str) -> None:
    """By neither verifier, in neither order."""
    for pair in ((one, other), (other, one)):
        assert verify_numeric(*pair)[0] != "correct"
        assert verify_symbolic(*pair)[0] != "correct"


@pytest.mark.parametrize("text", ['__import__("os").getpid()', "os.getpid()", "(lambda: 7)()", "exec('x=7')"])
def test_report_27_an_answer_is_never_evaluated(text: str) -> None:
    """A program in the place of an answer goes to a person."""
    import os

    assert verify_symbolic(text, str(os.getpid()))[0] == "review"
    assert verify_numeric(text, str(os.getpid()))[0] == "review"


def test_report_28_only_the_declared_field_is_an_answer() -> None:
    """Neither the first number nor the last of a text is taken; a sum with its currency is no bare number, and never the 2."""
    text = "Step 2 of 3: the parts. The total is $29.00"
    assert extract_final(text) == (None, "missing_final")
    answer, code = extract_final(f"{text}\n<final>$29.00</final>")
    assert (answer, code) == ("$29.00", "ok")
    assert verify_numeric(str(answer), "29")[0] == "review"
    assert verify_numeric(str(answer), "2")[0] == "review"


def test_report_29_every_share_says_of_what_it_is() -> None:
    """Of 10 answers 6 right, 2 wrong, 2 failed checks: accuracy 6/10, coverage 8/10, of those decided 6/8, errors 2/10."""
    found = scores(["correct"] * 6 + ["incorrect"] * 2 + ["error"] * 2)
    shares = [(one.successes, one.trials) for one in (found.accuracy, found.coverage, found.selective_accuracy, found.error_rate)]  # type: ignore[union-attr]
    assert shares == [(6, 10), (8, 10), (6, 8), (2, 10)]


def test_report_32_a_lock_knows_the_minimum() -> None:
    """Three equal answers of five with a minimum of four are no lock: two that are none would leave too few."""
    assert not plurality_is_locked(["a"] * 3, generated=3, max_samples=5, minimum_valid=4)
    assert plurality_is_locked(["a"] * 3, generated=3, max_samples=5, minimum_valid=3)
    assert plurality_vote(["a", "a", "a", None, None], minimum_valid=4).answer is None
    assert plurality_vote(["a", "a", "a", None, None], minimum_valid=3).answer == "a"


@pytest.mark.parametrize("text", ["\u0663.\u0667\u0665", "9" * 5000, "\uff13.\uff17\uff15"])
def test_report_34_digits_of_other_scripts_and_endless_ones_are_for_a_person(text: str) -> None:
    """Neither is read as a number, and neither raises."""
    assert verify_numeric(text, "3.75")[0] == "review"
    assert verify_numeric("3.75", text)[0] == "review"


def test_each_report_has_its_test() -> None:
    """The page names 24 reports, and every test that it names is there."""
    page = (ROOT / "docs" / "training-reports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|.*?\| `(tests/[\w/]+\.py)`, `(test_\w+)` \|$", page, re.MULTILINE)
    numbers = [1, 2, 3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 17, 18, 20, 21, 23, 24, 26, 27, 28, 29, 32, 34]
    assert [int(number) for number, _, _ in rows] == numbers
    lacking = [
        name for _, file, name in rows if not re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.M)
    ]
    assert lacking == []
