"""The symbolic verifier as a plugin: its bounds, its refusals, its assumptions, and that no text is ever run."""

from __future__ import annotations

import ast
import itertools
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import conformed_plugins.verifiers.symbolic as package
from conformed.model.answer import AnswerCheck, AnswerVerdict
from conformed.ports import AnswerVerifier
from conformed_plugins.verifiers.options import SymbolicOptions
from conformed_plugins.verifiers.symbolic import ASSUMPTIONS, SymbolicVerifier, verify_symbolic
from conformed_plugins.verifiers.worker import Worker, WorkerLimitError

FOLDER = Path(package.__file__).parent


@pytest.fixture(scope="module")
def verifier() -> Iterator[SymbolicVerifier]:
    """One verifier for the module."""
    made = SymbolicVerifier()
    yield made
    made.close()


def check(verifier: SymbolicVerifier, candidate: str, reference: str, facts: Mapping[str, object] | None = None) -> AnswerVerdict:
    """One pair with its facts."""
    return verifier.check(AnswerCheck(candidate=candidate, reference=reference, facts=facts or {}))


def test_it_is_an_answer_verifier_with_a_name_and_version(verifier: SymbolicVerifier) -> None:
    """What it returns says who found it."""
    assert isinstance(verifier, AnswerVerifier)
    verdict = check(verifier, "x+1", "1+x")
    assert (verdict.outcome, verdict.code, verdict.verifier, verdict.version) == ("correct", "proved_equal", "symbolic", "1.0.0")


def test_the_face_that_others_call() -> None:
    """A pair of texts in, outcome and code out; what is no text is a program's fault."""
    assert verify_symbolic("2x", "x+x") == ("correct", "proved_equal")
    assert verify_symbolic("2x", "3x") == ("incorrect", "exact_counterexample")
    assert verify_symbolic("2x", "?") == ("review", "refused:reference:character")
    assert verify_symbolic("?", "2x") == ("review", "refused:candidate:character")
    with pytest.raises(TypeError):
        verify_symbolic(2, "2")  # type: ignore[arg-type]


def test_nothing_in_the_package_evaluates_text() -> None:
    """No eval, exec, compile, sympify or parse_expr is called, and sympy is imported in the worker's files only."""
    for file in FOLDER.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        called = {
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
        }
        assert not called & {"eval", "exec", "sympify", "parse_expr", "nsimplify", "__import__", "S", "lambdify"}, file.name
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert file.parent.name == "child" or not any(name.split(".")[0] in ("sympy", "mpmath") for name in imported), file.name


def test_the_caller_never_loads_the_algebra() -> None:
    """Even a proof by algebra leaves this process without sympy: it ran elsewhere."""
    import subprocess

    source = (
        "import sys; from conformed_plugins.verifiers.symbolic import verify_symbolic as v; "
        "assert v('sqrt(8)', '2sqrt(2)') == ('correct', 'proved_equal'); raise SystemExit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0


BOMBS = {
    "5^{5^{5^{5^5}}}": "refused:power",
    "5^(5^(5^(5^5)))": "refused:power",
    "9^{999}^{999}": "refused:candidate:ambiguous_power",
    "10^{99999999999}": "refused:power",
    "(10^{1000})^{1000}": "refused:power",
    "x^{10^{9}}": "refused:power",
    "((x^{100})^{100})^{100}": "refused:expansion",
    "(a+b+c+d)^{60}": "refused:expansion",
    "(a+b)(a+c)(a+d)(a+x)(a+y)(a+z)(b+c)(b+d)(b+x)(b+y)(b+z)(c+d)": "refused:expansion",
    "(0x)^{0}": "refused:zero_power",
    "99999!": "refused:factorial",
    "3!!": "refused:candidate:ambiguous_factorial",
    "x!": "refused:factorial",
    "\\binom{10^{9}}{5}": "refused:factorial",
    "\\binom{99999}{5}": "refused:factorial",
    "(" * 400 + "1" + ")" * 400: "refused:candidate:nesting",
    "\\sqrt{" * 160 + "x": "refused:candidate:nesting",
    "|" * 400: "refused:candidate:nesting",
    "-" * 400 + "1": "refused:candidate:syntax",
    "1/" * 300 + "1": "refused:candidate:nesting",
    "x " * 300: "refused:expansion",
    "x+" * 499 + "x": "refused:too_long",
    "{" * 300: "refused:candidate:nesting",
    "9" * 400: "refused:candidate:number_too_long",
    "9" * 5000: "refused:candidate:too_long",
    "\\frac" * 100: "refused:candidate:argument",
    "1," * 450 + "1": "refused:too_long",
}


@pytest.mark.parametrize(("bomb", "code"), BOMBS.items(), ids=[text[:20] for text in BOMBS])
def test_what_would_grow_is_refused_before_any_algebra(verifier: SymbolicVerifier, bomb: str, code: str) -> None:
    """Towers, factorials, products and nesting go to a person at once, whichever side they are on."""
    start = time.perf_counter()
    verdict = check(verifier, bomb, "1, 2, 3" if "," in bomb else "7")
    assert time.perf_counter() - start < 0.2
    assert (verdict.outcome, verdict.code) == ("review", code)
    assert check(verifier, "7", bomb).outcome == "review"


def test_a_time_limit_is_review_and_the_next_answer_is_checked() -> None:
    """Algebra that takes longer than it may is killed; the worker is replaced; nobody is told that the answer is wrong."""
    verifier = SymbolicVerifier(SymbolicOptions(milliseconds=400))
    start = time.monotonic()
    slow = "\\sin x\\sin y\\sin z\\sin(x+y+z)\\cos(2x)\\cos(3y)\\tan x"
    verdict = check(verifier, slow, f"i{slow}+\\cos(xy)\\tan x\\sin(z^2)i")
    assert (verdict.outcome, verdict.code) == ("review", "time_limit")
    assert time.monotonic() - start < 20
    assert check(verifier, "\\sqrt{8}", "2\\sqrt{2}").outcome == "correct"
    verifier.close()


def test_a_machine_without_a_worker_gives_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no child can be started the outcome is error, never a check without limits; exact checks need none."""
    verifier = SymbolicVerifier()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    broken = SymbolicVerifier()
    assert check(broken, "1/2", "0.5").outcome == "correct"
    verdict = check(broken, "\\sqrt{8}", "2\\sqrt{2}")
    assert (verdict.outcome, verdict.code) == ("error", "worker_unavailable")
    verifier.close()


@pytest.mark.parametrize(
    ("stated", "outcome", "code"),
    [
        ({}, "incorrect", "certified_difference"),
        ({"x": "positive"}, "correct", "proved_equal"),
        ({"x": "nonnegative"}, "correct", "proved_equal"),
        ({"x": "negative"}, "incorrect", "certified_difference"),
        ({"y": "positive"}, "incorrect", "certified_difference"),
        ({"x": "tall"}, "error", "assumptions_malformed"),
        (["x"], "error", "assumptions_malformed"),
        ({"x": ["positive"]}, "error", "assumptions_malformed"),
        ("positive", "error", "assumptions_malformed"),
    ],
)
def test_assumptions_are_stated_by_the_item(verifier: SymbolicVerifier, stated: object, outcome: str, code: str) -> None:
    """The same pair is right or wrong by what the letter stands for; a malformed statement is never ignored."""
    verdict = check(verifier, "\\sqrt{x^2}", "x", {"assumptions": stated})
    assert (verdict.outcome, verdict.code) == (outcome, code)


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_every_assumption_reaches_the_algebra(verifier: SymbolicVerifier, assumption: str) -> None:
    """A proof and a refutation by algebra work under each."""
    facts = {"assumptions": {"x": assumption}}
    assert check(verifier, "e^{x}e^{x}", "e^{2x}", facts).outcome == "correct"
    assert check(verifier, "e^{x}", "e^{x}+1", facts).outcome in ("incorrect", "review")


def test_a_declared_letter_is_a_letter(verifier: SymbolicVerifier) -> None:
    """``i`` is the imaginary unit until an item says that it is an index."""
    assert check(verifier, "i^2", "-1").outcome == "correct"
    assert check(verifier, "i^2", "-1", {"assumptions": {"i": "integer"}}).outcome == "incorrect"


def test_options_are_bounded() -> None:
    """No limit can be switched off."""
    for options in ({"milliseconds": 0}, {"milliseconds": 10**9}, {"megabytes": 1}, {"time": 5}):
        with pytest.raises(ValidationError):
            SymbolicOptions.model_validate(options)


FAULTY = """
import sys
import conformed_plugins.verifiers.symbolic.child.prove as prove
from conformed_plugins.verifiers.symbolic.child.main import main

def answer(request):
    if request["do"] == "memory":
        raise MemoryError
    if request["do"] == "bytes":
        return {"held": len(bytearray(2 << 30))}
    raise RecursionError("deep")

prove.answer = answer
sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
"""


def test_whatever_the_algebra_raises_is_no_verdict() -> None:
    """An exception of any kind inside the worker means that it cannot tell; memory that it may not have ends it."""
    worker = Worker(FAULTY, (), megabytes=768, seconds=5.0)
    assert worker.ask({"do": "same"}) == {"status": "unknown", "code": "algebra_failed:recursionerror"}
    for how in ("memory", "bytes"):
        with pytest.raises(WorkerLimitError) as caught:
            worker.ask({"do": how})
        assert caught.value.code == "memory_limit"
    worker.close()


def test_the_least_memory_is_enough_for_ordinary_algebra() -> None:
    """The smallest bound that the options allow still proves an identity."""
    verifier = SymbolicVerifier(SymbolicOptions(megabytes=256))
    assert check(verifier, "\\sin^2x+\\cos^2x", "1").outcome == "correct"
    verifier.close()


def test_it_enters_by_the_door_of_plugins() -> None:
    """Both verifiers of this folder are offered with their options, and made from them."""
    from conformed.hooks import Registration
    from conformed_plugins.builtin import register_verifiers

    offered: list[Registration] = []
    register_verifiers(offered.append)
    made: dict[str, Any] = {one.name: one.factory(one.options()) for one in offered if one.name in ("numeric", "symbolic")}
    assert sorted(made) == ["numeric", "symbolic"]
    for name, verifier in made.items():
        verdict = verifier.check(AnswerCheck(candidate="0.5", reference="1/2", facts={}))
        assert (verdict.outcome, verdict.verifier) == ("correct", name)


def test_many_values_end_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sets whose members are each quickly compared are left open when all together take too long."""
    ticks = itertools.count()
    monkeypatch.setattr("conformed_plugins.verifiers.symbolic.verify.time.monotonic", lambda: next(ticks) * 0.01)
    verifier = SymbolicVerifier(SymbolicOptions(milliseconds=1000))
    few, many = ("\\{" + ", ".join(f"x+{n}" for n in range(size)) + "\\}" for size in (5, 20))
    assert check(verifier, few, few).outcome == "correct"
    verdict = check(verifier, many, many)
    assert (verdict.outcome, verdict.code) == ("review", "time_limit")


def test_threads_get_the_answers_to_their_own_questions(verifier: SymbolicVerifier) -> None:
    """Checks from several threads are what they are from one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(6) as pool:
        found = list(
            pool.map(lambda n: check(verifier, f"\\sqrt{{{8 * n * n}}}", f"{2 * n + n % 2}\\sqrt{{2}}").outcome, range(1, 25))
        )
    assert found == ["incorrect" if n % 2 else "correct" for n in range(1, 25)]
