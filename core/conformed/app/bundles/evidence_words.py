"""What a person reads first in an evidence bundle: what it is, how to check it without our software, what it does not prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformed.app.bundles.part import Part

__all__ = ["readme"]

_HOW = """EVIDENCE OF ONE RUN

Run          {run}
Case         {case}
Log          {origin}
Documents    {documents}
{gaps}
WHAT THIS IS

The complete audit records of one case, byte for byte, with the proof that each of them is in the log named above, and the
files that those records name: {named}.

HOW TO CHECK IT WITHOUT OUR SOFTWARE

1. Get the log's public key, and those of its witnesses, from somebody other than whoever gave you this file. Put them into
   a text file, one a line. The keys in log/keys.txt are there to be compared with them: alone they prove nothing.
2. Get verify.sh or verify.py from a place that you trust. Copies are in this file; a forged bundle could hold forged copies.
   Each is short enough to read.
3. Run one of them, or both:

       sh verify.sh THIS.zip KEYS          a POSIX shell, openssl 3, GNU coreutils and unzip
       python3 verify.py THIS.zip KEYS     Python 3.11, nothing else

   Each says HOLDS with the size of the checkpoint and the number of records, or DOES NOT HOLD and what does not.
{again}
What is checked: the checkpoint in log/checkpoint.note is signed by the log's key and cosigned by every witness whose key you
gave. Each line of log/records.jsonl hashes to a leaf of the tree that the checkpoint signs (RFC 6962; log/proofs.txt has the
paths), and names the record before it. The last record under the checkpoint, log/heads.json, holds the number of records of
every case: so a record that was left out is missed. The last record of the case names every other file here through
contents.sha256. Records name {committed} by commitments, SHA-256 of a byte 2, a salt and the content
(commitments.txt); the salt is given for what is in this file, so that you can check it, and for nothing else.

WHAT IT DOES NOT PROVE

{not_proved}- That nothing happened after the checkpoint. Ask for a later one, and for the proof that it begins with this one.
- That a log's operator and all of its witnesses did not forge it together. A witness in another house guards against that.
- When things happened, beyond the clocks of those who say so: a cosignature carries the witness's time. The lines in
  log/acknowledgements.txt are not signed; ask those whom they name.
- Who is behind a pseudonym: names of people never enter the log.

WHAT IS HERE

{files}
"""
_WHAT: Mapping[str, str] = {
    "bundle.json": "which case and run this is about",
    "commitments.txt": "commitment, salt (- for public content) and file, a line each",
    "contract.yaml": "the task contract under which the run was made",
    "run/registrations.json": "every plugin with its digest",
    "verify.py": "checks this file with the standard library of Python",
    "verify.sh": "checks this file with a shell and openssl",
}
"""What is in every bundle."""


def readme(
    part: Part, *, run: str, case: str, origin: str, documents: bool, erased: Sequence[str], papers: Mapping[str, str],
    files: Sequence[str],
) -> str:  # fmt: skip
    """The text.

    Args:
        part: what the application says of its part.
        run: the run.
        case: its case.
        origin: the log.
        documents: whether source documents are in the bundle.
        erased: what was erased, by name.
        papers: file in the bundle to the document's own name, escaped.
        files: every file that is described.
    """
    gaps = "".join(f"Erased       {name} (a record of the case says why)\n" for name in erased)
    told = {**_WHAT, **part.what}
    lines = [f"{name:24} {told[name] if name in told else papers.get(name, '')}".rstrip() for name in files]
    lines += [f"{'log/':24} the log's part: records, proofs, checkpoint, heads, keys, acknowledgements"]
    lines += [f"{'contents.sha256':24} what the record of this export names", f"{'manifest.sha256':24} every file with its hash"]
    return _HOW.format(
        run=run, case=case, origin=origin, documents=part.paperwork[0 if documents else 1], gaps=gaps, files="\n".join(lines),
        named=part.named, committed=part.committed, again=part.again, not_proved=part.not_proved,
    )  # fmt: skip
