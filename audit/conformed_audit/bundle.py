"""Evidence bundles: what the log says of one case, in files that anybody can check without this package.

The files of the log's part: the case's records, byte for byte; the proof that each is in the tree; a checkpoint with every
signature there is; and the log's own record of all heads, with the proof that the case's last record is the head that it
names, so that a record that was left out is noticed. Everything else in a bundle is named by one record of the case,
``evidence.exported``, through the digest of a list (`contents_list`).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from conformed_audit.checkpoint_table import AcknowledgementRow, CheckpointRow
from conformed_audit.errors import BundleError, NoteError, TamperedError
from conformed_audit.heads import heads_line, heads_root
from conformed_audit.log import AuditLog
from conformed_audit.merkle import leaf_hash, root
from conformed_audit.note import Note, Signature, VerifyKey
from conformed_audit.record import Kind, Record
from conformed_audit.tree import inclusion_path

__all__ = ["CONTENTS", "MANIFEST", "bundle_bytes", "contents_list", "log_files"]

CONTENTS = "contents.sha256"
"""The list of what the record of the export names: every file outside ``log/`` but itself and the manifest."""
MANIFEST = "manifest.sha256"
"""The list of every file but itself, as ``sha256sum`` writes and reads it."""
_MADE = (1980, 1, 1, 0, 0, 0)
_FILE = 0o100644 << 16
_UNIX = 3
_DASH = "\u2014 "


def contents_list(files: Mapping[str, bytes]) -> bytes:
    """One line a file, sorted by name: SHA-256 in hex, two spaces, the name.

    Args:
        files: names, of letters, digits, dots, dashes, underscores and slashes, with their bytes.

    Raises:
        BundleError: for a name that may not stand in a bundle.
    """
    for name in files:
        parts = name.split("/")
        plain = all(part and not set(part) <= {"."} and set(part) <= _PLAIN for part in parts)
        if not plain:
            raise BundleError(f"{name!a} may not name a file of a bundle.", "Use letters, digits, dots, dashes and slashes.")
    return "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def bundle_bytes(contents: Mapping[str, bytes], log_part: Mapping[str, bytes]) -> bytes:
    """The bundle as a ZIP file: the same files give the same bytes, on every machine.

    Nothing is compressed: what compression gives differs between versions of its library.

    Args:
        contents: the files that the record of the export names.
        log_part: what `log_files` gives.

    Raises:
        BundleError: for a name that may not stand in a bundle, or that stands in both parts.
    """
    files = {**contents, CONTENTS: contents_list(contents), **log_part}
    if len(files) != len(contents) + 1 + len(log_part):
        raise BundleError("A file stands twice in the bundle.", "Give each file a name of its own.")
    files[MANIFEST] = contents_list(files)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _MADE)
            entry.create_system, entry.external_attr = _UNIX, _FILE
            archive.writestr(entry, files[name])
    return made.getvalue()


def log_files(log: AuditLog, case: str, keys: Iterable[VerifyKey]) -> dict[str, bytes]:
    """The log's part of a bundle, as of the last checkpoint.

    Args:
        log: the log, published after the last record of the case that is to be in the bundle.
        case: the case.
        keys: public keys of log and witnesses, to be compared with keys that were got elsewhere.

    Raises:
        BundleError: when there is no checkpoint, or it covers no record of the case.
        TamperedError: when the log is not what it should be.
    """
    row = log.store.checkpoints.last()
    if row is None:
        raise BundleError("The log has no checkpoint yet, so nothing shows what is in it.", "Publish it first.")
    records = [record for record in log.records(case) if 0 <= record.idx < row.size]
    if not records:
        raise BundleError(f"The last checkpoint covers no record of case {case!a}.", "Publish the log first.")
    said = log.store.checkpoints.acknowledged(row.size)
    tree = log.tree(row.size)
    proofs = [_line(r.idx, *tree.inclusion(r.idx)) for r in records]
    return {
        "log/acknowledgements.txt": _acknowledged(said),
        "log/checkpoint.note": _note(row, said),
        "log/heads.json": (heads := _heads(log, row)).body,
        "log/heads.txt": (_line(heads.idx, *tree.inclusion(heads.idx)) + _branch(log, heads, row, records[-1])).encode(),
        "log/keys.txt": "".join(f"{key}\n" for key in sorted(map(str, keys))).encode(),
        "log/proofs.txt": "".join(proofs).encode(),
        "log/records.jsonl": b"".join(record.body + b"\n" for record in records),
    }


def _heads(log: AuditLog, row: CheckpointRow) -> Record:
    """The last record under a checkpoint, which is always the one of all heads."""
    record = next(log.records_from(row.size - 1), None)
    if record is None or record.kind != Kind.LOG_HEADS:
        raise TamperedError("The last record under the checkpoint is not the one of all heads.", "Verify the log.")
    return record


def _branch(log: AuditLog, heads: Record, row: CheckpointRow, last: Record) -> str:
    """Place of the case's line among the heads, number of cases, and the proof."""
    then = {state.case: (state.cseq, state.head) for state in log.store.states()}
    for record in reversed([*log.records_from(heads.idx)]):  # what came after the heads is taken back
        then[record.case] = (record.cseq - 1, bytes.fromhex(record.prev))
    rows = [(case, cseq, head) for case, (cseq, head) in then.items() if cseq >= 0]
    lines = sorted(heads_line(*one) for one in rows)
    mine = heads_line(last.case, last.cseq, bytes.fromhex(last.leaf))
    if heads_root(rows) != row.heads_root or mine not in lines:
        raise TamperedError("The heads of the cases are not those that the log recorded.", "Verify the log.")
    hashes = [leaf_hash(line) for line in lines]
    at = lines.index(mine)
    path = inclusion_path(lambda level, index: root(hashes[index << level : (index + 1) << level]), at, len(hashes))
    return _line(at, len(hashes), *path)


def _note(row: CheckpointRow, said: Sequence[AcknowledgementRow]) -> bytes:
    """The checkpoint with the cosignatures that witnesses gave."""
    note = Note.parse(row.note)
    lines = [line for one in said for line in one.line.splitlines() if line.startswith(_DASH)]
    try:
        return str(Note(note.text, (*note.signatures, *map(Signature.parse, lines)))).encode()
    except NoteError as problem:
        raise TamperedError(f"A cosignature in the log cannot be read: {problem}", "Verify the log.") from problem


def _acknowledged(said: Sequence[AcknowledgementRow]) -> bytes:
    """What each sink said of the checkpoint, a line each; not signed, so that it proves nothing by itself."""
    return "".join(f"{one.got_at} {one.sink}: {' '.join(one.line.split()) or 'has it'}\n" for one in said).encode()


def _line(*parts: int | bytes) -> str:
    return " ".join(part.hex() if isinstance(part, bytes) else str(part) for part in parts) + "\n"
