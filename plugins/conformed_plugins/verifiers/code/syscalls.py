"""The filter of system calls for a candidate program, as the kernel's own small programs (classic BPF, seccomp).

Name spaces hide what is outside; this takes away what is left inside: a second process, sockets, memory that no limit
counts (memory files, shared segments), and doors of the kernel that an ordinary program never opens.
"""

from __future__ import annotations

import platform
import struct

__all__ = ["ARCHITECTURES", "syscall_filter"]

_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in ``struct seccomp_data``; both machines are little-endian, so the low half of an argument comes first."""
_CLONE_THREAD = 0x00010000
_OTHER_TABLE = 0x40000000
"""Numbers from here on belong to the x32 table, in which every denied call would have another number."""

_NEW = (*range(424, 435), 438, 440, 442, 443, 447, 448, 450)
"""Calls since Linux 5.1 with one number on every machine: pidfd_send_signal, io_uring, the mount calls, pidfd_open, pidfd_getfd,
process_madvise, mount_setattr, quotactl_fd, memfd_secret, process_mrelease, set_mempolicy_home_node."""

ARCHITECTURES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        56,  # clone
        (
            57, 58,  # fork, vfork
            41, 42, 43, 49, 50, 288,  # socket, connect, accept, bind, listen, accept4
            29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 240, 241, 242, 243, 244, 245,  # System V and POSIX queues, segments
            101, 310, 311, 312,  # ptrace, process_vm_readv, process_vm_writev, kcmp
            319, 323, 298, 321,  # memfd_create, userfaultfd, perf_event_open, bpf
            248, 249, 250,  # add_key, request_key, keyctl
            155, 161, 165, 166, 167, 168, 169,  # pivot_root, chroot, mount, umount2, swapon, swapoff, reboot
            272, 308, 135, 246, 320, 175, 176, 313,  # unshare, setns, personality, kexec, modules
            303, 304, 253, 254, 294, 300, 301,  # file handles, inotify, fanotify
            163, 172, 173, 179, 103, 212,  # acct, iopl, ioperm, quotactl, syslog, lookup_dcookie
        ),
    ),
    "aarch64": (
        0xC00000B7,
        220,  # clone
        (
            198, 200, 201, 202, 203, 242,  # socket, bind, listen, accept, connect, accept4
            *range(180, 198),  # POSIX and System V queues, segments
            117, 270, 271, 272,  # ptrace, process_vm_readv, process_vm_writev, kcmp
            279, 282, 241, 280,  # memfd_create, userfaultfd, perf_event_open, bpf
            217, 218, 219,  # add_key, request_key, keyctl
            41, 51, 40, 39, 224, 225, 142,  # pivot_root, chroot, mount, umount2, swapon, swapoff, reboot
            97, 268, 92, 104, 294, 105, 106, 273,  # unshare, setns, personality, kexec, modules
            264, 265, 26, 27, 262, 263,  # file handles, inotify, fanotify
            89, 60, 116, 18,  # acct, quotactl, syslog, lookup_dcookie
        ),
    ),
}  # fmt: skip
"""By the kernel's name of the machine: its audit number, the number of clone, and the numbers that are denied."""


def _line(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def syscall_filter(machine: str = "") -> bytes | None:
    """The filter for a machine, to be handed to the sandbox.

    Args:
        machine: the kernel's name of it; empty for this one.

    Returns:
        The bytes, or None where no table is kept for the machine.
    """
    known = ARCHITECTURES.get(machine or platform.machine())
    if known is None:
        return None
    audit, clone, denied = known
    numbers = sorted({*denied, *_NEW} - {clone})
    allow = len(numbers) + 6  # lines: 4 in front, clone3, clone, the numbers; then allow, clone's flags, and the returns
    lines = [_line(_LOAD, _ARCHITECTURE), b"", _line(_LOAD, _NUMBER), b"", b"", b""]
    flags, eperm, enosys, kill = allow + 1, allow + 4, allow + 5, allow + 6
    lines[1] = _line(_EQUAL, audit, 0, kill - 2)
    lines[3] = _line(_AT_LEAST, _OTHER_TABLE, kill - 4)
    lines[4] = _line(_EQUAL, 435, enosys - 5)  # clone3 hides its flags in memory: the C library then falls back to clone
    lines[5] = _line(_EQUAL, clone, flags - 6)
    lines += [_line(_EQUAL, number, eperm - (6 + at) - 1) for at, number in enumerate(numbers)]
    lines += [
        _line(_RETURN, _ALLOW),
        _line(_LOAD, _FIRST_ARGUMENT),
        _line(_ANY_BIT, _CLONE_THREAD, 0, 1),
        _line(_RETURN, _ALLOW),
        _line(_RETURN, _EPERM),
        _line(_RETURN, _ENOSYS),
        _line(_RETURN, _KILL),
    ]
    return b"".join(lines)
