"""Where a log may lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformed_audit import PlaceError, place
from conformed_audit.place import check_place, file_system

MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/export /srv/share nfs4 rw 0 0
/dev/vdb /srv/share/local xfs rw 0 0
//nas/data /mnt/with\\040space cifs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home", "ext4"),
        ("/srv/share", "nfs4"),
        ("/srv/share/a/b", "nfs4"),
        ("/srv/share/local/a", "xfs"),
        ("/mnt/with space/a", "cifs"),
        ("/srv/shared", "ext4"),
    ],
)
def test_the_nearest_mount_decides(folder: str, kind: str) -> None:
    """The longest mount point that holds the folder gives its file system."""
    assert file_system(Path(folder), MOUNTS) == kind


def test_unknown_mounts_are_unknown() -> None:
    """Where the table cannot be read nothing is guessed."""
    assert file_system(Path("/home"), "") == ""


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a network file system locks cannot be relied on: the log is refused with its type named."""
    check_place(tmp_path / "log.db")
    monkeypatch.setattr(place, "_mounts", lambda: f"server:/x {tmp_path.resolve()} nfs rw 0 0\n")
    with pytest.raises(PlaceError, match="nfs"):
        check_place(tmp_path / "log.db")


def test_places_that_cannot_be_looked_at_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A null character in the path, or a folder that may not be entered, is an error of this package."""
    with pytest.raises(PlaceError, match="cannot be reached"):
        check_place(tmp_path / "a\0b")

    def refuse(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refuse)
    with pytest.raises(PlaceError, match="Permission denied"):
        check_place(tmp_path / "log.db")
