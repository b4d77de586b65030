"""A bank of 500 ordinary pairs through the symbolic verifier and through Math-Verify, and both on the pairs that break checkers.

    python benchmarks/symbolic.py [--peers PEERS]

PEERS is an environment with ``benchmarks/peers/math_verify.txt`` installed; without it only our own time is measured. Exits 1
when we accept a wrong answer, or are not at least twice as fast as Math-Verify with its timeouts on, our worker's start included.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.symbolic import SymbolicVerifier

LEAST_RATIO = 2.0
HERE = Path(__file__).parent
STEP = HERE / "peers" / "math_verify_step.py"
PAIRS = HERE.parent / "tests" / "verifiers" / "pairs.yaml"


def bank() -> list[tuple[str, str, bool]]:
    """500 pairs of candidate, reference and whether they are equal, of twenty kinds; every fifth pair of a kind is wrong."""
    found = []
    for n in range(2, 27):
        off = int(n % 5 == 0)
        kinds = [
            (f"{n + off}", f"{n}"),
            (f"\\frac{{{n + off}}}{{{3 * n}}}", "\\frac{1}{3}"),
            (f"{n}.{5 + off}", f"\\frac{{{2 * n + 1}}}{{2}}"),
            (f"(x+{n})^2", f"x^2+{2 * n + off}x+{n * n}"),
            (f"(x-{n})(x+{n})", f"x^2-{n * n + off}"),
            (f"\\sqrt{{{2 * n * n}}}", f"{n + off}\\sqrt{{2}}"),
            (f"\\frac{{{n}}}{{\\sqrt{{{n}}}}}", f"\\sqrt{{{n + off}}}"),
            (f"{n}\\pi+\\frac{{\\pi}}{{2}}", f"\\frac{{{2 * n + 1 + off}\\pi}}{{2}}"),
            (f"2\\sin({n}x)\\cos({n}x)", f"\\sin({2 * n + off}x)"),
            (f"\\{{{n}, {n + 1}, {n + 2}\\}}", f"\\{{{n + 2}, {n + off}, {n + 1}\\}}"),
            (f"({n}, {n + 3})", f"({n}, {n + 3 + off})"),
            (f"[{n}, {n + 4}] \\cup ({n + 5}, \\infty)", f"[{n}, {n + 4}] \\cup ({n + 5 + off}, \\infty)"),
            (f"x = {n}", f"x = {n + off}"),
            (f"y = {n}x + 1", f"{n}x - y + {1 + off} = 0"),
            (f"x > {n}", f"({n + off}, \\infty)"),
            (
                f"\\begin{{pmatrix}} {n} & 1 \\\\ 0 & {n} \\end{{pmatrix}}",
                f"\\begin{{pmatrix}} {n} & 1 \\\\ 0 & {n + off} \\end{{pmatrix}}",
            ),
            (f"\\frac{{x}}{{{n}}}+\\frac{{x}}{{{n + 1}}}", f"\\frac{{{2 * n + 1 + off}x}}{{{n * (n + 1)}}}"),
            (f"{n}^{{3}}", f"{n**3 + off}"),
            (f"e^{{{n}x}}e^{{x}}", f"e^{{{n + 1 + off}x}}"),
            (f"{n} + {n}i", f"{n}(1+i)+{off}"),
        ]
        found += [(candidate, reference, not off) for candidate, reference in kinds]
    return found


def ours(pairs: list[tuple[str, str, dict[str, str]]]) -> tuple[float, float, list[str]]:
    """Seconds with and without the worker's start, and the outcomes."""
    begun = time.perf_counter()
    verifier = SymbolicVerifier()
    verifier.check(AnswerCheck(candidate="\\sqrt{8}", reference="2\\sqrt{2}", facts={}))
    start = time.perf_counter()
    said = [
        verifier.check(AnswerCheck(candidate=a, reference=b, facts={"assumptions": assumed})).outcome.value
        for a, b, assumed in pairs
    ]
    end = time.perf_counter()
    verifier.close()
    return end - begun, end - start, said


def theirs(pairs: list[tuple[str, str, dict[str, str]]], peers: Path) -> tuple[float, list[bool | None]]:
    """Seconds of Math-Verify, its own start left out, and its verdicts."""
    asked = json.dumps([[reference, candidate] for candidate, reference, _ in pairs])
    done = subprocess.run([peers / "bin" / "python", STEP], input=asked, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return sum(one["seconds"] for one in found), [one["correct"] for one in found]


def tally(name: str, accepted: list[bool], decided: list[bool], right: list[str]) -> int:
    """Prints the errors of both kinds, and returns how many wrong answers were accepted."""
    false_accepts = sum(yes and want == "incorrect" for yes, want in zip(accepted, right, strict=True))
    doubtful = sum(yes and want == "review" for yes, want in zip(accepted, right, strict=True))
    false_rejects = sum(no and want == "correct" for no, want in zip(decided, right, strict=True))
    missed = sum(not yes and want == "correct" for yes, want in zip(accepted, right, strict=True)) - false_rejects
    print(
        f"  {name:12} wrong answers accepted {false_accepts:3}   doubtful ones accepted {doubtful:3}   "
        f"right answers rejected {false_rejects:3}   left to a person {missed:3}"
    )
    return false_accepts + doubtful


def main() -> int:
    """Runs both on both sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", type=Path)
    peers = parser.parse_args().peers
    ordinary = bank()
    rows: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(PAIRS.read_text("utf-8"))
    hard = [(row["candidate"], row["reference"], dict(row.get("assumptions", {}))) for row in rows]
    sets: tuple[tuple[str, list[tuple[str, str, dict[str, str]]], list[str]], ...] = (
        (
            f"{len(ordinary)} ordinary pairs",
            [(a, b, {}) for a, b, _ in ordinary],
            ["correct" if yes else "incorrect" for *_, yes in ordinary],
        ),
        (f"{len(hard)} pairs that break checkers", hard, [row["outcome"] for row in rows]),
    )
    wrong = 0
    ratios: list[float] = []
    for title, pairs, right in sets:
        whole, checking, said = ours(pairs)
        print(f"{title}\n  conformed    {whole:6.2f} s with its worker's start, {checking:6.2f} s without")
        wrong += tally("conformed", [one == "correct" for one in said], [one == "incorrect" for one in said], right)
        if peers is not None:
            seconds, verdicts = theirs(pairs, peers)
            print(
                f"  Math-Verify  {seconds:6.2f} s, its start left out: {seconds / whole:.1f} times ours with the start, {seconds / checking:.1f} without"
            )
            tally("Math-Verify", [one is True for one in verdicts], [one is False for one in verdicts], right)
            ratios.append(seconds / whole)
    if peers is None:
        print("Math-Verify was not measured: give --peers.")
    return int(wrong > 0 or any(ratio < LEAST_RATIO for ratio in ratios[:1]))


if __name__ == "__main__":
    sys.exit(main())
