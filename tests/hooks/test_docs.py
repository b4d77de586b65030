"""docs/hooks.md tells the truth: each hook, its exact signature, and who uses it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from conformed.hooks import HOOKS, Kind, specs
from conformed.hooks.registration import PORTS

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "hooks.md").read_text()
EXAMPLE = (ROOT / "examples" / "conformed-plugin-hello" / "conformed_plugin_hello" / "__init__.py").read_text()


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_stands_in_the_docs_with_its_exact_signature(hook: str) -> None:
    """A changed signature fails here until the page is changed too."""
    signature = str(inspect.signature(getattr(specs, hook))).replace("'", "")
    assert f"### `{hook}{signature}`" in DOCS


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_used_by_the_example_plugin(hook: str) -> None:
    """A hook without a user is not kept."""
    assert re.search(rf"^@hookimpl\ndef {hook}\(", EXAMPLE, re.MULTILINE)


def test_the_hooks_are_those_of_the_specifications() -> None:
    """The list of hooks, the marked functions and the kinds agree."""
    marked = {name for name, one in vars(specs).items() if hasattr(one, "conformed_spec")}
    assert marked == set(HOOKS)
    assert set(PORTS) == set(Kind)
    assert not re.findall(r"^### `(?!register_|check_policy|record_written)", DOCS, re.MULTILINE)
