"""Two users of one machine on one log: what a shared folder of state lets the second one do, and what is said where it is not shared."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformed.app.keeping.state import HeldKey, State, find_state
from conformed.errors import UsageError
from conformed_audit.errors import AuditError, SealError
from conformed_audit.note import SigningKey
from conformed_audit.sealing import MasterFile

ORIGIN = "bank.example/test"
GROUP, NOBODY = 65_533, 65_534
KEY = b"k" * 32

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that every user of the machine can reach, as a folder of temporary files of one user's own is not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def as_nobody(do: Callable[[], str], umask: int = 0o022) -> str:
    """What another user, who is in the group, gets: the answer, or the class and words of an error."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([GROUP])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.umask(umask)
            said = do()
        except (OSError, AuditError, UsageError) as problem:
            said = f"{type(problem).__name__}: {problem}"
        except BaseException as problem:  # noqa: BLE001 - a child of a test must not go on as the test
            said = f"BROKEN {problem!r}"
        os.write(writes, said.encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as answer:
        said = answer.read().decode()
    os.waitpid(child, 0)
    return said


def used(state: State) -> bytes:
    """The first user uses the log: a key to sign with, and one to seal with. Modules are loaded before the other comes."""
    with state.lock():
        state.keep_keys([HeldKey(SigningKey.make(ORIGIN, b"s" * 32), "active")])
    wrapped = MasterFile(state.folder / "master.key").wrap(KEY, "case/1")
    assert MasterFile(state.folder / "master.key").unwrap(wrapped, "case/1") == KEY
    return wrapped


def everything(state: State, wrapped: bytes) -> str:
    """The second user signs, changes keys, and opens content."""
    with state.lock():
        held = state.signing_keys()
        state.keep_keys([*held, HeldKey(SigningKey.make(ORIGIN, b"t" * 32), "added")])
    return f"{len(state.signing_keys())} {MasterFile(state.folder / 'master.key').unwrap(wrapped, 'case/1') == KEY}"


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_shared_folder_serves_both(base: Path, umask: int) -> None:
    """In a folder that a group shares (setgid, 2770) both users sign, change keys and open content, whatever their umask."""
    shared = base / "state"
    shared.mkdir()
    os.chown(shared, 0, GROUP)
    shared.chmod(0o2770)
    state = find_state({"CONFORMED_STATE": str(shared)}, ORIGIN)
    before = os.umask(umask)
    try:
        wrapped = used(state)
        assert as_nobody(lambda: everything(state, wrapped), umask) == "2 True"
        assert len(state.signing_keys()) == 2
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.folder.iterdir()}
    assert (modes["signer.key"], modes["master.key"], state.folder.stat().st_mode & 0o7777) == (0o660, 0o660, 0o2770)


def test_what_is_not_shared_stays_the_owner_s(base: Path) -> None:
    """Without the shared folder keys are made for their owner alone, and the other user is told which file and what to do."""
    state = find_state({"CONFORMED_STATE": str(base / "own")}, ORIGIN)
    wrapped = used(state)
    (base / "own").chmod(0o755)
    state.folder.chmod(0o755)
    said = as_nobody(lambda: str(MasterFile(state.folder / "master.key").unwrap(wrapped, "case/1")))
    assert (
        said
        == f"SealError: You may not read the master key {state.folder / 'master.key'}. Share the folder of the state with its group: docs/people.md."
    )
    assert as_nobody(lambda: str(state.signing_keys())).startswith("PermissionError: ")


def test_a_key_that_the_world_can_read_is_refused(base: Path) -> None:
    """Sharing with a group is no sharing with everybody: a folder that others may enter is not shared, and a readable key is refused."""
    shared = base / "state"
    shared.mkdir(mode=0o700)
    os.chown(shared, 0, GROUP)
    shared.chmod(0o2775)
    state = find_state({"CONFORMED_STATE": str(shared)}, ORIGIN)
    wrapped = used(state)
    (state.folder / "master.key").chmod(0o640)
    with pytest.raises(SealError, match="chmod 600"):
        MasterFile(state.folder / "master.key").unwrap(wrapped, "case/1")
