"""Programs that try to get out of the sandbox, to outgrow it, or to live on. Each returns what it managed to do."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from .conftest import Judge

TRY = """
def tries(act):
    try:
        return [str(act())]
    except BaseException as problem:
        return []
"""


def nothing(judge: Judge, body: str, *arguments: object) -> None:
    """Asserts that the program was run to its end and managed none of what it tried."""
    found = judge(f"{TRY}\ndef f(*given):\n    return {body}", *arguments, gives=[])
    assert found.verdict.outcome == "correct", found


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"])
def test_there_is_no_network(judge: Judge, family: str) -> None:
    """No socket of any family can be opened, not even towards a listener of this very machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), 5).close()  # from outside it is there
        nothing(judge, f"tries(lambda: __import__('socket').socket(__import__('socket').{family}))")
        nothing(judge, "tries(lambda: __import__('socket').create_connection(('127.0.0.1', given[0]), 2))", port)


def test_a_planted_secret_cannot_be_read(judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a file of the caller's home nor its environment is inside, by whatever name."""
    secret = tmp_path / "secret"
    secret.write_text("planted", encoding="ascii")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLANTED", "planted")
    nothing(judge, "tries(lambda: open(given[0]).read())", str(secret))
    nothing(
        judge,
        "[k for k, v in __import__('os').environ.items() if 'planted' in v or k == 'PLANTED' or given[0] in v]",
        str(tmp_path),
    )
    nothing(judge, "tries(lambda: open('/job/../..' + given[0]).read())", str(secret))


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/etc/shadow",
        "/etc/hosts",
        "/proc/1/environ",
        "/proc/self/environ",
        "/sys",
        "/root",
        "/home",
        "/dev/shm",
        "/dev/zero",
        "/run",
    ],
)
def test_what_is_not_needed_is_not_there(judge: Judge, path: str) -> None:
    """Nothing of the machine but libraries and the interpreter can be seen."""
    nothing(judge, "tries(lambda: __import__('os').stat(given[0]))", path)


@pytest.mark.parametrize(
    "path",
    ["/out", "/usr/lib/out", "/python/out", "/job/out", "/job/inside.py", "/job/program.py", "/dev/out", "/python/bin/python3"],
)
def test_nothing_outside_the_scratch_folder_can_be_written(judge: Judge, path: str) -> None:
    """Every other place is read-only, the program's own file and the runner included."""
    nothing(judge, "tries(lambda: open(given[0], 'ab'))", path)


def test_a_link_leads_nowhere(judge: Judge, tmp_path: Path) -> None:
    """A symbolic link made inside points at what is inside; a hard link and a bind mount cannot be made."""
    secret = tmp_path / "secret"
    secret.write_text("planted", encoding="ascii")
    nothing(judge, "tries(lambda: (__import__('os').symlink(given[0], 'link'), open('link').read()))", str(secret))
    nothing(judge, "tries(lambda: (__import__('os').symlink('/etc', 'link'), __import__('os').listdir('link')))")
    nothing(judge, "tries(lambda: __import__('os').link('/job/program.py', 'link'))")


def test_the_scratch_folder_can_be_used(judge: Judge) -> None:
    """A program may write and read a small file of its own, so the refusals above are not for want of trying."""
    found = judge("def f():\n    open('a', 'w').write('kept')\n    return open('/scratch/a').read()", gives="kept")
    assert found.verdict.outcome == "correct", found


@pytest.mark.parametrize(
    "act",
    [
        "os.fork()", "os.forkpty()", "os.posix_spawn('/python/bin/python3', ['python3', '-c', ''], {})",
        "__import__('subprocess').run(['/python/bin/python3', '-c', ''])",
        "__import__('multiprocessing').get_context('fork').Process(target=print).start()", "os.kill(given[0], 0)",
    ],
)  # fmt: skip
def test_there_is_no_second_process(judge: Judge, act: str) -> None:
    """No process can be started, so none can be left behind, and the caller cannot be signalled."""
    program = f"import os\n{TRY}\ndef f(*given):\n    return tries(lambda: {act})"
    found = judge(program, os.getpid(), gives=[])
    assert found.verdict.outcome == "correct", found


def test_signals_stay_inside(judge: Judge) -> None:
    """A program that signals everybody it can reach ends at most itself: this process goes on."""
    judge(
        "import os, signal\ndef f():\n    os.kill(-1, signal.SIGKILL)\n    os.kill(1, signal.SIGKILL)\n    os.killpg(0, 9)",
        gives=1,
    )
    judge("import os\ndef f(caller):\n    os.kill(caller, 9)\n    return 1", os.getppid(), gives=1)
    assert judge("def f(): return 1", gives=1).verdict.outcome == "correct"


CALLS = "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n    r = c.syscall(*a)\n    return [] if r == -1 else [r]\n"
NUMBERS = {
    "x86_64": {"unshare": 272, "ptrace": 101, "memfd_create": 319, "shmget": 29, "clone3": 435, "io_uring_setup": 425, "bpf": 321, "keyctl": 250, "mount": 165, "setns": 308},
    "aarch64": {"unshare": 97, "ptrace": 117, "memfd_create": 279, "shmget": 194, "clone3": 435, "io_uring_setup": 425, "bpf": 280, "keyctl": 219, "mount": 40, "setns": 268},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(NUMBERS["x86_64"]))
def test_doors_of_the_kernel_are_shut(judge: Judge, name: str) -> None:
    """The filter answers "not permitted" (or "not known") before the kernel looks at the arguments: name spaces, memory that no limit counts."""
    number = NUMBERS[os.uname().machine][name]
    program = f"{CALLS}def f(number):\n    call(number, 0, 0, 0, 0, 0, 0)\n    return ctypes.get_errno() in (1, 38)"
    found = judge(program, number, gives=True)
    assert found.verdict.outcome == "correct", (name, found)


def test_a_memory_file_and_a_name_space_are_refused_with_right_arguments(judge: Judge) -> None:
    """Called as they ought to be, they still fail."""
    nothing(judge, "tries(lambda: __import__('os').memfd_create('a'))")
    numbers = NUMBERS[os.uname().machine]
    found = judge(f"{CALLS}def f(number):\n    return call(number, 0x10000000)", numbers["unshare"], gives=[])
    assert found.verdict.outcome == "correct", found


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("def f():\n    while True: pass", "timeout"),
        ("def f():\n    import signal\n    signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n    while True: pass", "killed"),
        ("def f():\n    x = bytearray(1 << 30)\n    return 1", "memory"),
        ("def f():\n    x = []\n    while True: x.append(bytearray(1 << 20))", "memory"),
        ("import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()", ""),
        ("def f(): return 'x' * 100_000", "output_limit"),
        ("def f():\n    with open('big', 'wb') as file:\n        while True: file.write(bytes(65536))", "raised"),
        ("def f():\n    i = 0\n    while True:\n        i += 1\n        open(f'a{i}', 'wb').write(bytes(65536))", "raised"),
        ("def f():\n    held = [open('/job/job.json') for _ in range(1000)]\n    return 1", "raised"),
        ("import threading, time\ndef f():\n    for _ in range(100_000):\n        threading.Thread(target=time.sleep, args=(99,)).start()", ""),
    ],
)  # fmt: skip
def test_what_grows_is_stopped(judge: Judge, program: str, code: str) -> None:
    """Time, memory, files, file size, output and threads all have an end, and the end is the program's failure."""
    found = judge(program, gives=1)
    assert found.verdict.outcome == "incorrect"
    assert code in found.verdict.code


def test_endless_output_is_stopped_at_the_limit(judge: Judge) -> None:
    """A program that prints for ever is ended as soon as it has printed too much, not when its time is over."""
    found = judge("while True: print('x' * 1000)", stdin="", gives="x")
    assert found.verdict.code == "test_failed:public:output_limit"
    found = judge("import sys\ndef f():\n    while True: print('x' * 1000)", gives=1)
    assert found.verdict.code in (
        "test_failed:public:timeout",
        "test_failed:public:killed",
    )  # beside the answer it is thrown away


def test_sleep_is_ended_by_the_clock(judge: Judge) -> None:
    """A program that uses no processor time is ended by the clock, also when it has closed everything it had open."""
    for program in ("import time\ntime.sleep(60)", "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(60)"):
        found = judge(program, stdin="", gives="", wall_s=2)
        assert found.verdict.code == "test_failed:public:timeout"


def test_nothing_is_left_behind(judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any run there is no process, no folder and no open file more than before."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for program in (
        "def f(): return 1",
        "import os\ndef f():\n    os.setsid()",
        "import threading, time\ndef f():\n    threading.Thread(target=time.sleep, args=(99,)).start()\n    return 1",
        "def f():\n    while True: print('x' * 1000)",
        "def f(:",
    ):
        judge(program, gives=1)
    judge("import time\ntime.sleep(99)", stdin="", gives="", wall_s=1)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert children(os.getpid()) == []
    assert list(tmp_path.iterdir()) == []
    assert not [
        name
        for pid in (folder.name for folder in Path("/proc").iterdir())
        if pid.isdigit()
        for name in [command(pid)]
        if b"/job/inside.py" in name and owner(pid) == os.getpid()
    ]


def children(pid: int) -> list[str]:
    """Commands of the children of a process that are sandboxes."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [one for one in (listed.read_text(encoding="ascii").split() if listed.exists() else []) if b"bwrap" in command(one)]


def command(pid: str) -> bytes:
    """Command line of a process, empty where it has just ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def owner(pid: str) -> int:
    """The process from which another descends through sandboxes; 0 where that cannot be told any more."""
    try:
        while b"/job/inside.py" in command(pid):
            pid = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1]
        return int(pid)
    except (OSError, ValueError, IndexError):
        return 0
