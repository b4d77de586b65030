"""The log's part of an evidence bundle: when there is none, which names may stand in it, and that heads are those of the moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conformed_audit import AuditLog, Kind, RecordDraft
from conformed_audit.bundle import bundle_bytes, contents_list, log_files
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.errors import BundleError
from conformed_audit.heads import heads_line
from conformed_audit.merkle import leaf_hash
from conformed_audit.note import SigningKey
from conformed_audit.publish import Publisher
from conformed_audit.tree import included

KEY = SigningKey.make("bank.example/test", b"k" * 32)


def publish(log: AuditLog, folder: Path) -> None:
    """Signs, and hands out to nobody."""
    Publisher(log, [KEY], SignerMemory(folder / "memory"), []).publish()


@pytest.mark.parametrize("name", ["../x", "a/../b", "/etc/passwd", "a//b", "", ".", "a b", "a\nb", "é.txt", "a\\b", "..."])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    """Nothing that is unpacked can lead out of its folder, or be written differently in a list of hashes."""
    with pytest.raises(BundleError, match="may not name a file"):
        contents_list({name: b""})


def test_a_name_in_both_parts_is_refused() -> None:
    """The contents cannot put a file of theirs in the place of the log's."""
    with pytest.raises(BundleError, match="twice"):
        bundle_bytes({"log/records.jsonl": b"mine"}, {"log/records.jsonl": b"the log's"})


def test_without_a_checkpoint_there_is_no_bundle(
    tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """Before the log was published, and for a case that the checkpoint does not cover, it is refused."""
    log = open_log(tmp_path / "log.db")
    log.append([draft("case-a")])
    with pytest.raises(BundleError, match="no checkpoint"):
        log_files(log, "case-a", [KEY.key])
    publish(log, tmp_path)
    log.append([draft("case-b")])
    with pytest.raises(BundleError, match="covers no record of case 'case-b'"):
        log_files(log, "case-b", [KEY.key])


def test_the_bundle_is_of_the_checkpoints_moment(
    tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """Records and cases that came after the checkpoint are left out of it, and the heads are still those that it covers."""
    log = open_log(tmp_path / "log.db")
    for case in ("case-a", "case-b", "case-a", "case-c"):
        log.append([draft(case)])
    publish(log, tmp_path)
    before = log_files(log, "case-a", [KEY.key])
    for case in ("case-a", "case-d", "case-b", "case-a"):
        log.append([draft(case)])
    assert log_files(log, "case-a", [KEY.key]) == before
    last = list(log.records("case-a"))[1]
    at, cases, *path = before["log/heads.txt"].decode().splitlines()[1].split()
    root = next(log.records("_log", kind=Kind.LOG_HEADS)).output[0].inline
    assert isinstance(root, dict)
    line = leaf_hash(heads_line("case-a", 1, bytes.fromhex(last.leaf)))
    assert cases == "3"
    assert included(line, int(at), int(cases), [bytes.fromhex(one) for one in path], bytes.fromhex(str(root["root"])))
