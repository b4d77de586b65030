"""How long ``conformed --help`` takes, as a ratio to ``python -c "import typer, pydantic"`` in the same run.

    python benchmarks/cli_start.py [ROUNDS]

Prints the two medians and their ratio, and which heavy libraries the help pulled in. Exits 1 when the ratio is above 1.5
or a heavy library was imported. An absolute time alone would say more of the machine than of the program.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

GATE = 1.5
HEAVY = ("torch", "transformers", "sympy", "pdfplumber", "pypdfium2", "sqlmodel", "sqlalchemy", "lxml", "ruamel", "jinja2", "PIL")
PEER = [sys.executable, "-c", "import typer, pydantic"]
OURS = [sys.executable, "-c", "from conformed.cli.entry import run_command_line as r; raise SystemExit(r(['--help']))"]
PULLED = (
    "import sys; from conformed.cli.entry import run_command_line as r; r(['--help']); "
    f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
)


def seconds(command: Sequence[str]) -> float:
    """Wall time of one process."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    """Measures in turns, so that a busy machine slows both alike."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    seconds(PEER), seconds(OURS)  # both once, so that neither pays for the first read from disk
    pairs = [(seconds(PEER), seconds(OURS)) for _ in range(rounds)]
    peer, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    pulled = subprocess.run([sys.executable, "-c", PULLED], capture_output=True, text=True, check=True).stderr.strip()
    print(f"import typer, pydantic  {peer * 1000:6.0f} ms")
    print(f"conformed --help        {ours * 1000:6.0f} ms   ratio {ratio:.2f} (gate {GATE})")
    print(f"heavy libraries pulled in: {pulled}")
    return 0 if ratio <= GATE and pulled == "[]" else 1


if __name__ == "__main__":
    sys.exit(main())
