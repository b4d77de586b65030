"""What is looked at before a name is moved: the weights' folder, every byte, and the report of their evaluation."""

from __future__ import annotations

from pathlib import Path

from conformed.errors import MirrorError, UsageError
from conformed.mirror.manifest import Manifest
from conformed.mirror.verifying import manifest_in, refuse, verify
from conformed.model.weights_report import MOST_REPORT_BYTES, WeightsReport, read_report

__all__ = ["report_in", "verified"]


def report_in(file: Path) -> tuple[WeightsReport, bytes]:
    """A report and the exact bytes of its file.

    Raises:
        UsageError: when it cannot be read, is no report or was altered.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_REPORT_BYTES + 1)
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}.", "Name the report of an evaluation.") from problem
    return read_report(data, str(file)), data


def verified(folder: Path, sha256: str) -> Manifest:
    """The manifest of a folder of weights, of which every byte was read and is as pinned.

    Args:
        folder: the folder.
        sha256: SHA-256 that its manifest must have.

    Raises:
        MirrorError: when the manifest is another, or a file is missing, extra or altered; it names each.
    """
    try:
        manifest = manifest_in(folder, sha256)
    except MirrorError as problem:
        raise MirrorError(
            f"{problem.found.rstrip('.')}: these are not the weights that are spoken of.", problem.mend
        ) from problem
    refuse(verify(folder, manifest), folder)
    return manifest
