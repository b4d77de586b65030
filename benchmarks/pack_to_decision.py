"""A whole run of a pack, from its files to the decision in the log, against the raw pdfium text of its PDFs.

    python benchmarks/pack_to_decision.py [PACK ...]

Without a pack: the two samples whose agreement is a PDF. Both sides run in this process, in turns, so that a busy machine
slows both alike; the run starts a child process for each PDF, as it always does. The ratio is what counts: a run also reads
the other formats, builds trees, extracts, decides, calculates, checks, drafts and writes the log to the disk.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    """Wall time of some work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def raw_text(files: list[Path]) -> int:
    """The text of every page of some PDFs; gives the number of pages."""
    import pypdfium2

    pages = 0
    for file in files:
        document = pypdfium2.PdfDocument(file)
        for page in document:
            text = page.get_textpage()
            text.get_text_range()
            text.close()
            page.close()
            pages += 1
        document.close()
    return pages


def measured(pack: Path, bank: Path) -> None:
    """Measures one pack and prints its lines."""
    from conformed.app.options import RunOptions
    from conformed.app.service import Service
    from conformed.app.workspace import Workspace

    service = Service(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})
    files, steps, last = sorted(pack.glob("*.pdf")), defaultdict(list), ["", 0.0]

    def told(step: str, *_counts: int) -> None:
        now = time.perf_counter()
        if last[0]:
            steps[last[0]].append(now - last[1])
        last[:] = ["" if step == "end" else step.partition(" ")[0], now]

    def run() -> None:
        service.run(pack, RunOptions(), told)
        told("end")

    pages = raw_text(files)
    run()
    steps.clear()
    pairs = [(seconds(lambda: raw_text(files)), seconds(run)) for _ in range(ROUNDS)]
    raw, whole = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"{pack.name}: {len(files)} PDFs, {pages} pages")
    print(f"  raw pdfium text  {raw * 1000:7.0f} ms")
    print(f"  whole run        {whole * 1000:7.0f} ms   ratio {ratio:.1f}")
    print("  of it            " + ", ".join(f"{name} {sum(times) * 1000 / ROUNDS:.0f} ms" for name, times in steps.items()))


def main() -> int:
    """Measures every pack in a workspace that is thrown away."""
    packs = [Path(word) for word in sys.argv[1:]] or [ROOT / "casefiles" / name for name in ("marlow-pass", "kestrel-breach")]
    with tempfile.TemporaryDirectory() as folder:
        bank = Path(folder)
        shutil.copytree(ROOT / "policies", bank / "policies")
        for pack in packs:
            measured(pack, bank)
    return 0


if __name__ == "__main__":
    sys.exit(main())
