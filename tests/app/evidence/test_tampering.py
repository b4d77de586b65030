"""What is done to a bundle by somebody who wants to mislead: both scripts find each of it, with our software out of the game."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from evidence_house import ROOT, VERIFIERS, House, checked, opened
from forgeries import NOTE, PROOFS, RECORDS, TAMPERINGS, Files, packed
from hypothesis import given
from hypothesis import strategies as st

from conformed.app.bundles import evidence_export
from conformed.app.bundles.evidence_contents import Contents
from conformed.app.bundles.evidence_export import Exported
from conformed_audit.note import SigningKey
from conformed_audit.tree import inclusion_path


@pytest.mark.parametrize("how", VERIFIERS)
@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda one: one.__name__)
def test_a_tampering_is_found(
    how: str, tamper: Callable[[Files, House], None], ended: tuple[House, str], exported: Exported, tmp_path: Path
) -> None:
    """The bundle does not hold, and the script says what does not: no tampering hides behind another check."""
    files = opened(exported.data)
    before = dict(files)
    tamper(files, ended[0])
    assert files != before
    said = checked(how, tmp_path, packed(files), ended[0].keys)
    assert (said.returncode, said.stdout) == (1, ""), said.stderr
    assert re.search(f"DOES NOT HOLD: .*({TAMPERINGS[tamper]})", said.stderr), said.stderr


@pytest.mark.parametrize("how", VERIFIERS)
@pytest.mark.parametrize("name", ["manifest.sha256", "contents.sha256"])
def test_an_altered_list_is_found(how: str, name: str, ended: tuple[House, str], exported: Exported, tmp_path: Path) -> None:
    """A hash that is changed in one of the two lists is found."""
    files = opened(exported.data)
    files[name] = re.sub(rb"^[0-9a-f]{64}", b"0" * 64, files[name])
    data = packed(files, mend=name != "manifest.sha256", mend_contents=False)
    assert checked(how, tmp_path, data, ended[0].keys).returncode == 1


@pytest.mark.parametrize("how", VERIFIERS)
def test_a_file_twice_is_found(how: str, ended: tuple[House, str], exported: Exported, tmp_path: Path) -> None:
    """A second decision under the same name, which some unpackers would show instead, is found."""
    with zipfile.ZipFile(io.BytesIO(data := exported.data)):
        made = io.BytesIO(data)
        with zipfile.ZipFile(made, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("decision.json", b"{}")
    assert checked(how, tmp_path, made.getvalue(), ended[0].keys).returncode == 1


@pytest.mark.parametrize("how", VERIFIERS)
@pytest.mark.parametrize("keys", ["", "# none\n", "not a key\n"])
def test_nothing_holds_without_a_key(how: str, keys: str, exported: Exported, tmp_path: Path) -> None:
    """Without a key from elsewhere nothing is said to hold: the keys in the bundle are never used."""
    said = checked(how, tmp_path, exported.data, keys)
    assert (said.returncode, said.stdout) == (1, "")


@pytest.mark.parametrize("how", VERIFIERS)
def test_the_same_key_under_another_name_does_not_count(
    how: str, ended: tuple[House, str], exported: Exported, tmp_path: Path
) -> None:
    """A log is known by name and key: a checkpoint of another log with the same key is not this one's."""
    house, _ = ended
    other = SigningKey.make("other.example", house.signer.seed)
    assert checked(how, tmp_path, exported.data, f"{other.key}\n").returncode == 1


@pytest.mark.parametrize("how", VERIFIERS)
def test_wrong_usage(how: str, tmp_path: Path) -> None:
    """A missing file is wrong usage, not evidence that fails."""
    import subprocess

    said = subprocess.run([*VERIFIERS[how], "none.zip", "KEYS"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert said.stderr.startswith("usage: ")


@pytest.mark.parametrize("how", VERIFIERS)
@pytest.mark.parametrize("name", ["documents/0001-agreement.txt", "decision.json", "trace.json"])
def test_contents_swapped_by_the_exporter_are_found(
    how: str, name: str, ended: tuple[House, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever exports and swaps a file before the export is recorded is found as well: records of the run commit to the file."""
    gather = evidence_export.contents_of

    def swapped(*args: Any, **more: Any) -> Contents:
        found = gather(*args, **more)
        found.files[name] += b" "
        return found

    monkeypatch.setattr(evidence_export, "contents_of", swapped)
    house, run = ended
    said = checked(how, tmp_path, house.export(run).data, house.keys)
    assert (said.returncode, said.stdout) == (1, "")
    assert name in said.stderr


def test_no_flipped_bit_passes(ended: tuple[House, str], exported: Exported, tmp_path: Path) -> None:
    """Whichever bit of the file flips: the bundle does not hold, or what is read of it is what was written."""
    script = load_script()
    house, _ = ended
    keys, bundle = tmp_path / "KEYS", tmp_path / "bundle.zip"
    keys.write_text(house.keys, encoding="utf-8")
    step = len(exported.data) // 150
    whole = opened(exported.data)
    for number, at in enumerate(range(7, len(exported.data), step)):
        data = bytearray(exported.data)
        data[at] ^= 1 << (number % 8)
        bundle.write_bytes(data)
        try:
            script.check(bundle, keys)
        except Exception:  # noqa: BLE001 - the script ends with DOES NOT HOLD for whatever is raised
            continue
        assert opened(bytes(data)) == whole, at


def test_the_script_reads_anything(ended: tuple[House, str], exported: Exported) -> None:
    """Bytes that are nothing, in the place of any file of the log's part, do not hold, and pass no check."""
    script, whole, keys = load_script(), opened(exported.data), ended[0].keys
    names = [NOTE, "log/heads.json", "log/heads.txt", PROOFS, RECORDS]

    @given(data=st.binary(max_size=300) | st.text(max_size=300).map(str.encode), name=st.sampled_from(names))
    def anything(data: bytes, name: str) -> None:
        files = {**whole, name: data}
        held = False
        try:
            _, size, top = script.check_note(files[NOTE].decode(), keys).splitlines()[:3]
            script.check_records(files, exported.case, int(size), base64.b64decode(top))
            held = True
        except Exception:  # noqa: BLE001 - any refusal is one
            return
        assert not held, name

    anything()


def load_script() -> Any:
    """The Python script as a module."""
    spec = spec_from_file_location("verify_script", ROOT / "docs" / "verify" / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("how", VERIFIERS)
def test_an_older_record_of_heads_hides_nothing(how: str, ended: tuple[House, str], tmp_path: Path) -> None:
    """The operator shows a case as it was, under today's checkpoint, with a true but older record of heads: it is found."""
    house, run = ended
    old, new = opened(house.export(run).data), opened(house.export(run).data)
    size = int(new[NOTE].split(b"\n")[1])
    with house.log() as log:
        tree = log.tree(size)

        def proof(at: int) -> str:
            return " ".join([str(at), *(one.hex() for one in inclusion_path(tree, at, size))]) + "\n"

        places = [int(line.split()[0]) for line in old[PROOFS].splitlines()]
        heads, branch = old["log/heads.txt"].decode().splitlines(keepends=True)
        files = {**old, NOTE: new[NOTE], PROOFS: "".join(map(proof, places)).encode()}
        files["log/heads.txt"] = (proof(int(heads.split()[0])) + branch).encode()
    said = checked(how, tmp_path, packed(files), house.keys)
    assert (said.returncode, said.stdout) == (1, "")
    assert "the record of heads" in said.stderr


@pytest.mark.parametrize("how", VERIFIERS)
def test_a_file_that_is_in_no_list_is_found(how: str, ended: tuple[House, str], exported: Exported, tmp_path: Path) -> None:
    """A file that lies in the archive and stands in no list is found, wherever it lies."""
    files = {**opened(exported.data), "documents/0003-waiver.txt": b"The Lenders waive the covenant."}
    said = checked(how, tmp_path, packed(files, mend=False, mend_contents=False), ended[0].keys)
    assert (said.returncode, said.stdout) == (1, "")
    assert "a file too many" in said.stderr


@pytest.mark.parametrize("how", VERIFIERS)
def test_a_file_that_no_record_names_is_bound_by_the_manifest(
    how: str, ended: tuple[House, str], exported: Exported, tmp_path: Path
) -> None:
    """The lines of acknowledgements are signed by nobody; damage to them is found against the manifest."""
    files = opened(exported.data)
    files["log/acknowledgements.txt"] += b"2026-03-02T12:00:00.000000Z another: has it\n"
    said = checked(how, tmp_path, packed(files, mend=False, mend_contents=False), ended[0].keys)
    assert (said.returncode, said.stdout) == (1, "")
    assert "against its hash" in said.stderr
