"""Checks an evidence bundle with the standard library alone: python verify.py FILE.zip KEYS.

KEYS is a file of public keys that were got elsewhere, one ``name+id+base64`` a line. Exit code: 0 it holds, 1 it does not, 2 usage.
"""

import base64
import json
import sys
import zipfile
from hashlib import sha256, sha512
from pathlib import Path

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
LOG = "acknowledgements.txt checkpoint.note heads.json heads.txt keys.txt proofs.txt records.jsonl"


def need(fits: object, what: str) -> None:
    """Stops at the first thing that does not hold."""
    if not fits:
        raise ValueError(what)


def point(data: bytes) -> tuple[int, int, int, int]:
    """A point of the curve of Ed25519, from its 32 bytes (RFC 8032, 5.1.3)."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    need(len(data) == 32 and y < P and (x * x - square) % P == 0 and (x or not sign), "a key or signature that is no point")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def add(p: tuple[int, int, int, int], q: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """The sum of two points."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P


def times(n: int, p: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """A point taken n times."""
    found = (0, 1, 1, 0)
    while n:
        found, p, n = add(found, p) if n & 1 else found, add(p, p), n >> 1
    return found


def signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature is right (RFC 8032, 5.1.7)."""
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % ORDER
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    left, right = times(s := int.from_bytes(signature[32:], "little"), base), add(point(signature[:32]), times(k, point(public)))
    return len(signature) == 64 and s < ORDER and not any((left[i] * right[2] - right[i] * left[2]) % P for i in (0, 1))


def check_note(note: str, keys: str) -> str:
    """The text of a checkpoint, signed by a key of the log and cosigned by every witness that KEYS names."""
    text, _, rest = note.partition("\n\n")
    text, lines, seen = text + "\n", [line.split(" ") for line in rest.splitlines()], set()
    for name, mark, encoded in (line.strip().split("+", 2) for line in keys.splitlines() if line.strip() and line[0] != "#"):
        kind, public = (raw := base64.b64decode(encoded, validate=True))[0], raw[1:]
        named = sha256(name.encode() + b"\n" + raw).digest()[:4]
        need(named.hex() == mark and kind in (1, 4), f"the key {name} in KEYS is none")
        for _, _, line in (parts for parts in lines if parts[1] == name):
            data = base64.b64decode(line, validate=True)
            if data[:4] == named:
                time = b"" if kind == 1 else b"cosignature/v1\ntime %d\n" % int.from_bytes(data[4:12], "big")
                need(signed(public, time + text.encode(), data[4 if kind == 1 else 12 :]), f"the signature of {name}")
                seen.add((kind, name, mark))
        need(kind == 1 or (kind, name, mark) in seen, f"no cosignature of {name}")
    need(any(kind == 1 for kind, _, _ in seen), "no signature by a key of the log in KEYS")
    return text


def climb(leaf: bytes, at: int, last: int, path: list[bytes]) -> bytes:
    """The root that an audit path leads to (RFC 9162, 2.1.3.2)."""
    need(0 <= at <= last, "a place outside the log")
    for one in path:
        need(last, "a proof that is too long")
        if at & 1 or at == last:
            leaf = sha256(b"\1" + one + leaf).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            leaf = sha256(b"\1" + leaf + one).digest()
        at, last = at >> 1, last >> 1
    need(last == 0, "a proof that is too short")
    return leaf


def check_records(files: dict[str, bytes], case: str, size: int, root: bytes) -> list[dict]:
    """The case's records: each follows the one before and is in the log, and none is left out."""
    lines, proofs = files["log/records.jsonl"].split(b"\n"), files["log/proofs.txt"].decode("ascii").splitlines()
    need(lines.pop() == b"" and len(lines) == len(proofs), "not one proof for each record")
    leaf, records = bytes(32), []
    for count, (line, proof) in enumerate(zip(lines, proofs, strict=True)):
        record, (at, *path) = json.loads(line), proof.split(" ")
        need((record["case"], record["cseq"], record["prev"]) == (case, count, leaf.hex()), f"record {count} is out of place")
        leaf = sha256(b"\0" + line).digest()
        need(climb(leaf, int(at), size - 1, list(map(bytes.fromhex, path))) == root, f"record {count} is not in the log")
        records.append(record)
    (at, *path), (place, cases, *branch) = (line.split(" ") for line in files["log/heads.txt"].decode("ascii").splitlines())
    data, last = files["log/heads.json"], size - 1
    head, found = json.loads(data), climb(sha256(b"\0" + data).digest(), int(at), last, list(map(bytes.fromhex, path)))
    need(found == root and int(at) == last and head["kind"] == "log.heads", "the record of heads")
    line = sha256(b"\0%s %d %s\n" % (case.encode(), len(records), leaf.hex().encode())).digest()
    heads = climb(line, int(place), int(cases) - 1, list(map(bytes.fromhex, branch)))
    need(head["output"][0]["inline"] == {"cases": int(cases), "root": heads.hex()}, "records are left out")
    return records


def check_contents(files: dict[str, bytes], names: list[str], records: list[dict]) -> None:
    """The contents: the last record names them all, and records name each document, the decision and the trace."""
    listed = [line.split("  ", 1) for line in files["manifest.sha256"].decode().splitlines()]
    need(sorted(names) == sorted([*(name for _, name in listed), "manifest.sha256"]), "a file too many or too few")
    for digest, name in listed:
        need(sha256(files[name]).hexdigest() == digest, f"{name} against its hash")
    contents = "".join(f"{d}  {n}\n" for d, n in listed if not n.startswith("log/") and n != "contents.sha256").encode()
    part = " ".join(name[4:] for name in sorted(names) if name.startswith("log/"))
    need(contents == files["contents.sha256"] and part == LOG, "a file too many or too few")
    named = [item["commit"] for item in records[-1]["output"] if records[-1]["kind"] == "evidence.exported"]
    need(f"sha256:{sha256(contents).hexdigest()}" in named, "the contents are not those that were recorded")
    known = {item["commit"] for record in records for part in ("input", "output", "sources") for item in record[part]}
    known |= {one["commit"] for one in json.loads(files.get("run/sources.json", b'{"files": []}'))["files"]}
    for commit, salt, name in (line.split(" ", 2) for line in files["commitments.txt"].decode().splitlines()):
        salted = files[name] if salt == "-" else b"\2" + bytes.fromhex(salt) + files[name]
        need(commit == f"sha256:{sha256(salted).hexdigest()}" and commit in known, name)


def check(bundle: Path, keys: Path) -> str:
    """What holds, in one line."""
    with zipfile.ZipFile(bundle) as archive:
        names = archive.namelist()
        files = {name: archive.read(name) for name in names}
    origin, size, root = check_note(files["log/checkpoint.note"].decode(), keys.read_text("utf-8")).splitlines()[:3]
    records = check_records(files, json.loads(files["bundle.json"])["case"], int(size), base64.b64decode(root, validate=True))
    check_contents(files, names, records)
    return f"HOLDS: log {origin}, checkpoint of {size} records, case {records[0]['case']} with {len(records)} records"


if __name__ == "__main__":
    if len(sys.argv) != 3 or not all(Path(arg).is_file() for arg in sys.argv[1:]):
        sys.exit(sys.stderr.write("usage: python verify.py FILE.zip KEYS\n") and 2)
    try:
        sys.stdout.write(check(Path(sys.argv[1]), Path(sys.argv[2])) + "\n")
    except Exception as problem:  # noqa: BLE001 - whatever cannot be read does not hold
        sys.exit(f"DOES NOT HOLD: {problem!a:.300}")
