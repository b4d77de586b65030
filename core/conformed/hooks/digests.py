"""What code a plugin is, as one hash: of the installed files where they are recorded, else of its source."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution
from pathlib import Path

__all__ = ["distribution_digest"]

# Written by the installer and different from machine to machine, though the code is the same.
_INSTALLER = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"})


def distribution_digest(distribution: Distribution | None, module: str) -> str:
    """SHA-256 over the sorted names and hashes of a plugin's files, 64 hex digits.

    The bytes on disk are hashed, not what RECORD claims of them: an edited file shows.

    Args:
        distribution: the installed distribution; None for a plugin without one.
        module: the module of its entry point; its top package is hashed for editable installs and where there is no RECORD.
    """
    files = None if distribution is None or _editable(distribution) else distribution.files
    if distribution is not None and files is not None:
        chosen = ((str(name), Path(str(distribution.locate_file(name)))) for name in files if _is_code(str(name)))
        return _digest(chosen)
    return _digest(_source(module.partition(".")[0]))


def _editable(distribution: Distribution) -> bool:
    """Whether the files lie in a working tree (PEP 610)."""
    try:
        about = json.loads(distribution.read_text("direct_url.json") or "{}")
        return bool(about.get("dir_info", {}).get("editable"))
    except (ValueError, AttributeError):
        return False


def _is_code(name: str) -> bool:
    """Whether a recorded file belongs to the code: not a script outside, not compiled, not the installer's note."""
    outside = name.startswith(("..", "/"))
    compiled = "__pycache__" in name or name.endswith(".pyc")
    note = ".dist-info/" in name and name.rsplit("/", 1)[-1] in _INSTALLER
    return not (outside or compiled or note)


def _source(top: str) -> Iterator[tuple[str, Path]]:
    """The files of a top package or the one file of a module."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    if spec.submodule_search_locations:
        for place in sorted(spec.submodule_search_locations):
            root = Path(place)
            for path in root.rglob("*"):
                if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
                    yield f"{top}/{path.relative_to(root).as_posix()}", path
    elif spec.origin:
        yield f"{top}{Path(spec.origin).suffix}", Path(spec.origin)


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    whole = hashlib.sha256()
    for name, path in sorted(files):
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            found = "absent"
        whole.update(f"{name}\0{found}\n".encode())
    return whole.hexdigest()
