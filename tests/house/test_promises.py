"""What the README, the licence, the build file and the checks promise is so."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.tree import BUILT_IN
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract


@pytest.fixture(scope="module")
def build(root: Path) -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_two_commands_and_who_runs_them(root: Path) -> None:
    """The README's first block is two commands of start.py, and .ci/run runs the second to the letter."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    commands = [line.partition("#")[0].strip() for line in block[1].splitlines()]
    assert commands == ["python3 start.py", "python3 start.py test"]
    checks = (root / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(rf"^(if )?{commands[1]}\b", checks, re.MULTILINE)
    for tool in ("ruff check .", "ruff format --check .", "mypy", "lint-imports"):
        assert tool in checks


def test_the_checks_can_be_run(root: Path) -> None:
    """.ci/run may be executed and is a script that its shell can read."""
    assert os.access(root / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(root / ".ci" / "run")], check=True, timeout=30)


@pytest.mark.parametrize("page", ["README.md", "docs/cli.md"])
def test_every_command_of_a_page_exists(root: Path, page: str) -> None:
    """Commands that a page tells to type are commands, with options that they have, and none is left out."""
    from typer.main import get_command

    from conformed.cli.tree import app
    from conformed.hooks import load_registry

    text = (root / page).read_text(encoding="utf-8")
    lines = re.findall(r"(?:start\.py -- |`conformed )([a-z][^`\n]*)", text)
    tree: Any = get_command(app)
    of_plugins = {one.name for one in load_registry(env={}).registrations if one.kind == "command"}
    named = {line.split()[0] for line in lines}
    assert named - of_plugins == set(BUILT_IN)
    assert page == "README.md" or named >= of_plugins
    for line in (line for line in lines if line.split()[0] not in of_plugins):
        words = line.split()
        command = tree.commands[words[0]]
        if hasattr(command, "commands") and len(words) > 1:
            for name in words[1].split("|"):
                assert name in command.commands, line
            command = command.commands[words[1].split("|")[0]]
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
        assert {word for word in words if word.startswith("--")} <= options, line


def test_the_reference_has_every_option(root: Path) -> None:
    """docs/cli.md leaves no option of a command about a pack out, and names none that is not there."""
    from typer.main import get_command

    from conformed.cli.tree import app

    tree: Any = get_command(app)
    rows = [line for line in (root / "docs" / "cli.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `--")]
    for place, name in enumerate(("run", "covenant", "copy", "timeline")):
        said = {
            option
            for row in rows
            if row.split("|")[3 + place].strip() == "x"
            for option in re.findall(r"--[a-z-]+", row.split("|")[1])
        }
        there = {
            option for one in tree.commands[name].params for option in (*one.opts, *one.secondary_opts) if option.startswith("--")
        }
        assert said == there - {"--help"}, name


def test_links_lead_somewhere(root: Path) -> None:
    """Every relative link of a page leads to a file."""
    broken = []
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_the_licence_is_whole(root: Path, build: dict[str, Any]) -> None:
    """Apache-2.0, its full text, named in the build file."""
    text = (root / "LICENSE").read_text(encoding="utf-8")
    assert text.lstrip().startswith("Apache License")
    assert "9. Accepting Warranty or Additional Liability" in text
    assert "APPENDIX: How to apply the Apache License" in text
    assert build["project"]["license"] == "Apache-2.0"


def test_no_dependency_with_a_licence_that_a_bank_cannot_take(build: dict[str, Any]) -> None:
    """Nothing in the base install, and nothing that it needs, is under the GPL or the AGPL."""
    waiting, seen, refused = list(build["project"]["dependencies"]), set(), []
    while waiting:
        requirement = waiting.pop()
        name = re.split(r"[ ;<>=!~\[(]", requirement)[0].lower().replace("_", "-")
        if "extra ==" in requirement or name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # for another system or another Python
            continue
        said = [found.metadata.get("License-Expression") or "", *(found.metadata.get_all("Classifier") or [])]
        if any(re.search(r"\bA?GPL|General Public License", line) and "Lesser" not in line for line in said):
            refused.append(name)
        waiting += found.requires or []
    assert len(seen) > 15
    assert refused == []


def test_torch_is_an_extra_and_a_range(root: Path, build: dict[str, Any]) -> None:
    """The base install has no torch; the extra has a range; the tests' exact pin lies inside it."""
    assert not [one for one in build["project"]["dependencies"] if one.startswith(("torch", "transformers"))]
    wanted = next(one for one in build["project"]["optional-dependencies"]["ml"] if one.startswith("torch"))
    low, high = re.fullmatch(r"torch>=([\d.]+),<(\d+)", wanted).groups()  # type: ignore[union-attr]
    pin = re.search(r"^torch==([\d.]+)$", (root / "constraints" / "test.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert pin is not None
    numbers = [int(part) for part in pin[1].split(".")]
    assert [int(part) for part in low.split(".")] <= numbers < [int(high)]


def test_every_policy_loads(root: Path) -> None:
    """Each contract of policies/ is accepted as it stands and bears its file's name."""
    files = sorted((root / "policies").glob("*.yaml"))
    assert files
    for file in files:
        assert load_model(file, TaskContract).value.name == file.stem


def test_the_wheel_brings_the_policies(build: dict[str, Any]) -> None:
    """An installed wheel has the packaged policies at the place where the workspace looks for them."""
    wheel = build["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel.get("force-include", {}).get("policies") == "conformed/app/defaults/policies"


def test_what_is_imported_is_asked_for(sources: tuple[Path, ...], build: dict[str, Any]) -> None:
    """Every library that a module imports is a dependency or an extra of its own, not one that came along with another."""
    called = {"ruamel": "ruamel.yaml", "PIL": "pillow", "docx": "python-docx", "pypdfium2_raw": "pypdfium2"}
    named = [
        *build["project"]["dependencies"],
        *(one for extra in build["project"]["optional-dependencies"].values() for one in extra),
    ]
    asked = {re.split(r"[<>=\[]", one)[0].lower() for one in named}
    lacking = set()
    for file in sources:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for name in {name.partition(".")[0] for name in names}:
                ours = name in sys.stdlib_module_names or name.startswith("conformed")
                if not ours and called.get(name, name).lower() not in asked:
                    lacking.add(f"{file.name}: {name}")
    assert sorted(lacking) == []


def test_the_changelog_has_this_version_or_what_comes(root: Path, build: dict[str, Any]) -> None:
    """The version of the build file is in the changelog, or changes are collected for it; dependencies have reasons."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text or f"## [{build['project']['version']}]" in text
    for requirement in build["project"]["dependencies"]:
        name = re.split(r"[<>=]", requirement)[0]
        assert re.search(rf"^\| {re.escape(name)}\b", text, re.MULTILINE), f"{name} has no reason in the changelog"


def test_hooks_are_documented(root: Path) -> None:
    """Every hook is named in docs/hooks.md."""
    from conformed.hooks import HOOKS

    text = (root / "docs" / "hooks.md").read_text(encoding="utf-8")
    assert [hook for hook in HOOKS if hook not in text] == []


@pytest.mark.skipif(os.environ.get("CI") != "true", reason="only where CI=true must every extra be there")
@pytest.mark.parametrize("library", ["torch", "transformers", "safetensors", "reportlab", "docx"])
def test_the_checks_have_every_extra(library: str) -> None:
    """Where the whole is checked, no test may be skipped for want of an extra."""
    assert importlib.util.find_spec(library) is not None
