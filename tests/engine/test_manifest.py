"""pack.yaml: what it may say, and how it is held against the files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from conformed.engine.gather import Gathered, gather
from conformed.engine.manifest import Evidence, check_manifest, load_manifest
from conformed.errors import PackError, PolicyError
from conformed.model.pack import Execution, InstrumentKind

WHOLE = b"""\
pack: mill
borrower: Mill and Weir Limited
test_date: 2024-03-31
known_at: '2024-05-01'
covenant: Leverage
section: '7.10'
no_election: true
fiscal_year_end: 12-31
documents:
- file: deed.txt
  kind: facility_agreement
  dated: 2023-01-05
  execution: executed
  effective_on: 2023-01-09
chain_complete: true
attested_by: an analyst
attestations:
- "executed as filed"
"""


def pack(root: Path, manifest: str = "", **files: str) -> Gathered:
    """A pack of text files whose names lose their dot."""
    for name, text in files.items():
        (root / f"{name}.txt").write_text(text)
    if manifest:
        (root / "pack.yaml").write_text(manifest)
    return gather(root)


def check(gathered: Gathered) -> Evidence:
    """The evidence under the pack's own manifest."""
    return check_manifest(load_manifest(gathered.manifest or b"pack: none\n"), gathered)


def test_every_field_is_read() -> None:
    """Dates are read with and without quotation marks; numbers that are names stay as written."""
    manifest = load_manifest(WHOLE)
    assert manifest.test_date == dt.date(2024, 3, 31)
    assert manifest.known_at == dt.date(2024, 5, 1)
    assert manifest.section == "7.10"
    assert manifest.fiscal_year_end == "12-31"
    (document,) = manifest.documents
    assert document.kind is InstrumentKind.FACILITY_AGREEMENT
    assert document.execution is Execution.EXECUTED
    assert document.effective_on == dt.date(2023, 1, 9)
    assert manifest.chain_complete
    assert manifest.no_election


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("test_date: 2024-02-30", "2024-02-30"),
        ("test_date: 31/03/2024", "31/03/2024"),
        ("test_date: 1711843200", "1711843200"),
        ("test_date: 2024-03-31T00:00:00", "2024-03-31T00:00:00"),
        ("test_date: [2024-03-31]", "test_date"),
        ("tset_date: 2024-03-31", "tset_date"),
        ("borrower: again", "borrower"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(line: str, said: str) -> None:
    """A date that is no date, an unknown key and a key given twice are refused with file, line and the words found."""
    with pytest.raises(PolicyError) as caught:
        load_manifest(f"borrower: Mill\n\n{line}\n".encode(), name="mill/pack.yaml")
    assert (caught.value.file, caught.value.line) == ("mill/pack.yaml", 3)
    assert said in str(caught.value)
    assert caught.value.mend


def test_without_a_list_every_file_is_evidence(tmp_path: Path) -> None:
    """A manifest that lists nothing leaves all files as evidence."""
    evidence = check(pack(tmp_path, "pack: x\n", a="1", b="2"))
    assert [file.name for file in evidence.files] == ["a.txt", "b.txt"]
    assert evidence.unlisted == ()


def test_with_a_list_only_it_is_evidence(tmp_path: Path) -> None:
    """Listed documents are the only evidence; what else lies in the pack is named, refused files too."""
    (tmp_path / "none.txt").write_bytes(b"")
    (tmp_path / "README.md").write_text("how this pack came about")
    evidence = check(pack(tmp_path, "documents:\n- file: b.txt\n", a="1", b="2", c="3"))
    assert [file.name for file in evidence.files] == ["b.txt"]
    assert evidence.unlisted == ("a.txt", "c.txt", "none.txt")
    assert evidence.refusals == ()


def test_a_note_is_evidence_where_it_is_listed(tmp_path: Path) -> None:
    """README.md and the like are evidence only when the manifest says so."""
    (tmp_path / "SOURCE.md").write_text("words")
    evidence = check(pack(tmp_path, "documents:\n- file: SOURCE.md\n", a="1"))
    assert [file.name for file in evidence.files] == ["SOURCE.md"]


def test_a_listed_file_that_was_refused_is_not_missing(tmp_path: Path) -> None:
    """A listed document without bytes stays a refusal: the run goes on and says so."""
    (tmp_path / "none.txt").write_bytes(b"")
    evidence = check(pack(tmp_path, "documents:\n- file: none.txt\n- file: a.txt\n", a="1"))
    assert [refusal.code for refusal in evidence.refusals] == ["empty"]


@pytest.mark.parametrize(
    ("listed", "mend"),
    [("gone.txt", "Put the file into the pack"), ("A.TXT", "Did you mean 'a.txt'?"), ("../a.txt", "Put the file")],
)
def test_a_listed_file_that_is_missing(tmp_path: Path, listed: str, mend: str) -> None:
    """A manifest that names a file that is not there is an error that says which, and what may have been meant."""
    with pytest.raises(PackError) as caught:
        check(pack(tmp_path, f"documents:\n- file: {listed}\n", a="1"))
    assert repr(listed) in caught.value.found
    assert caught.value.mend.startswith(mend)


def test_a_file_listed_twice(tmp_path: Path) -> None:
    """One document may not be attested twice."""
    with pytest.raises(PackError, match=r"lists 'a\.txt' twice"):
        check(pack(tmp_path, "documents:\n- file: a.txt\n- file: a.txt\n", a="1"))


def test_a_file_that_changed_since_it_was_attested(tmp_path: Path) -> None:
    """Where a hash is attested, other bytes under the name are refused; the same bytes pass, in either case of letters."""
    gathered = pack(tmp_path, "pack: x\n", a="first words")
    attested = f"documents:\n- file: a.txt\n  sha256: '{gathered.files[0].sha256.upper()}'\n"
    assert check(pack(tmp_path, attested)).files == gathered.files
    with pytest.raises(PackError, match=r"a\.txt has changed since it was attested") as caught:
        check(pack(tmp_path, attested, a="other words"))
    assert caught.value.mend


def test_the_digest_names_the_evidence(tmp_path: Path) -> None:
    """The digest changes with a byte, a name and the manifest, and not with a file that is no evidence."""
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    base = check(pack(first, "documents:\n- file: a.txt\n", a="1")).digest
    assert check(pack(first, b="2")).digest == base
    assert check(pack(first, a="2")).digest != base
    assert check(pack(first, "documents:\n- file: a.txt\n\n", a="1")).digest != base
    assert check(pack(second, "documents:\n- file: a.txt\n", a="1")).digest == base
    assert check(pack(second, "documents:\n- file: a.txt\n- file: b.txt\n", b="1")).digest != base
