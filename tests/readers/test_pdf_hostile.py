"""Files that are damaged, locked or made to harm: each is read with a note, or refused by name, within its bounds."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformed.model.document import Document, Refusal
from conformed_plugins.readers import pdf_process
from conformed_plugins.readers.pdf import MOST_BYTES, PdfReader
from conformed_plugins.readers.pdf_process import Bounds, ChildError, Children

READER = PdfReader(ocr=False)


HELLO = b"BT /F1 12 Tf 72 700 Td (shall not exceed 3.50 to 1.00) Tj ET"


def file_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of some objects, the first of them the catalogue, with a true directory."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(body: bytes, keys: bytes = b"") -> bytes:
    """A stream object."""
    return b"<<" + keys + b"/Length %d>>\nstream\n" % len(body) + body + b"\nendstream"


def one_page(content: bytes = HELLO, keys: bytes = b"", font: bytes = b"") -> list[bytes]:
    """The objects of a file with one page: catalogue, tree, page, content, font."""
    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content, keys),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding" + font + b">>",
    ]


WHOLE = file_of(one_page())


def refused(data: bytes) -> Refusal:
    """The refusal, which must name the file, say what to do, and carry the hash."""
    found = READER.read("packs/case.pdf", data)
    assert isinstance(found, Refusal), found
    assert found.sentence.startswith("packs/case.pdf ")
    assert found.sha256 is not None
    return found


def read(data: bytes) -> Document:
    """The document, which must not be refused."""
    found = READER.read("packs/case.pdf", data)
    assert isinstance(found, Document), found
    return found


def codes(document: Document) -> set[str]:
    """The codes of a document's notes."""
    return {note.code for note in document.notes}


def test_a_whole_file_is_read_without_a_note() -> None:
    """The plain file from which the others are made is read, and nothing is said against it."""
    document = read(WHOLE)
    assert document.text == "shall not exceed 3.50 to 1.00"
    assert document.notes == ()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html><body>3.50 to 1.00</body></html>", "not_pdf"),
        (b"\0" * 2000, "not_pdf"),
        (WHOLE[: len(WHOLE) // 2], "truncated"),
        (WHOLE[:-40], "truncated"),
        (WHOLE + WHOLE[9:200], "truncated"),
        (b"%PDF-1.7\n%%EOF\n", "broken"),
        (WHOLE.replace(b"/Count 1", b"/Count 3"), "broken"),
    ],
    ids=["zero bytes", "web page", "no pdf", "half", "no end", "update cut off", "only a head", "pages missing"],
)
def test_damaged_files_are_refused_by_name(data: bytes, code: str) -> None:
    """Rows 18 and 19: what is no PDF or not a whole one is refused with its own code and a sentence with the mend."""
    assert refused(data).code == code


@pytest.mark.parametrize(
    "data",
    [
        WHOLE[: WHOLE.rfind(b"startxref")] + b"startxref\n77\n%%EOF\n",
        WHOLE[: WHOLE.rfind(b"startxref")] + b"%%EOF\n",
        WHOLE.replace(b"0000000009 00000 n", b"0000000019 00000 n"),
        WHOLE + b"\0garbage " * 400,
    ],
    ids=["wrong place", "no place", "wrong entry", "bytes after the end"],
)
def test_a_wrong_directory_is_told_of(data: bytes) -> None:
    """Row 17: a file that opens only after a repair is read and marked as repaired."""
    document = read(data)
    assert document.text == "shall not exceed 3.50 to 1.00"
    assert codes(document) == {"repaired"}


def test_a_ligature_is_letters_and_boxes_stay_in_step() -> None:
    """Row 3: the glyph fi gives the letters f and i, and the words after it keep their own rectangles."""
    objects = one_page(b"BT /F1 12 Tf 72 700 Td (con\256rmed 3.50) Tj ET")
    objects[4] = objects[4].replace(b"/WinAnsiEncoding", b"/StandardEncoding")
    data = file_of(objects)
    document = read(data)
    assert document.text == "confirmed 3.50"
    start = document.text.index("3.50")
    (span,) = READER.boxes(document, data, [document.span(start, start + 4)])
    (box,) = span.boxes
    assert 12500 < box.left < box.right < 15500


def test_locked_and_restricted_files() -> None:
    """Rows 15 and 16: a user password is refused as encrypted with the mend; an owner password alone is opened and told of."""
    pytest.importorskip("reportlab")
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen import canvas

    def made(user: str) -> bytes:
        out = io.BytesIO()
        sheet = canvas.Canvas(out, encrypt=StandardEncryption(user, ownerPassword="owner", strength=128))
        sheet.drawString(72, 700, "3.50 to 1.00")
        sheet.save()
        return out.getvalue()

    locked = refused(made("secret"))
    assert locked.code == "encrypted"
    assert "password" in locked.sentence
    document = read(made(""))
    assert document.text == "3.50 to 1.00"
    assert codes(document) == {"restricted"}


def test_too_many_pages_are_refused() -> None:
    """Row 21: a tree that names the same page 50,000 times is refused by its count."""
    objects = one_page()
    objects[1] = b"<</Type/Pages/Kids[" + b"3 0 R " * 50_000 + b"]/Count 50000>>"
    assert refused(file_of(objects)).code == "too_many_pages"


def test_a_page_that_comes_back_is_told_of() -> None:
    """A tree that names the same page a few times is read, and the difference in count is told."""
    objects = one_page()
    objects[1] = b"<</Type/Pages/Kids[3 0 R 3 0 R 3 0 R]/Count 3>>"
    assert "engines_disagree" in codes(read(file_of(objects)))


def test_a_tree_that_loops_is_refused() -> None:
    """A page tree that contains itself ends in a refusal."""
    objects = one_page()
    objects[1] = b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 5>>"
    assert refused(file_of(objects)).code == "broken"


READ_AND_WEIGH = """
import resource, sys, time
from conformed_plugins.readers.pdf import PdfReader
data = sys.stdin.buffer.read()
begun = time.monotonic()
found = PdfReader(ocr=False).read("case.pdf", data)
print(found.code, time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.skipif(os.name != "posix", reason="memory limits need POSIX")
@pytest.mark.parametrize("twice", [False, True])
def test_a_stream_that_inflates_to_300_megabytes_is_refused_within_bounds(twice: bool) -> None:
    """Row 20: a bomb ends in a refusal within five seconds, and the child never holds 512 megabytes."""
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(HELLO * 16_384) for _ in range(300)) + packer.flush()
    keys = b"/Filter/FlateDecode"
    if twice:
        bomb, keys = zlib.compress(bomb, 9), b"/Filter[/FlateDecode/FlateDecode]"
    data = file_of(one_page(bomb, keys))
    done = subprocess.run([sys.executable, "-c", READ_AND_WEIGH], input=data, capture_output=True, check=True)
    code, seconds, megabytes = done.stdout.split()
    assert code in {b"too_large", b"timeout", b"broken"}
    assert float(seconds) < 5
    assert int(megabytes) < 512


def test_a_child_that_takes_too_long_is_stopped() -> None:
    """A request that does not end within its time raises a timeout, soon, and leaves no child behind."""
    begun = time.monotonic()
    with pytest.raises(ChildError) as caught:
        Children().ask("a", WHOLE, {"do": "read", "most": 10}, Bounds(first=0.001))
    assert caught.value.code == "timeout"
    assert time.monotonic() - begun < 2


def test_an_answer_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that wants to hand over more than the parent takes is refused as too large."""
    monkeypatch.setattr(pdf_process, "MOST_ANSWER", 50)
    assert refused(WHOLE).code == "too_large"


def test_a_child_that_dies_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that crashes before it answers gives a refusal and no exception."""
    monkeypatch.setattr(pdf_process, "_START", "import os; os.kill(os.getpid(), 11)")
    assert refused(WHOLE).code == "broken"
    assert READER.image(read_elsewhere(), WHOLE, 1, 72) is None


def read_elsewhere() -> Document:
    """A document made without a child."""
    from conformed.model.document import Media, Page

    page = Page(number=1, start=0, end=4)
    digest = hashlib.sha256(WHOLE).hexdigest()
    return Document(name="x", sha256=digest, media=Media.PDF, reader="t", text="text", pages=(page,), paged=True)


def test_a_page_with_too_much_drawn_is_told_of() -> None:
    """Where too much is drawn to look at each thing, the page says that its words were not checked."""
    assert "marks_unchecked" in codes(read(file_of(one_page(HELLO + b" 0 0 5 5 re f" * 25_000))))


def test_a_file_too_large_is_refused_without_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file above the size limit is refused before any process is started."""
    monkeypatch.setattr(pdf_process, "_START", "raise SystemExit(1)")
    assert refused(bytes(MOST_BYTES + 1)).code == "too_large"


def test_accepts_by_content_and_by_name_only_in_doubt() -> None:
    """A PDF is accepted whatever its name; a file named .pdf is accepted so that it can be refused by name."""
    assert READER.accepts("letter.txt", WHOLE[:4096])
    assert READER.accepts("letter.PDF", b"")
    assert not READER.accepts("letter.txt", b"Dear Sir")


def test_the_child_starts_without_the_rest_of_the_product() -> None:
    """The child loads neither pydantic nor pdfplumber in order to read."""
    folder = str(Path(pdf_process.__file__).parent)
    program = (
        "import sys; sys.path.append(sys.argv[1]); import pdf_child.main, pdf_child.reading, pdf_child.boxes, pdf_child.tables; "
        "print(sorted({'pydantic', 'pdfplumber', 'conformed', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, folder], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_child_serves_one_file_and_goes_when_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests about the same file share a child, another file gets its own, and a child that went is replaced unseen."""
    started: list[int] = []
    real = subprocess.Popen

    def counted(*arguments: Any, **options: Any) -> Any:
        child = real(*arguments, **options)
        started.append(child.pid)
        return child

    monkeypatch.setattr(subprocess, "Popen", counted)
    reader = PdfReader(ocr=False)
    document = reader.read("a.pdf", WHOLE)
    assert isinstance(document, Document)
    spans = [document.span(0, 5)] * 3_000
    assert all(span.boxes for span in reader.boxes(document, WHOLE, spans))
    assert len(started) == 1
    os.kill(started[0], 15)
    assert reader.boxes(document, WHOLE, spans[:1])[0].boxes
    assert len(started) == 2
    assert isinstance(reader.read("b.pdf", file_of(one_page(HELLO + b" 0 g"))), Document)
    assert len(started) == 3
    reader = PdfReader()
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
