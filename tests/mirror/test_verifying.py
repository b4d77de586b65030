"""Whatever is not as pinned, or is never loaded, is named: by file, with the reason, before anything is loaded."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed.errors import MirrorError
from conformed.mirror.content import Fault
from conformed.mirror.manifest import Manifest
from conformed.mirror.verifying import examine, opened, refuse, verify


def faults(folder: Path, manifest: Manifest) -> list[tuple[str, Fault]]:
    """Names and reasons."""
    return [(one.name, one.fault) for one in verify(folder, manifest)]


def test_a_folder_as_pinned_has_no_trouble(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """Nothing is found where nothing is wrong, also where a tokenizer has a token of a dangerous name."""
    assert verify(folder, pinned()) == ()


def test_missing_extra_and_altered_are_all_named(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """One look names everything, with what was found and what is pinned, sorted."""
    manifest = pinned()
    (folder / "LICENSE").unlink()
    (folder / "vocab.txt").write_text("x")
    (folder / "merges.txt").write_text("b a\n")
    (folder / "chat_template.jinja").write_text("{{ messages }} ")
    found = verify(folder, manifest)
    assert [(one.name, one.fault) for one in found] == [
        ("LICENSE", Fault.MISSING),
        ("chat_template.jinja", Fault.ALTERED),
        ("merges.txt", Fault.ALTERED),
        ("vocab.txt", Fault.EXTRA),
    ]
    assert found[1].words == "15 bytes, and 14 are pinned"
    assert "and " + next(one.sha256 for one in manifest.files if one.name == "merges.txt") in found[2].words


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_one_bit_anywhere_is_seen(folder: Path, pinned: Callable[[], Manifest], place: int, bit: int) -> None:
    """Any single bit of any file that is turned is named with that file, and with no other."""
    manifest = pinned()
    at = place % sum(one.size for one in manifest.files)
    for one in manifest.files:
        if at < one.size:
            break
        at -= one.size
    file = folder / one.name
    before = file.read_bytes()
    file.write_bytes(before[:at] + bytes([before[at] ^ (1 << bit)]) + before[at + 1 :])
    try:
        assert [name for name, _ in faults(folder, manifest)] == [one.name]
    finally:
        file.write_bytes(before)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("pytorch_model.bin", Fault.PICKLE),
        ("model.pt", Fault.PICKLE),
        ("MODEL.PTH", Fault.PICKLE),
        ("model.pkl", Fault.PICKLE),
        ("last.ckpt", Fault.PICKLE),
        ("modeling_small.py", Fault.CODE),
        ("kernel.so", Fault.CODE),
        ("adapter_config.json", Fault.KIND),
        ("model.onnx", Fault.KIND),
        (".hidden.json", Fault.KIND),
        ("CONFIG.JSON", Fault.KIND),
        ("a b.json", Fault.KIND),
        ("x\ny.json", Fault.KIND),
    ],
)
def test_what_is_never_loaded_is_refused_by_name(folder: Path, pinned: Callable[[], Manifest], name: str, fault: Fault) -> None:
    """Pickles, code, adapters and what nothing loads are refused, whatever is in them, and also when a model is pinned."""
    manifest = pinned()
    (folder / name).write_bytes(b"{}")
    assert faults(folder, manifest) == [(name, fault)]
    with opened(folder) as descriptor:
        assert [(one.name, one.fault) for one in examine(descriptor, None).troubles] == [(name, fault)]


def _zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({}))
    return data.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("model.safetensors", _zipped(), Fault.PICKLE),
        ("model.safetensors", pickle.dumps([1] * 9, protocol=2), Fault.PICKLE),
        ("merges.txt", pickle.dumps([1] * 9), Fault.PICKLE),
        ("config.json", _zipped(), Fault.PICKLE),
        ("model.safetensors", b"", Fault.CONTENT),
        ("model.safetensors", b"x" * 99, Fault.CONTENT),
        ("model.safetensors", (1 << 40).to_bytes(8, "little") + b"{}", Fault.CONTENT),
        ("merges.txt", b"\x7fELF\0\0", Fault.CONTENT),
        ("config.json", b"{", Fault.CONTENT),
        ("config.json", b"", Fault.CONTENT),
        ("config.json", b"[" * 200_000, Fault.CONTENT),
        ("config.json", b'{"auto_map": {"AutoModel": "modeling.Small"}}', Fault.CODE),
        ("tokenizer_config.json", b'{"x": [{"auto_map": {"AutoTokenizer": ["t.T", null]}}]}', Fault.CODE),
        ("config.json", b'{"_attn_implementation": "somebody/kernel"}', Fault.CODE),
        ("config.json", b'{"text_config": {"attn_implementation": "somebody/kernel"}}', Fault.CODE),
        ("config.json", b'{"transformers_weights": "../../other.safetensors"}', Fault.CODE),
        ("generation_config.json", b'{"custom_generate": "somebody/loop"}', Fault.CODE),
        ("model.safetensors.index.json", b'{"weight_map": {"a": "../other.safetensors"}}', Fault.CONTENT),
        ("model.safetensors.index.json", b'{"weight_map": {"a": "absent.safetensors"}}', Fault.CONTENT),
        ("model.safetensors.index.json", b"[]", Fault.CONTENT),
        ("second.gguf", b"GGML1234", Fault.CONTENT),
    ],
)
def test_content_is_judged_and_not_the_name(
    folder: Path, pinned: Callable[[], Manifest], name: str, data: bytes, fault: Fault
) -> None:
    """A pickle under another name, a config that asks for code, an index that leads out of the folder: refused when it is pinned."""
    manifest = pinned()
    (folder / name).write_bytes(data)
    with opened(folder) as descriptor:
        assert [(one.name, one.fault) for one in examine(descriptor, None).troubles] == [(name, fault)]
    assert (name, fault) in faults(folder, manifest)


def test_an_index_of_files_that_are_there_is_taken(folder: Path) -> None:
    """Weights in several files are one model, if the index names files of the folder."""
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "model.safetensors"}}))
    with opened(folder) as descriptor:
        assert examine(descriptor, None).troubles == ()


def test_links_folders_and_devices_are_refused(folder: Path, pinned: Callable[[], Manifest], tmp_path: Path) -> None:
    """A link is refused even to the very same bytes; a pipe is not waited for."""
    manifest = pinned()
    weights = folder / "model.safetensors"
    weights.rename(tmp_path / "same")
    weights.symlink_to(tmp_path / "same")
    (folder / "more.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    assert faults(folder, manifest) == [
        ("model.safetensors", Fault.SYMLINK),
        ("more.json", Fault.NO_FILE),
        ("pipe.json", Fault.NO_FILE),
    ]


def test_a_link_that_takes_a_files_place_is_not_followed(
    folder: Path, pinned: Callable[[], Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at a name and its opening a link takes its place: the opening does not follow it."""
    manifest = pinned()
    outside = tmp_path / "outside.txt"
    outside.write_text("a b\n")
    file = folder / "merges.txt"
    real = os.stat

    def swapped(name: object, **more: object) -> os.stat_result:
        found = real(name, **more)  # type: ignore[call-overload]
        if name == "merges.txt" and not file.is_symlink():
            file.unlink()
            file.symlink_to(outside)
        return found

    monkeypatch.setattr("conformed.mirror.verifying.os.stat", swapped)
    assert faults(folder, manifest) == [("merges.txt", Fault.UNREADABLE)]


def test_a_file_that_may_not_be_read_is_named(
    folder: Path, pinned: Callable[[], Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault injection: no right to open, and a disk that fails while it is read. Neither is agreement; the other files are read."""
    manifest = pinned()
    opening, reading = os.open, os.read

    def denied(name: object, *more: object, **named: object) -> int:
        if name == "merges.txt":
            raise PermissionError(13, "Permission denied")
        return opening(name, *more, **named)  # type: ignore[arg-type]

    def failing(file: int, count: int) -> bytes:
        found = reading(file, count)
        if found.startswith(b"{{"):
            raise OSError(5, "Input/output error")
        return found

    monkeypatch.setattr("conformed.mirror.verifying.os.open", denied)
    monkeypatch.setattr("conformed.mirror.verifying.os.read", failing)
    assert faults(folder, manifest) == [("chat_template.jinja", Fault.UNREADABLE), ("merges.txt", Fault.UNREADABLE)]


def test_a_folder_of_countless_files_is_refused_unread(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """More files than a model has are not read one by one."""
    manifest = pinned()
    for number in range(1001):
        (folder / f"n{number}.txt").touch()
    assert faults(folder, manifest) == [("the folder", Fault.EXTRA)]


def test_a_large_json_is_refused_by_its_size(
    folder: Path, pinned: Callable[[], Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JSON file is parsed whole, so that its size is bounded."""
    manifest = pinned()
    monkeypatch.setattr("conformed.mirror.verifying.MOST_JSON_BYTES", 40)
    assert faults(folder, manifest) == [("config.json", Fault.CONTENT)]


def test_a_refusal_names_each_file(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """The message has every file with its reason, up to twenty, and says how many more."""
    manifest = pinned()
    for number in range(25):
        (folder / f"n{number:02}.py").touch()
    with pytest.raises(MirrorError) as caught:
        refuse(verify(folder, manifest), folder)
    assert "n00.py: remote code" in str(caught.value)
    assert "n19.py" in str(caught.value)
    assert "and 5 more" in str(caught.value)


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """Absent, or a file."""
    (tmp_path / "file").touch()
    for place in ("absent", "file"):
        with pytest.raises(MirrorError, match="cannot be read"), opened(tmp_path / place):
            pass
