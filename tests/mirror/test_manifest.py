"""The manifest has one form: the same model the same bytes, and whatever is not so written is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from conformed.errors import MirrorError
from conformed.mirror.manifest import MANIFEST, MOST_MANIFEST_BYTES, Manifest, PackageSource, RepositorySource, read_manifest
from conformed.mirror.verifying import manifest_in


def test_its_digest_is_of_its_bytes(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """What a contract pins is the hash of the file as it lies there, and reading it back gives the same manifest."""
    manifest = pinned()
    data = (folder / MANIFEST).read_bytes()
    assert manifest.digest == hashlib.sha256(data).hexdigest()
    assert read_manifest(data, "x") == manifest
    assert manifest_in(folder, manifest.digest) == manifest


def test_it_states_the_true_hash_and_size_of_each_file(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """Every file but the manifest is in it, sorted, as sha256sum would say."""
    there = {one.name: one.read_bytes() for one in folder.iterdir()}
    assert [(one.name, one.sha256, one.size) for one in pinned().files] == [
        (name, hashlib.sha256(data).hexdigest(), len(data)) for name, data in sorted(there.items())
    ]


def test_another_manifest_is_refused_by_its_hash(folder: Path, pinned: Callable[[], Manifest]) -> None:
    """Whoever changes files and manifest together is met by the hash in the contract."""
    digest = pinned().digest
    (folder / "merges.txt").write_text("b a\n")
    again = pinned()
    with pytest.raises(MirrorError, match=f"has SHA-256 {again.digest}, and {digest} is pinned"):
        manifest_in(folder, digest)


@pytest.mark.parametrize("spoil", [b" ", b"\n"])
def test_the_same_content_in_other_bytes_is_refused(folder: Path, pinned: Callable[[], Manifest], spoil: bytes) -> None:
    """A manifest that was not written by the product has another hash than the product would say: it is not taken."""
    data = pinned().data() + spoil
    with pytest.raises(MirrorError, match="not written as the product writes it"):
        read_manifest(data, "m")


def _changed(manifest: Manifest, **values: Any) -> bytes:
    return json.dumps({**manifest.model_dump(mode="json"), **values}, indent=1, sort_keys=True).encode() + b"\n"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"format": "conformed.mirror/2"}, "format"),
        ({"extra": 1}, "extra"),
        ({"licence": ""}, "licence"),
        ({"licence": "a\nb"}, "licence"),
        ({"model": "../up"}, "model"),
        ({"files": []}, "files"),
        ({"files": [{"name": "../x.json", "sha256": "0" * 64, "size": 1}]}, "files.0.name"),
        ({"files": [{"name": "a/x.json", "sha256": "0" * 64, "size": 1}]}, "files.0.name"),
        ({"files": [{"name": "model.gguf", "sha256": "0" * 63, "size": 1}]}, "files.0.sha256"),
        ({"files": [{"name": "model.gguf", "sha256": "0" * 64, "size": -1}]}, "files.0.size"),
        ({"spare_ids": -1}, "spare_ids"),
        ({"source": {"kind": "repository", "repository": "maker/small", "commit": "main"}}, "source.repository.commit"),
        ({"source": {"kind": "repository", "repository": "maker/small", "commit": "c" * 39}}, "source.repository.commit"),
        ({"source": {"kind": "repository", "repository": "../small", "commit": "c" * 40}}, "source.repository.repository"),
        ({"source": {"kind": "web"}}, "source"),
    ],
)
def test_a_malformed_manifest_is_refused_with_the_place(
    pinned: Callable[[], Manifest], values: dict[str, Any], named: str
) -> None:
    """A branch for a commit, a path for a name, a short hash: each is named."""
    with pytest.raises(MirrorError, match=rf"m is no manifest: {named.replace('.', '[.]')}: "):
        read_manifest(_changed(pinned(), **values), "m")


def _file(name: str) -> dict[str, Any]:
    return {"name": name, "sha256": "0" * 64, "size": 9}


@pytest.mark.parametrize(
    "names",
    [
        ["config.json"],
        ["a.gguf", "b.gguf"],
        ["a.gguf", "model.safetensors"],
        ["model.safetensors", "config.json"],
        ["Model.safetensors", "model.safetensors"],
        ["config.json", "config.json", "model.safetensors"],
        ["manifest.json", "model.safetensors"],
    ],
)
def test_a_model_is_one_set_of_weights(pinned: Callable[[], Manifest], names: list[str]) -> None:
    """No weights, two GGUFs, both forms at once, files out of order, or two names that a careless file system takes for one."""
    values = pinned().model_dump(mode="json") | {"files": [_file(name) for name in names]}
    with pytest.raises(ValidationError, match="the files are not"):
        Manifest.model_validate(values)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 200_000])
def test_bytes_that_are_no_manifest_are_refused(data: bytes) -> None:
    """Anything at all ends in one sentence."""
    with pytest.raises(MirrorError, match="m is no manifest"):
        read_manifest(data, "m")


def test_a_manifest_that_is_no_file_is_refused(folder: Path, pinned: Callable[[], Manifest], tmp_path: Path) -> None:
    """Absent, a link, a folder, a pipe that nobody writes to, too large: each is refused at once."""
    import os

    manifest = pinned()
    (folder / MANIFEST).rename(tmp_path / "elsewhere.json")
    for make, words in (
        (lambda at: None, "No such file"),
        (lambda at: at.symlink_to(tmp_path / "elsewhere.json"), "cannot be read"),
        (lambda at: at.mkdir(), "is no file"),
        (os.mkfifo, "is no file"),
        (lambda at: at.write_bytes(b" " * (MOST_MANIFEST_BYTES + 1)), "larger than"),
    ):
        at = folder / MANIFEST
        make(at)
        with pytest.raises(MirrorError, match=words):
            manifest_in(folder, manifest.digest)
        if at.is_dir() and not at.is_symlink():
            at.rmdir()
        else:
            at.unlink(missing_ok=True)


def test_sources_are_shown_on_one_line() -> None:
    """A person sees repository and whole commit, or package, version and wheel."""
    assert RepositorySource(repository="maker/small", commit="c" * 40).shown == f"maker/small at {'c' * 40}"
    package = PackageSource(package="small-model", version="0.1.2", sha256="a" * 64, member="small/x.gguf")
    assert package.shown == "small-model 0.1.2, wheel aaaaaaaaaaaa"
