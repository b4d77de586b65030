"""Sealed content: unreadable and unguessable without the master key, found when it is changed or swapped."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_audit import AuditLog, Blob, RecordDraft, verify
from conformed_audit.errors import BlobError, SealError
from conformed_audit.sealing import MasterFile, MasterKey, seal, unseal

WORDS = b"The Borrower shall not permit the ratio to exceed 3.50 to 1.00, said the letter that nobody may read."
MASTER = MasterKey(b"m" * 32)


@pytest.fixture
def sealed(tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]) -> tuple[Path, Blob, Blob]:
    """A log with a sealed content in each of two cases, and a public one."""
    path = tmp_path / "sealed.db"
    log = open_log(path, keys=MASTER, entropy=secrets.token_bytes)
    blobs = [log.make_blob(WORDS, "text/plain") for _ in range(2)]
    log.append([draft("case-a")], blobs=[blobs[0], log.make_blob(b"a public filing", "text/html", public=True)])
    log.append([draft("case-b")], blobs=[blobs[1]])
    log.close()
    return path, blobs[0], blobs[1]


def raw(path: Path) -> bytes:
    """Every byte of the log's files."""
    return b"".join(one.read_bytes() for one in sorted(path.parent.glob(f"{path.name}*")))


def test_what_is_sealed_is_read_again(sealed: tuple[Path, Blob, Blob], open_log: Callable[..., AuditLog]) -> None:
    """With the master key the content and the salt of its commitment come back."""
    path, one, _ = sealed
    opened = open_log(path, keys=MASTER).open_blob(one.commit)
    assert (opened.data, opened.salt) == (WORDS, one.salt)


def test_the_file_alone_tells_nothing(sealed: tuple[Path, Blob, Blob], open_log: Callable[..., AuditLog]) -> None:
    """Neither content nor salt stands in the file, so a guess of the content cannot be confirmed; public content is plain."""
    path, one, two = sealed
    data = raw(path)
    assert one.salt is not None
    assert two.salt is not None
    assert WORDS not in data
    assert WORDS[:24] not in data
    assert one.salt not in data
    assert two.salt not in data
    assert b"a public filing" in data
    with pytest.raises(BlobError, match="is sealed"):
        open_log(path).get_blob(one.commit)


def test_each_case_has_a_key_of_its_own(sealed: tuple[Path, Blob, Blob], open_log: Callable[..., AuditLog]) -> None:
    """Destroying one case's key can leave the other's content readable."""
    path, one, two = sealed
    store = open_log(path).store
    rows = [store.blob(blob.commit) for blob in (one, two)]
    assert [row.key_ref for row in rows if row is not None] == ["case-a/1", "case-b/1"]


def test_verification_opens_what_it_has_the_key_of(sealed: tuple[Path, Blob, Blob]) -> None:
    """With the key every content is checked; without, form is checked and what was not opened is counted."""
    path, _, _ = sealed
    assert (verify(path, keys=MASTER).ok, verify(path, keys=MASTER).unopened) == (True, 0)
    assert (verify(path).ok, verify(path).unopened) == (True, 2)


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE blob SET ciphertext = zeroblob(length(ciphertext)) WHERE key_ref = 'case-a/1'", "blob"),
        ("UPDATE blob SET nonce = zeroblob(12) WHERE key_ref = 'case-a/1'", "blob"),
        ("UPDATE blob SET key_ref = 'case-b/1' WHERE key_ref = 'case-a/1'", "blob"),
        ("UPDATE data_key SET wrapped_key = (SELECT wrapped_key FROM data_key WHERE key_ref = 'case-b/1')", "data key"),
        ("UPDATE data_key SET wrapped_key = NULL, destroyed_at = 'now' WHERE key_ref = 'case-a/1'", "data key"),
    ],
)
def test_changed_sealed_content_is_found(
    sealed: tuple[Path, Blob, Blob], owner: Callable[..., None], statement: str, check: str
) -> None:
    """Ciphertext, nonce, key and the assignment of a content to its key: each change is found with the master key."""
    path, _, _ = sealed
    owner(path, statement)
    found = verify(path, keys=MASTER)
    assert not found.ok
    assert found.first_bad is not None
    assert found.first_bad.check == check


def test_swapped_contents_are_found(sealed: tuple[Path, Blob, Blob], owner: Callable[..., None]) -> None:
    """Two contents under one key that change places, salts and all, are found: what is sealed knows what it is about."""
    path, one, two = sealed
    columns = "salt, key_ref, nonce, ciphertext"
    owner(
        path,
        (
            f'UPDATE blob SET ({columns}) = (SELECT {columns} FROM blob WHERE "commit" = ?) WHERE "commit" = ?',
            (two.commit, one.commit),
        ),
    )
    assert not verify(path, keys=MASTER).ok


def test_another_master_key_opens_and_seals_nothing(
    sealed: tuple[Path, Blob, Blob], open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """A master key that is not the log's is refused before anything is sealed with it: it would be lost one day."""
    path, one, _ = sealed
    log = open_log(path, keys=MasterKey(b"x" * 32))
    with pytest.raises(SealError, match="does not open"):
        log.get_blob(one.commit)
    with pytest.raises(SealError, match="does not open"):
        log.append([draft("case-c")], blobs=[log.make_blob(WORDS, "text/plain")])
    assert len(list(log.records())) == 2


def test_a_log_without_keys_goes_on_with_them(
    tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """Content that was kept before there were keys is read as before; what comes after is sealed."""
    path = tmp_path / "older.db"
    with open_log(path) as log:
        older = log.put_blob(b"older words", "text/plain")
    with open_log(path, keys=MASTER) as log:
        newer = log.make_blob(b"newer words", "text/plain")
        log.append([draft()], blobs=[newer])
        assert [log.get_blob(commit) for commit in (older, newer.commit)] == [b"older words", b"newer words"]
    assert b"older words" in raw(path)
    assert b"newer words" not in raw(path)
    assert verify(path, keys=MASTER).ok


def test_a_failed_append_leaves_no_key(
    tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """A data key that was made in a transaction that failed is not used afterwards."""
    log = open_log(tmp_path / "log.db", keys=MASTER)
    log.append([draft(idem="once")])
    blob = log.make_blob(WORDS, "text/plain")
    with pytest.raises(Exception, match="already holds"):
        log.append([draft(idem="once")], blobs=[blob])
    log.append([draft()], blobs=[blob])
    assert log.get_blob(blob.commit) == WORDS


@given(plain=st.binary(max_size=300), at=st.integers(min_value=0), bit=st.integers(0, 7), about=st.text(max_size=20))
def test_one_bit_is_enough(plain: bytes, at: int, bit: int, about: str) -> None:
    """Any flipped bit of a sealed content, and any other subject, is noticed; as it is, it opens."""
    made = seal(plain, b"k" * 32, about, b"n" * 12)
    assert unseal(made, b"k" * 32, about) == plain
    data = bytearray(made.data)
    data[at % len(data)] ^= 1 << bit
    assert unseal(made._replace(data=bytes(data)), b"k" * 32, about) is None
    assert unseal(made, b"k" * 32, f"{about}.") is None


def test_the_master_key_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """The file is made at the first use with mode 0600, kept afterwards, and a reader makes none."""
    file = MasterFile(tmp_path / "state" / "master.key")
    with pytest.raises(SealError, match="cannot be read"):
        file.unwrap(b"x" * 60, "case/1")
    assert not file.path.exists()
    wrapped = file.wrap(b"d" * 32, "case/1")
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert MasterFile(file.path).unwrap(wrapped, "case/1") == b"d" * 32
    with pytest.raises(SealError, match="does not open"):
        file.unwrap(wrapped, "case/2")


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_an_exposed_master_key_is_refused(tmp_path: Path) -> None:
    """A key that others may read, or that is damaged, is refused with the mend."""
    path = tmp_path / "master.key"
    MasterFile(path).wrap(b"d" * 32, "case/1")
    path.chmod(0o640)
    with pytest.raises(SealError, match="chmod 600"):
        MasterFile(path).wrap(b"d" * 32, "case/1")
    path.chmod(0o600)
    path.write_text("short", encoding="ascii")
    with pytest.raises(SealError, match="cannot be read"):
        MasterFile(path).wrap(b"d" * 32, "case/1")


def test_the_key_is_never_printed() -> None:
    """A master key shows nothing of itself, in a traceback neither."""
    assert "6d6d" not in repr(MASTER)
    assert "mmm" not in repr(MASTER)
