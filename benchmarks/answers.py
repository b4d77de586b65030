"""What an answer costs: extraction, normalisation and numeric verification, against Math-Verify on the same answers in the same run.

    python benchmarks/answers.py [--peers PEERS]

PEERS is an environment with ``benchmarks/peers/math_verify.txt`` installed; without it only our own time is measured. Exits 1
when an answer costs more than 20 microseconds, or less than 70 times less than with Math-Verify.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from conformed.evaluation.answers import extract_final
from conformed_plugins.verifiers.numeric import verify_numeric

MOST_MICROSECONDS, LEAST_RATIO, ROUNDS = 20.0, 70.0, 5
STEP = Path(__file__).parent / "peers" / "math_verify_step.py"
WORKING = "Debt of 812.5 over earnings of 250 is the ratio that clause 4 asks for; see the table above.\n"


def answers() -> list[tuple[str, str]]:
    """Four hundred answers with their references: whole numbers, groups, decimals, fractions; half of them right."""
    found = []
    for n in range(1, 101):
        found += [
            (f"{n},{n:03}", f"{n * 1000 + n}"),
            (f"{n}.{n:02}0", f"{n}.{n:02}"),
            (f"{2 * n}/{n + 7}", f"{2 * n + 1}/{n + 7}"),
            (f"-{n}.5", f"{n}.5"),
        ]
    return found


def ours(pairs: list[tuple[str, str]]) -> float:
    """Seconds an answer, from a response of some lines to the outcome."""
    responses = [(WORKING * 3 + f"<final>{answer}</final>\n", reference) for answer, reference in pairs]
    start = time.perf_counter()
    for response, reference in responses:
        answer, _code = extract_final(response)
        verify_numeric(answer or "", reference)
    return (time.perf_counter() - start) / len(responses)


def theirs(pairs: list[tuple[str, str]], peers: Path) -> float:
    """Seconds an answer with Math-Verify, which is given the bare answer: it need not find it."""
    asked = json.dumps([[reference, answer] for answer, reference in pairs])
    done = subprocess.run([peers / "bin" / "python", STEP], input=asked, capture_output=True, text=True, check=True)
    return statistics.fmean(one["seconds"] for one in json.loads(done.stdout))


def main() -> int:
    """Measures in turns, so that a busy machine slows both alike."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", type=Path)
    peers = parser.parse_args().peers
    pairs = answers()
    ours(pairs)
    rounds = [(ours(pairs), theirs(pairs, peers) if peers else None) for _ in range(ROUNDS)]
    micro = statistics.median(mine for mine, _ in rounds) * 1e6
    print(f"extraction, normalisation and numeric verification  {micro:8.1f} us an answer (at most {MOST_MICROSECONDS:.0f})")
    if peers is None:
        print("Math-Verify was not measured: give --peers.")
        return int(micro > MOST_MICROSECONDS)
    ratio = statistics.median(other / mine for mine, other in rounds if other is not None)
    print(
        f"Math-Verify                                         {statistics.median(o for _, o in rounds if o) * 1e6:8.1f} us an answer"
    )
    print(f"ratio {ratio:.0f} (at least {LEAST_RATIO:.0f})")
    return int(micro > MOST_MICROSECONDS or ratio < LEAST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
