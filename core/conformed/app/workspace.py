"""A workspace: the folder with a bank's own policies, beside which the log and the cache are kept."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformed.errors import UsageError

__all__ = ["LOG_VARIABLE", "VARIABLE", "Workspace", "find_workspace", "init_workspace", "packaged_policies"]

VARIABLE = "CONFORMED_WORKSPACE"
"""Environment variable that names the workspace."""

LOG_VARIABLE = "CONFORMED_LOG_URL"
"""Environment variable that names the shared log of a deployment."""

_HIDDEN = ".conformed"
_IGNORE = "# The log, the cache and reports: kept beside the policies, never committed with them.\n.conformed/\n"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where policies are read from and where a run leaves its traces."""

    root: Path
    """Folder under which the log, the cache and reports are kept."""
    policies: Path
    """Folder of the task contracts."""
    origin: str
    """How it was found: ``flag``, ``environment``, ``folder`` or ``packaged``."""
    log_url: str = field(default="", repr=False)
    """The PostgreSQL database with the deployment's log; empty for one of the workspace's own. May hold a password."""

    @property
    def log(self) -> Path:
        """The append-only log's database."""
        return self.root / _HIDDEN / "log.sqlite"

    @property
    def log_place(self) -> Path | str:
        """Where the log is: the URL of the shared one, else the file."""
        return self.log_url or self.log

    @property
    def log_shown(self) -> str:
        """The same for messages, without user and password."""
        return f"the database that {LOG_VARIABLE} names" if self.log_url else str(self.log)

    @property
    def people(self) -> Path:
        """The directory of people: the one file with names, beside the log and never in it."""
        return self.root / _HIDDEN / "people.yaml"

    @property
    def denied(self) -> Path:
        """Counts of denials of the present minute, between two processes."""
        return self.root / _HIDDEN / "denied.json"

    @property
    def cache(self) -> Path:
        """What was read of files, by their hash. May be deleted at any time."""
        return self.root / _HIDDEN / "cache"

    @property
    def reports(self) -> Path:
        """Where reports go that are given no name."""
        return self.root / _HIDDEN / "reports"


def packaged_policies() -> Path:
    """The policies that come with the product: inside an installed wheel, or at the top of a checkout.

    Raises:
        UsageError: when neither is there, which means that the installation is damaged.
    """
    inside = Path(__file__).parent / "defaults" / "policies"
    checkout = Path(__file__).parents[3] / "policies"
    for folder in (inside, checkout):
        if _is_policies(folder):
            return folder
    raise UsageError("The policies that come with the product are not where it was installed.", "Install it again.")


def _is_policies(folder: Path) -> bool:
    """Whether a folder holds at least one YAML file. A folder that may not be listed holds none."""
    try:
        return folder.is_dir() and any(child.suffix in (".yaml", ".yml") for child in folder.iterdir())
    except OSError:
        return False


def _named(folder: Path, origin: str, how: str) -> Workspace:
    root = folder.expanduser()
    if not root.is_dir():
        raise UsageError(f"{how} names {root}, which is not a folder.", f"Make it with: conformed init {root}")
    if not _is_policies(root / "policies"):
        raise UsageError(
            f"{how} names {root}, which has no policies/ folder with a YAML file in it.",
            f"Make it a workspace with: conformed init {root}",
        )
    return Workspace(root=root.resolve(), policies=(root / "policies").resolve(), origin=origin)


def find_workspace(flag: Path | None, environment: Mapping[str, str], here: Path) -> Workspace:
    """Finds the workspace: the flag, the variable, the nearest folder upward with policies/, else the packaged defaults.

    What is named and wrong is refused, never passed over. With the packaged defaults the log is kept in the present folder. The
    log is the workspace's own file unless a variable names the shared one of a deployment.

    Args:
        flag: what ``--workspace`` names.
        environment: the environment's variables.
        here: the present folder.

    Raises:
        UsageError: when the flag or a variable names what is no workspace, or no shared log.
    """
    url = environment.get(LOG_VARIABLE, "")
    if url and not url.startswith(("postgresql://", "postgres://")):
        raise UsageError(f"{LOG_VARIABLE} names no PostgreSQL database.", "Write it postgresql://USER@HOST/DATABASE.")
    return replace(_found(flag, environment, here), log_url=url)


def _found(flag: Path | None, environment: Mapping[str, str], here: Path) -> Workspace:
    if flag is not None:
        return _named(flag, "flag", "--workspace")
    if environment.get(VARIABLE):
        return _named(Path(environment[VARIABLE]), "environment", VARIABLE)
    start = here.resolve()
    for folder in (start, *start.parents):
        if _is_policies(folder / "policies"):
            return Workspace(root=folder, policies=folder / "policies", origin="folder")
    return Workspace(root=start, policies=packaged_policies(), origin="packaged")


def init_workspace(folder: Path) -> Workspace:
    """Makes a workspace: policies/ copied from the packaged defaults, casefiles/, and a .gitignore for the traces.

    Nothing that is already there is overwritten.

    Raises:
        UsageError: when the folder already has policies, or cannot be written.
    """
    root = folder.expanduser()
    target = root / "policies"
    if target.exists():
        raise UsageError(f"{root} already has a policies folder; nothing was changed.", "Choose another folder.")
    source = packaged_policies()
    try:
        root.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.py", ".*"))
        (root / "casefiles").mkdir(exist_ok=True)
        ignore = root / ".gitignore"
        if not ignore.exists():
            ignore.write_text(_IGNORE, encoding="utf-8")
    except OSError as problem:
        raise UsageError(
            f"{root} cannot be made a workspace: {problem.strerror or problem}.", "Choose a folder that you may write to."
        ) from problem
    return Workspace(root=root.resolve(), policies=target.resolve(), origin="flag")
