"""Who is at the keys of this machine, as its operating system says. Never taken from the environment, which anyone may set."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformed.errors import UsageError
from conformed.people.person import Identified

__all__ = ["METHOD", "system_account"]

METHOD = "os-account"
"""How it was found out."""
_LOGIN = Path("/proc/self/loginuid")
_NOBODY = 2**32 - 1


def system_account() -> Identified:
    """The user of the operating system, and the one who logged in, where the system keeps who became whom.

    Raises:
        UsageError: when the system does not tell.
    """
    if sys.platform == "win32":
        return _named(os.getlogin())
    uid = os.getuid()
    return Identified(
        account=f"os:{uid}", name=_name(uid), session=f"os:{uid}:{os.getsid(0)}", method=METHOD, behind=_behind(uid, _LOGIN)
    )


def _named(login: str) -> Identified:
    plain = login.strip().replace(":", "_")
    if not plain:
        raise UsageError("The system does not say who you are.", "Log in with an account of your own.")
    return Identified(account=f"os:{plain}", name=plain, session=f"os:{plain}:{os.getpid()}", method=METHOD)


def _name(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"account {uid}"


def _behind(uid: int, login: Path) -> tuple[str, ...]:
    """The account that logged in, when it became another one since: ``su`` and ``sudo`` make nobody another person."""
    try:
        first = int(login.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return ()
    return () if first in (uid, _NOBODY) else (f"os:{first}",)
