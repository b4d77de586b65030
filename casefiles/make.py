#!/usr/bin/env python3
"""Makes the sample packs, the same bytes on every run.

``python casefiles/make.py [PACK ...]`` writes them; ``--check`` writes nothing and says whether the committed files are
what the script makes. Needs the extra ``samples``. The parties, figures and words are invented. pack.yaml, expected.yaml
and README.md of each pack are kept by hand.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKS = {"harrow-review": "harrow", "kestrel-breach": "kestrel", "marlow-pass": "marlow", "tarn-not-tested": "tarn"}
BY_HAND = {"README.md", "expected.yaml", "pack.yaml"}
"""What a person keeps in each pack; the script leaves it alone."""

__all__ = ["PACKS", "check", "made", "same"]


def made(pack: str) -> dict[str, bytes]:
    """Every document of a pack as the script makes it."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    files: dict[str, bytes] = import_module(f"_writing.{PACKS[pack]}").files()
    return files


def contents(name: str, raw: bytes) -> object:
    """What a file says, whatever the compression library of the machine."""
    if name.endswith(".docx"):
        with zipfile.ZipFile(io.BytesIO(raw)) as box:
            return [(info.filename, info.date_time, box.read(info)) for info in box.infolist()]
    if name.endswith(".pdf"):
        import pypdfium2

        with pypdfium2.PdfDocument(raw) as document:
            return [page.get_textpage().get_text_bounded() for page in document]
    return raw


def same(name: str, first: bytes, second: bytes) -> bool:
    """Whether two files are equal: byte for byte or, where another zlib packed them, in all that they say."""
    return first == second or contents(name, first) == contents(name, second)


def check(pack: str, folder: Path) -> list[str]:
    """A sentence for each committed file that is not what the script makes."""
    want = made(pack)
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    have = {path.name: path.read_bytes() for path in paths if path.is_file() and path.name not in BY_HAND}
    told = [f"{pack}/{name}: missing; run casefiles/make.py {pack}" for name in sorted(want.keys() - have.keys())]
    told += [f"{pack}/{name}: not made by this script; remove it" for name in sorted(have.keys() - want.keys())]
    differ = [name for name in sorted(want.keys() & have.keys()) if not same(name, have[name], want[name])]
    return told + [f"{pack}/{name}: differs from what the script makes; run casefiles/make.py {pack}" for name in differ]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("packs", nargs="*", metavar="PACK", help=f"default: {', '.join(sorted(PACKS))}")
    parser.add_argument("--check", action="store_true", help="write nothing; compare with the committed files")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.packs) - PACKS.keys())
    if unknown:
        parser.error(f"no pack {unknown[0]!r}; one of {', '.join(sorted(PACKS))}")
    wrong = []
    for pack in sorted(chosen.packs or PACKS):
        folder = HERE / pack
        if chosen.check:
            wrong += check(pack, folder)
            continue
        folder.mkdir(exist_ok=True)
        for name, raw in sorted(made(pack).items()):
            (folder / name).write_bytes(raw)
        print(f"{pack}: {sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.2f} MB")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if chosen.check and not wrong:
        print("the committed packs are what the script makes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
