"""Gathering of a pack's files: folders, single files, archives, and hostile ones of each."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.engine.archive import ArchiveError, is_archive, members
from conformed.engine.gather import LIMITS, Gathered, Limits, gather
from conformed.errors import PackError


def put(root: Path, files: dict[str, bytes]) -> Path:
    """A folder with files."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def packed(files: dict[str, bytes] | list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of files; a list may name one twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return out.getvalue()


def office(body: bytes = b"<x/>") -> bytes:
    """A document that is a zip inside."""
    return packed({"[Content_Types].xml": b"<Types/>", "word/document.xml": body})


def names(gathered: Gathered) -> list[str]:
    """Names of the files taken."""
    return [file.name for file in gathered.files]


def codes(gathered: Gathered) -> dict[str, str]:
    """Codes of the refusals, by name."""
    for refusal in gathered.refusals:
        assert refusal.name in refusal.sentence
    return {refusal.name: refusal.code for refusal in gathered.refusals}


def test_a_folder_is_taken_whole_and_sorted(tmp_path: Path) -> None:
    """Files of a folder and its folders come sorted by name, with their bytes and hashes; hidden names are passed over."""
    put(
        tmp_path,
        {"b.txt": b"two", "a/z.txt": b"one", ".git/x": b"-", "_work/y.txt": b"-", "a/.DS_Store": b"-", "pack.yaml": b"pack: x\n"},
    )
    gathered = gather(tmp_path)
    assert names(gathered) == ["a/z.txt", "b.txt"]
    assert gathered.files[0].data == b"one"
    assert gathered.files[0].sha256 == hashlib.sha256(b"one").hexdigest()
    assert gathered.manifest == b"pack: x\n"
    assert gathered.name == tmp_path.name
    assert gathered.refusals == ()


def test_notes_about_a_pack_are_set_aside(tmp_path: Path) -> None:
    """README.md, SOURCE.md and expected.yaml are no candidates for evidence; other files of those formats are."""
    put(tmp_path, {"README.md": b"r", "SOURCE.md": b"s", "expected.yaml": b"e", "deed.md": b"d", "notes.yaml": b"n"})
    gathered = gather(tmp_path)
    assert names(gathered) == ["deed.md", "notes.yaml"]
    assert [file.name for file in gathered.aside] == ["README.md", "SOURCE.md", "expected.yaml"]


def test_a_single_document_is_a_pack(tmp_path: Path) -> None:
    """One file is a pack of its own, also where it is a zip inside, as a Word document is."""
    put(tmp_path, {"deed.txt": b"words", "deed.docx": office()})
    assert names(gather(tmp_path / "deed.txt")) == ["deed.txt"]
    assert gather(tmp_path / "deed.txt").name == "deed"
    assert names(gather(tmp_path / "deed.docx")) == ["deed.docx"]


def test_a_zip_is_a_pack_under_any_name(tmp_path: Path) -> None:
    """A zip is known by its bytes; the one folder that holds everything is left off, so that pack.yaml is found in it."""
    data = packed(
        {"mill/pack.yaml": b"pack: mill\n", "mill/b/deed.txt": b"words", "__MACOSX/mill/._deed": b"-", "mill/.DS_Store": b"-"}
    )
    gathered = gather(put(tmp_path, {"upload.bin": data}) / "upload.bin")
    assert names(gathered) == ["b/deed.txt"]
    assert gathered.manifest == b"pack: mill\n"


def test_a_zip_and_its_folder_give_the_same_files(tmp_path: Path) -> None:
    """A folder and a zip of it give the same names, bytes and hashes."""
    files = {"pack.yaml": b"pack: x\n", "a.txt": b"one", "c/b.txt": b"two"}
    one = gather(put(tmp_path / "x", files))
    two = gather(put(tmp_path / "y", {"x.zip": packed(files)}) / "x.zip")
    assert one == two


def test_a_zip_inside_a_folder_is_opened_one_level(tmp_path: Path) -> None:
    """Files of a zip in a folder are named after it; a zip inside that zip is refused by name and never opened."""
    inner = packed({"deep.txt": b"never"})
    gathered = gather(put(tmp_path, {"more.zip": packed({"deed.txt": b"words", "inner.zip": inner}), "base.txt": b"base"}))
    assert names(gathered) == ["base.txt", "more.zip/deed.txt"]
    assert codes(gathered) == {"more.zip/inner.zip": "nested_archive"}


def test_documents_stored_in_a_zip_do_not_make_it_one(tmp_path: Path) -> None:
    """A zip of Word documents, put in without compression, is a zip of documents, though their parts show through its bytes."""
    gathered = gather(
        put(tmp_path, {"p.zip": packed({"a.docx": office(), "b.docx": office(b"<y/>")}, zipfile.ZIP_STORED)}) / "p.zip"
    )
    assert names(gathered) == ["a.docx", "b.docx"]


def test_no_such_pack(tmp_path: Path) -> None:
    """A path where nothing is gives one sentence with the path and the mend."""
    with pytest.raises(PackError, match=r"There is no pack at .*gone\. Give the path") as caught:
        gather(tmp_path / "gone")
    assert caught.value.mend


@pytest.mark.parametrize("files", [{}, {"README.md": b"r"}, {".hidden": b"x", "_y": b"z"}, {"pack.yaml": b"pack: x\n"}])
def test_an_empty_pack(tmp_path: Path, files: dict[str, bytes]) -> None:
    """A pack without a document is refused, whatever notes lie in it."""
    with pytest.raises(PackError, match="holds no document"):
        gather(put(tmp_path, files))


def test_a_manifest_alone_or_misnamed_is_refused(tmp_path: Path) -> None:
    """The path of a manifest is no pack, and a manifest under a near name is not passed over in silence."""
    put(tmp_path, {"pack.yaml": b"pack: x\n", "a.txt": b"x"})
    with pytest.raises(PackError, match="Give the folder"):
        gather(tmp_path / "pack.yaml")
    put(tmp_path / "2", {"Pack.yml": b"pack: x\n", "a.txt": b"x"})
    with pytest.raises(PackError, match=r"'Pack\.yml'.*Rename it to pack\.yaml"):
        gather(tmp_path / "2")


@pytest.mark.parametrize(
    ("one", "two"), [("Deed.txt", "deed.TXT"), ("caf\u00e9.txt", "cafe\u0301.txt"), ("stra\u00dfe.txt", "STRASSE.txt")]
)
def test_two_documents_of_one_name(tmp_path: Path, one: str, two: str) -> None:
    """Names that a person or another system cannot tell apart are an error that says both."""
    with pytest.raises(PackError, match="same name") as caught:
        gather(put(tmp_path, {one: b"a", two: b"b"}))
    assert repr(one) in caught.value.found
    assert repr(two) in caught.value.found


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("pair", [("deed.txt", "deed.txt"), ("Deed.txt", "deed.txt"), ("a/./deed.txt", "a/deed.txt")])
def test_two_members_of_one_name(tmp_path: Path, pair: tuple[str, str]) -> None:
    """An archive that holds two documents of one name is refused as a whole."""
    data = packed([(pair[0], b"4.00"), (pair[1], b"3.50")])
    with pytest.raises(PackError, match=r"p\.zip: .*same name"):
        gather(put(tmp_path, {"p.zip": data}) / "p.zip")


@pytest.mark.parametrize(
    "name",
    [
        "../deed.txt",
        "a/../../deed.txt",
        "/etc/deed.txt",
        "C:\\deed.txt",
        "..\\deed.txt",
        "\\\\host\\deed.txt",
        "a/..",
        "line\nbreak.txt",
    ],
)
def test_paths_that_lead_out_of_an_archive(tmp_path: Path, name: str) -> None:
    """A member whose path is absolute, leads upwards, or cannot be shown makes the archive untrustworthy."""
    data = packed({"good.txt": b"x", name: b"y"})
    with pytest.raises(PackError, match=r"p\.zip: The archive holds") as caught:
        gather(put(tmp_path, {"p.zip": data}) / "p.zip")
    assert caught.value.mend
    assert "\n" not in str(caught.value)


def linked(target: str = "/etc/passwd") -> bytes:
    """A zip that holds a link."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("deed.txt")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, target)
    return out.getvalue()


def test_links_in_an_archive(tmp_path: Path) -> None:
    """A link inside an archive is refused and never followed."""
    with pytest.raises(PackError, match=r"holds the link 'deed\.txt'"):
        gather(put(tmp_path, {"p.zip": linked()}) / "p.zip")


@pytest.mark.parametrize(
    "build",
    [
        lambda: packed({"big.txt": b"\0" * 80_000_000}),
        lambda: packed({f"{n}.txt": b"0" * 8_000_000 for n in range(9)}),
        lambda: packed({f"{n}.txt": b"x" for n in range(600)}),
        lambda: packed({f"{n}.txt": b"x" for n in range(3000)}),
    ],
)
def test_bombs(tmp_path: Path, build: object) -> None:
    """Too many members, too many bytes or a ratio that only bombs have: refused while bytes come out, in bounded time."""
    assert callable(build)
    put(tmp_path, {"p.zip": build()})
    begun = time.process_time()
    with pytest.raises(PackError, match=r"p\.zip: The archive (holds|lists)"):
        gather(tmp_path / "p.zip", limits=Limits(total_bytes=16_000_000))
    assert time.process_time() - begun < 3


def test_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    """Caps hold on what comes out, not on what the directory says."""
    data = bytearray(packed({"deed.txt": b"w" * 3_000_000}))
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)
    gathered = gather(put(tmp_path, {"p.zip": bytes(data)}) / "p.zip", limits=Limits(total_bytes=4_000_000))
    assert all(len(file.data) <= 10 for file in gathered.files)
    assert codes(gathered) == {"deed.txt": "broken"}


def test_one_bad_member_leaves_the_rest_unharmed(tmp_path: Path) -> None:
    """A member with a password and one with a broken checksum are refused alone."""
    data = bytearray(packed([("a.txt", b"alpha"), ("b.txt", b"beta beta"), ("c.txt", b"gamma")], zipfile.ZIP_STORED))
    data[data.index(b"beta")] ^= 1
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1
    gathered = gather(put(tmp_path, {"p.zip": bytes(data)}) / "p.zip")
    assert names(gathered) == ["a.txt"]
    assert codes(gathered) == {"b.txt": "broken", "c.txt": "encrypted"}


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (linked(), "link"),
        (packed({"../x": b"y"}), "path"),
        (packed({"z": b"\0" * 5_000_000}), "bomb"),
        (b"PK\x03\x04 cut", "broken"),
    ],
)
def test_a_hostile_zip_in_a_folder_is_refused_alone(tmp_path: Path, bad: bytes, code: str) -> None:
    """A hostile archive among the files is refused by name, with its hash; the other documents are read."""
    gathered = gather(put(tmp_path, {"more.zip": bad, "deed.txt": b"words"}))
    assert names(gathered) == ["deed.txt"]
    assert codes(gathered) == {"more.zip": code}
    assert gathered.refusals[0].sha256 == hashlib.sha256(bad).hexdigest()


def test_links_in_a_folder_are_refused(tmp_path: Path) -> None:
    """Links to files and to folders are named and never followed, wherever they lead."""
    put(tmp_path / "out", {"secret.txt": b"s"})
    root = put(tmp_path / "pack", {"deed.txt": b"words"})
    (root / "l.txt").symlink_to(tmp_path / "out" / "secret.txt")
    (root / "d").symlink_to(tmp_path / "out")
    (root / "self").symlink_to(root)
    gathered = gather(root)
    assert names(gathered) == ["deed.txt"]
    assert codes(gathered) == {"d": "link", "l.txt": "link", "self": "link"}


def test_a_pipe_does_not_hold_the_run(tmp_path: Path) -> None:
    """A pipe in place of a document is refused at once."""
    put(tmp_path, {"deed.txt": b"words"})
    os.mkfifo(tmp_path / "pipe.txt")
    assert codes(gather(tmp_path)) == {"pipe.txt": "not_a_file"}


def test_sizes_and_counts(tmp_path: Path) -> None:
    """A file over its cap and a file without bytes are refused alone; too many files are an error."""
    put(tmp_path, {"a.txt": b"x" * 100, "b.txt": b"x" * 101, "c.txt": b""})
    gathered = gather(tmp_path, limits=Limits(file_bytes=100))
    assert names(gathered) == ["a.txt"]
    assert codes(gathered) == {"b.txt": "too_large", "c.txt": "empty"}
    with pytest.raises(PackError, match="more than 2 files"):
        gather(tmp_path, limits=Limits(files=2))


def test_the_total_is_capped(tmp_path: Path) -> None:
    """All files together stay under the total, in the order of their names."""
    put(tmp_path, {"a.txt": b"x" * 60, "b.txt": b"x" * 60, "c.txt": b"x" * 40})
    assert names(gather(tmp_path, limits=Limits(total_bytes=100))) == ["a.txt", "c.txt"]


def test_names_that_cannot_be_shown(tmp_path: Path) -> None:
    """A name with control characters or broken bytes is refused in a form that can be printed."""
    put(tmp_path, {"deed.txt": b"words", "ev\x1b[2Jil.txt": b"x"})
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt"))).write_bytes(b"x")
    gathered = gather(tmp_path)
    assert names(gathered) == ["deed.txt"]
    assert set(codes(gathered).values()) == {"bad_name"}
    assert all(refusal.name.isprintable() for refusal in gathered.refusals)


@given(st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=20)), max_size=5), st.integers(0, 400), st.integers(0, 255))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_no_archive_raises_anything_else(files: list[tuple[str, bytes]], at: int, value: int) -> None:
    """Archives with any names, and with any one byte changed, give members or an error of ours, and nothing is named outside."""
    try:
        data = bytearray(packed([(name, body) for name, body in files if "\0" not in name]))
    except (UnicodeEncodeError, ValueError):
        return
    if at < len(data):
        data[at] = value

    try:
        found = list(members(bytes(data), LIMITS, 1000)) if is_archive(bytes(data)) else []
    except ArchiveError:
        return
    for member in found:
        assert member.name
        assert ".." not in member.name.split("/")
        assert not member.name.startswith("/")
        assert (member.data is None) == (member.refusal is not None)
