"""Reads pack.yaml and holds it against the files: what is listed, what is missing, what has changed since it was attested."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from conformed.engine.gather import MANIFEST, File, Gathered
from conformed.errors import PackError
from conformed.model.document import Refusal
from conformed.model.pack import Manifest
from conformed.policy.load import load_bytes

__all__ = ["Evidence", "check_manifest", "load_manifest"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files that a run may look at."""

    files: tuple[File, ...]
    """Evidence, sorted by name."""
    refusals: tuple[Refusal, ...]
    """Files that would be evidence and were not taken."""
    unlisted: tuple[str, ...]
    """Files of the pack that the manifest does not list, sorted."""
    digest: str
    """SHA-256 over the sorted names and hashes of the files and the manifest's bytes, 64 lower-case hex digits."""


def load_manifest(data: bytes, *, name: str = MANIFEST) -> Manifest:
    """Reads a manifest strictly.

    Args:
        data: bytes of pack.yaml.
        name: path to be shown in a refusal.

    Raises:
        PolicyError: with file, line and column, for anything that is not a manifest: an unknown key, a date that is no
            date, a duplicate key, bytes that are not UTF-8.
    """
    return load_bytes(data, Manifest, name=name).value


def check_manifest(manifest: Manifest, gathered: Gathered) -> Evidence:
    """Holds a manifest against the files of its pack. Where documents are listed, only they are evidence.

    Raises:
        PackError: when a listed file is missing or listed twice, or its bytes have changed since they were attested.
    """
    files = gathered.files
    refusals = gathered.refusals
    unlisted: tuple[str, ...] = ()
    if manifest.documents:
        files = _listed(manifest, gathered)
        names = {document.file for document in manifest.documents}
        refusals = tuple(refusal for refusal in refusals if refusal.name in names)
        present = {file.name for file in gathered.files} | {refusal.name for refusal in gathered.refusals}
        unlisted = tuple(sorted(present - names))
    return Evidence(files=files, refusals=refusals, unlisted=unlisted, digest=_digest(files, refusals, gathered.manifest))


def _listed(manifest: Manifest, gathered: Gathered) -> tuple[File, ...]:
    held = {file.name: file for file in (*gathered.files, *gathered.aside)}
    refused = {refusal.name: refusal for refusal in gathered.refusals}
    taken: dict[str, File] = {}
    seen: set[str] = set()
    for document in manifest.documents:
        name = document.file
        if name in seen:
            raise PackError(f"{MANIFEST} lists {name!r} twice.", "Take one of the two entries out.")
        seen.add(name)
        file = held.get(name)
        sha256 = file.sha256 if file else refused[name].sha256 if name in refused else None
        if file is None and name not in refused:
            near = sorted(other for other in (*held, *refused) if other.casefold() == name.casefold())
            hint = f"Did you mean {near[0]!r}?" if near else "Put the file into the pack, or take the entry out."
            raise PackError(f"{MANIFEST} lists {name!r}, and the pack {gathered.name!r} holds no such file.", hint)
        if document.sha256 and sha256 and document.sha256.lower() != sha256:
            raise PackError(
                f"{name} has changed since it was attested: {MANIFEST} says {document.sha256[:12]}…, its hash is {sha256[:12]}….",
                "Put the attested file back, or have the new one attested.",
            )
        if file:
            taken[name] = file
    return tuple(taken[name] for name in sorted(taken))


def _digest(files: tuple[File, ...], refusals: tuple[Refusal, ...], manifest: bytes | None) -> str:
    lines = [f"{file.sha256}\x00{file.name}\n" for file in files]
    lines += [f"{refusal.sha256 or refusal.code}\x00{refusal.name}\n" for refusal in refusals]
    total = hashlib.sha256("".join(sorted(lines)).encode("utf-8"))
    total.update(b"\x00manifest\x00" + (b"-" if manifest is None else b"+" + manifest))
    return total.hexdigest()
