"""Imports go down only, every module imports alone, and heavy libraries stay at home."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = (
    *("torch", "transformers", "sympy", "pdfplumber", "pypdfium2", "sqlmodel", "sqlalchemy", "lxml", "ruamel", "jinja2", "PIL"),
    *("pluggy", "structlog", "rich"),
)
SHARED = (
    *("pydantic.main", "pydantic.functional_validators", "typer", "rich.console", "pluggy", "sympy", "lxml.html"),
    *("ruamel.yaml", "jinja2", "pypdfium2", "pdfplumber", "importlib.metadata", "sqlite3", "multiprocessing"),
)
HOMES = {
    "pluggy": ("conformed.hooks", "conformed_plugins"),
    "sqlmodel": ("conformed_audit", "conformed.app"),
    "sympy": ("conformed.rules", "conformed_plugins.verifiers", "conformed_plugins.scorers"),
    "ruamel": ("conformed.policy",),
    "typer": ("conformed.cli",),
    "psycopg": ("conformed_audit.postgres",),
    "sqlalchemy": ("conformed_audit.postgres.migrate",),
    "alembic": ("conformed_audit.postgres", "conformed_audit.migrations"),
    "rich": ("conformed.app", "conformed.cli"),
    "jinja2": ("conformed.app", "conformed_plugins.web"),
    "pdfplumber": ("conformed_plugins.readers",),
    "pypdfium2": ("conformed_plugins.readers",),
}
"""Where a library may be imported; anywhere else it is a leak."""

ALONE = """
import importlib, os, sys, warnings
shared, *floors = [line.split() for line in sys.stdin.read().splitlines()]
for library in shared:  # others' libraries once, before the first child: each child pays only for ours
    importlib.import_module(library)
warnings.simplefilter("error")
failed = False
for floor in floors:
    for name in floor:
        child = os.fork()
        if child == 0:
            try:
                importlib.import_module(name)
            except BaseException as problem:
                print(f"{name}: {type(problem).__name__}: {problem}", flush=True)
                os._exit(1)
            os._exit(0)
        failed |= os.waitpid(child, 0)[1] != 0
    if not failed:
        for name in floor:  # floors above import it and it imports none of them, so that no cycle is hidden by it
            importlib.import_module(name)
sys.exit(failed)
"""
ABOVE = (
    (),
    ("conformed.hooks", "conformed.policy", "conformed.people", "conformed.evaluation", "conformed.rules", "conformed.ports"),
    ("conformed.engine", "conformed.compute"),
    ("conformed.app",),
    ("conformed.cli", "conformed_plugins"),
)
"""Floors whose modules are imported alone one after another, each with those below it there; the first holds all that is not named."""


def test_import_contracts_hold(root: Path) -> None:
    """lint-imports keeps every contract of pyproject.toml."""
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(tool), "--no-cache"], cwd=root, capture_output=True, text=True, timeout=240, check=False)
    said = done.stdout[-3000:] + done.stderr[-1000:]
    assert done.returncode == 0, said
    assert " 0 broken" in done.stdout, said  # it ends with 0 as well when a module cannot be read


def test_every_package_stands_on_a_floor(root: Path) -> None:
    """No part of the core escapes the floors: each top-level name of the package is in the contract of layers."""
    config = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(one["layers"] for one in config["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    # A name in brackets is a floor that is kept for a part still to come.
    names = [name.strip() for layer in layers for name in layer.split("|")]
    named = {name.removeprefix("conformed.") for name in names if not name.startswith("(")}
    there = {
        child.stem
        for child in (root / "core" / "conformed").iterdir()
        if (child.suffix == ".py" and child.stem != "__init__") or (child.is_dir() and list(child.glob("*.py")))
    }
    assert there == named


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system does not have")
def test_every_module_imports_alone(modules: tuple[str, ...]) -> None:
    """Each module imports first in a process without another of its floor, with warnings as errors: no hidden order, no cycle."""
    wanted = [name for name in modules if not name.endswith("__main__") and not _needs_extra(name)]
    named = tuple(name for floor in ABOVE for name in floor)
    floors = [[name for name in wanted if name.startswith(floor)] for floor in ABOVE[1:]]
    floors.insert(0, [name for name in wanted if not name.startswith(named)])
    assert sum(map(len, floors)) == len(wanted)
    given = "\n".join(" ".join(line) for line in (SHARED, *floors))
    done = subprocess.run([sys.executable, "-c", ALONE], input=given, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def _needs_extra(name: str) -> bool:
    """Whether a module may need torch or psycopg, which the base install does not bring."""
    torch = ("conformed_plugins.backends.", "conformed_plugins.training.", "conformed_plugins.scorers.")
    return name.startswith((*torch, "conformed_audit.postgres.", "conformed_audit.migrations."))


@pytest.mark.parametrize("name", ["conformed", "conformed.cli", "conformed.cli.entry", "conformed.errors", "conformed_plugins"])
def test_the_doors_are_light(name: str) -> None:
    """Importing the package, its errors or its command line pulls in none of the libraries that do the work."""
    code = f"import sys, {name}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_libraries_stay_at_home(sources: tuple[Path, ...], modules: tuple[str, ...]) -> None:
    """A library with a home is imported nowhere else, not even inside a function."""
    leaks = []
    for file, module in zip(sources, modules, strict=True):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for library in {name.partition(".")[0] for name in names} & set(HOMES):
                if not module.startswith(HOMES[library]):
                    leaks.append(f"{module} imports {library}")
    assert leaks == []
