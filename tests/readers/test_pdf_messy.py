"""Real awkward files: each is read, or refused by name, within time and memory, and always the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformed.model.document import Document, Refusal
from conformed_plugins.readers.pdf import PdfReader

_PLACES = [Path(os.environ.get("CONFORMED_SHARED", "")), Path(__file__).parents[2].parent / "shared"]
FOLDER = next((place / "casebank" / "messy-pdfs" for place in _PLACES if (place / "casebank" / "messy-pdfs").is_dir()), None)
FILES = sorted(FOLDER.glob("*.pdf")) if FOLDER else []
READER = PdfReader(ocr=False)


WEIGH = """
import json, pathlib, resource, sys, time
from conformed_plugins.readers.pdf import PdfReader
reader = PdfReader(ocr=False)
for path in sys.argv[1:]:
    data = pathlib.Path(path).read_bytes()
    begun = time.monotonic()
    found = reader.read("pack/file.pdf", data)
    seconds = time.monotonic() - begun
    same = found == PdfReader(ocr=False).read("pack/file.pdf", data)
    code, words = getattr(found, "code", None), getattr(found, "text", "")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(json.dumps([seconds, same, code, getattr(found, "sentence", ""), len(words.split()), peak]))
"""


@pytest.fixture(scope="module")
def results() -> dict[str, list[Any]]:
    """Every file read twice in a process of its own, whose children's memory is nobody else's."""
    done = subprocess.run(
        [sys.executable, "-c", WEIGH, *map(str, FILES)], capture_output=True, check=True, text=True, stdin=subprocess.DEVNULL
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {path.name: line for path, line in zip(FILES, lines, strict=True)}


@pytest.mark.skipif(not FILES, reason="the folder of messy PDFs is not here")
@pytest.mark.skipif(os.name != "posix", reason="memory limits need POSIX")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messy_files_are_read_or_refused_within_bounds(path: Path, results: dict[str, list[Any]]) -> None:
    """A real awkward file ends in words or a named refusal within five seconds and 512 megabytes, twice the same."""
    seconds, same, code, sentence, words, peak = results[path.name]
    assert seconds < 5
    assert peak < 512
    assert same
    assert (code and sentence.startswith("pack/file.pdf ")) or words > 0


@pytest.mark.skipif(not FILES, reason="the folder of messy PDFs is not here")
def test_every_password_is_named() -> None:
    """Each file that asks for a password is refused as encrypted, and the one that only restricts is opened."""
    for path in FILES:
        found = READER.read(path.name, path.read_bytes())
        if "owner-password-only" in path.name:
            assert isinstance(found, Document)
            assert {note.code for note in found.notes} == {"restricted"}
        elif "password" in path.name:
            assert isinstance(found, Refusal)
            assert found.code == "encrypted"
