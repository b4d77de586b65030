"""A private copy of a model: the verified bytes, in a folder that only this process's user can open, gone when it is closed."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from conformed.errors import MirrorError
from conformed.mirror.manifest import Manifest
from conformed.mirror.verifying import examine, opened, read_pinned, refuse

__all__ = ["PrivateCopy"]


class PrivateCopy:
    """Verifies a model's folder while copying it. Whoever loads from ``folder`` loads the bytes that were verified.

    The copy lies in the system's folder for temporary files (``TMPDIR``), readable by its owner alone, and is removed by ``close``, or
    when the object goes. It needs as much room as the model.

    Args:
        source: the model's folder in the mirror.
        sha256: SHA-256 of its manifest, as a policy pins it.

    Raises:
        MirrorError: when the manifest is another, or a file is missing, extra, altered, a link, a pickle or code; it names each.
            Nothing is then left behind.
    """

    folder: Path
    """Where the copy is."""
    manifest: Manifest
    """What is in it."""

    def __init__(self, source: Path, sha256: str) -> None:
        with opened(source) as descriptor:
            self.manifest = read_pinned(descriptor, source, sha256)
            self.folder = Path(tempfile.mkdtemp(prefix="conformed-model-"))
            self._remove = weakref.finalize(self, _removed, self.folder, os.getpid())
            try:
                with opened(self.folder) as into:
                    refuse(examine(descriptor, self.manifest, into).troubles, source)
            except BaseException:
                self.close()
                raise
        try:
            self.folder.chmod(0o500)
        except OSError as problem:
            self.close()
            raise MirrorError(
                f"the copy of {source} cannot be closed to writing: {problem.strerror}.", "Check TMPDIR."
            ) from problem

    def close(self) -> None:
        """Removes the copy. Weights that were loaded stay loaded."""
        self._remove()


def _removed(folder: Path, owner: int) -> None:
    if os.getpid() != owner:
        return  # a forked child ends; its parent still loads from here
    try:
        folder.chmod(0o700)
    except OSError:
        return  # gone already: nothing to remove
    shutil.rmtree(folder, ignore_errors=True)
