"""What a forger does to a bundle. What can be mended without the log's key is mended: manifest, list of contents, commitments."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Callable

from evidence_house import House, opened

from conformed_audit.checkpoint import Checkpoint
from conformed_audit.merkle import leaf_hash, root
from conformed_audit.note import Note, SigningKey

Files = dict[str, bytes]
RECORDS, PROOFS, NOTE = "log/records.jsonl", "log/proofs.txt", "log/checkpoint.note"


def packed(files: Files, *, mend: bool = True, mend_contents: bool = True) -> bytes:
    """A bundle of some files, with lists that fit them unless they are left as they were."""
    files = dict(files)
    lists = ("contents.sha256", "manifest.sha256")
    if mend_contents:
        files["contents.sha256"] = listed({n: d for n, d in files.items() if not n.startswith("log/") and n not in lists})
    if mend:
        files["manifest.sha256"] = listed({n: d for n, d in files.items() if n != "manifest.sha256"})
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in sorted(files):
            archive.writestr(name, files[name])
    return made.getvalue()


def listed(files: Files) -> bytes:
    """A list as sha256sum writes it."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def lines(files: Files, name: str, change: Callable[[list[bytes]], None]) -> None:
    """Changes the lines of a file."""
    rows = files[name].splitlines(keepends=True)
    change(rows)
    files[name] = b"".join(rows)


def edited_record(files: Files, _: House) -> None:
    """A record says another result."""
    assert b'"outcome":"accept"' in files[RECORDS]
    files[RECORDS] = files[RECORDS].replace(b'"outcome":"accept"', b'"outcome":"review"', 1)


def omitted_in_the_middle(files: Files, _: House) -> None:
    """A record in the middle is left out, with its proof."""
    for name in (RECORDS, PROOFS):
        lines(files, name, lambda rows: rows.pop(9))


def omitted_tail(files: Files, _: House) -> None:
    """The last record, that of the export, is left out, with its proof."""
    for name in (RECORDS, PROOFS):
        lines(files, name, lambda rows: rows.pop())


def omitted_before_the_tail(files: Files, _: House) -> None:
    """The record before the last one is left out: the tail is kept, so that the contents still seem to be named."""
    for name in (RECORDS, PROOFS):
        lines(files, name, lambda rows: rows.pop(-2))


def swapped_document(files: Files, _: House) -> None:
    """A document is another one."""
    name = "documents/0001-agreement.txt"
    files[name] = files[name].replace(b"3.75 to 1.00", b"4.75 to 1.00")


def altered_decision(files: Files, _: House) -> None:
    """The decision says something else."""
    assert b'"result":' in files["decision.json"]
    files["decision.json"] = re.sub(rb'"result":"[a-z_]+"', b'"result":"breach"', files["decision.json"])


def altered_trace(files: Files, _: House) -> None:
    """The calculation has another figure."""
    assert b"300000" in files["trace.json"]
    files["trace.json"] = files["trace.json"].replace(b"300000", b"200000")


def altered_trace_with_its_commitment(files: Files, _: House) -> None:
    """The calculation has another figure, and the list of commitments fits it."""
    altered_trace(files, _)

    def change(rows: list[bytes]) -> None:
        at = next(i for i, row in enumerate(rows) if row.endswith(b" trace.json\n"))
        salt = bytes.fromhex(rows[at].split()[1].decode())
        commit = hashlib.sha256(b"\x02" + salt + files["trace.json"]).hexdigest()
        rows[at] = f"sha256:{commit} {salt.hex()} trace.json\n".encode()

    lines(files, "commitments.txt", change)


def altered_copy(files: Files, _: House) -> None:
    """The conformed copy, which is rendered and stands in no record of the run, shows another level."""
    assert b"3.75" in files["conformed-copy.txt"]
    files["conformed-copy.txt"] = files["conformed-copy.txt"].replace(b"3.75", b"4.75")


def other_checkpoint(files: Files, house: House) -> None:
    """The checkpoint is an earlier one of the same log, rightly signed."""
    earlier = Checkpoint(house.origin, 20, bytes(32))
    note = Note(earlier.text).signed(house.signer)
    files[NOTE] = str(Note(note.text, (*note.signatures, note.cosigned(house.witness.key, 7)))).encode()


def wrong_key(files: Files, house: House) -> None:
    """The checkpoint is signed by a key of the forger's under the log's name, and the bundle names that key."""
    forger = SigningKey.make(house.origin, b"f" * 32)
    note = Note.parse(files[NOTE].decode())
    files[NOTE] = str(Note(note.text, tuple(s for s in note.signatures if s.name != house.origin)).signed(forger)).encode()
    files["log/keys.txt"] = f"{forger.key}\n{house.witness.key.key}\n".encode()


def forged_signature(files: Files, house: House) -> None:
    """The signature claims to be the log's key and is the forger's."""
    note = Note.parse(files[NOTE].decode())
    forged = SigningKey(house.signer.key, b"f" * 32)
    files[NOTE] = str(Note(note.text, tuple(s for s in note.signatures if s.name != house.origin)).signed(forged)).encode()


def no_cosignature(files: Files, house: House) -> None:
    """The witness's cosignature is taken away."""
    note = Note.parse(files[NOTE].decode())
    files[NOTE] = str(Note(note.text, tuple(s for s in note.signatures if s.name == house.origin))).encode()


def changed_time_of_cosignature(files: Files, house: House) -> None:
    """The witness's time is moved back."""
    note = Note.parse(files[NOTE].decode())
    moved = [
        type(s)(s.name, s.hash, (int.from_bytes(s.data[:8]) - 86_400).to_bytes(8) + s.data[8:]) if s.time is not None else s
        for s in note.signatures
    ]
    files[NOTE] = str(Note(note.text, tuple(moved))).encode()


def altered_proof(files: Files, _: House) -> None:
    """A proof has another hash in it."""

    def change(rows: list[bytes]) -> None:
        parts = rows[4].split()
        parts[-1] = bytes(reversed(parts[-1]))
        rows[4] = b" ".join(parts) + b"\n"

    lines(files, PROOFS, change)


def altered_place(files: Files, _: House) -> None:
    """A proof is for another place."""

    def change(rows: list[bytes]) -> None:
        at, _, rest = rows[4].partition(b" ")
        rows[4] = str(int(at) + 1).encode() + b" " + rest

    lines(files, PROOFS, change)


def extra_file(files: Files, _: House) -> None:
    """A document that was never given to the run lies among the others, in every list."""
    files["documents/0003-waiver.txt"] = b"The Lenders waive the covenant."


def extra_file_in_the_logs_part(files: Files, _: House) -> None:
    """A file that nobody recorded lies in the log's part."""
    files["log/opinion.txt"] = b"All is well."


def missing_file(files: Files, _: House) -> None:
    """A document is taken out, from every list."""
    del files["documents/0002-certificate.txt"]


def swapped_case(files: Files, house: House) -> None:
    """The log's part is that of another case of the same log, all of it true."""
    theirs = opened(house.export(house.other).data)
    mine = opened(house.export(house.ended).data)  # both under checkpoints of the same log
    files.clear()
    files.update({name: data for name, data in mine.items() if not name.startswith("log/")})
    files.update({name: data for name, data in theirs.items() if name.startswith("log/")})


def swapped_case_with_its_name(files: Files, house: House) -> None:
    """The same, and the bundle says that it is about that other case."""
    swapped_case(files, house)
    case = re.search(rb'"case":"(larch-[0-9a-f]+|fenwick-[0-9a-f]+)"', files[RECORDS])
    assert case is not None
    files["bundle.json"] = re.sub(rb'"case":"[^"]+"', case[0], files["bundle.json"])


def forged_heads(files: Files, _: House) -> None:
    """The tail is left out, and heads are made that fit what is left."""
    omitted_tail(files, _)
    last = leaf_hash(files[RECORDS].splitlines()[-1]).hex()
    case = re.search(rb'"case":"([^"]+)"', files["bundle.json"])
    assert case is not None
    line = f"{case[1].decode()} {len(files[RECORDS].splitlines())} {last}\n".encode()
    forged = root([leaf_hash(line)]).hex().encode()
    files["log/heads.json"] = re.sub(
        rb'"cases":\d+,"root":"[0-9a-f]+"', b'"cases":1,"root":"' + forged + b'"', files["log/heads.json"]
    )
    lines(files, "log/heads.txt", lambda rows: rows.__setitem__(1, b"0 1\n"))


OUT_OF_PLACE = "does not follow the one before|is out of place"
OTHER_CONTENTS = "the contents are not those that were recorded"
TAMPERINGS = {
    edited_record: "record 3 is not in the log",
    omitted_in_the_middle: OUT_OF_PLACE,
    omitted_tail: "records are left out",
    omitted_before_the_tail: OUT_OF_PLACE,
    swapped_document: OTHER_CONTENTS,
    altered_decision: OTHER_CONTENTS,
    altered_trace: OTHER_CONTENTS,
    altered_trace_with_its_commitment: OTHER_CONTENTS,
    altered_copy: OTHER_CONTENTS,
    other_checkpoint: "record 0 is not in the log|a place outside the log",
    wrong_key: "no signature by a key",
    forged_signature: "the signature of conformed.local",
    no_cosignature: "no cosignature",
    changed_time_of_cosignature: "the signature of witness.example",
    altered_proof: "record 4 is not in the log",
    altered_place: "record 4 is not in the log",
    extra_file: OTHER_CONTENTS,
    extra_file_in_the_logs_part: "a file too many",
    missing_file: OTHER_CONTENTS,
    swapped_case: OUT_OF_PLACE,
    swapped_case_with_its_name: OTHER_CONTENTS,
    forged_heads: "the record of heads",
}
"""What is done, and what both scripts say of it."""
